import Foundation
import LuaBridge
import ScriptedStore
import Synchronization

/// Lets bytes choose the steps of a program that is run on a draft and on a plain table (`Scripts/programs.lua`).
struct Drafts: Target {
  private let store: Store
  private let failure: Failure

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
  }

  func run(_ bytes: UnsafeRawBufferPointer) throws {
    try store.send("run", ["bytes": .string(hexadecimal(bytes.prefix(200)))])
    try store.send("check")
    if let text = failure.text.withLock({ $0 }) { throw Surprise(text) }
  }
}
