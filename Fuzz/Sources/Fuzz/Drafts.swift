import Foundation
import LuaBridge
import ScriptedStore
import Synchronization

/// Lets bytes choose the steps of a program that is run on a draft and on a plain table (`Scripts/programs.lua`).
struct Drafts: Target {
  static let longest = 100

  private let store: Store
  private let failure: Failure
  private let starts: Value

  private final class Failure: Sendable {
    let text = Mutex<String?>(nil)
  }

  init() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../Scripts").standardizedFileURL
    let failure = Failure()
    self.failure = failure
    let host = try ScriptHost(
      root: root.path,
      configuration: ScriptHost.Configuration(
        onError: { error, _ in failure.text.withLock { $0 = "\(error)" } }))
    store = try host.store("drafts")
    starts = store.state["starts"]
  }

  func run(_ bytes: UnsafeRawBufferPointer) throws {
    var characters = String.UnicodeScalarView()
    characters.append(contentsOf: bytes.prefix(Drafts.longest).map { Unicode.Scalar($0) })
    try store.send("run", ["bytes": .string(String(characters))])
    try store.send("check")
    if let text = failure.text.withLock({ $0 }) { throw Surprise(text) }
    guard store.state["starts"] == starts else {
      throw Surprise("the program wrote to what it began with: \(store.state["starts"])")
    }
  }
}
