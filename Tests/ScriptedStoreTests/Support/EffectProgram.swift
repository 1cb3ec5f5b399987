import Foundation
import LuaBridge
import ScriptedStore
import Synchronization

/// Starts, cancels and replaces random effects in a store, while scripts are saved and full VMs are replaced. Numbers
/// choose what happens, so that the same numbers do the same.
final class EffectProgram {
  /// What no numbers may lead to.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let folder: URL
  private let source: String
  private let host: ScriptHost
  let store: Store
  private let clock = VirtualClock()
  private let reports = Reports()
  private var saves = 0

  private final class Reports: Sendable {
    let failures = Mutex<[String]>([])
  }

  /// - Parameters:
  ///   - script: the file `effects.lua`.
  ///   - folder: where copies of it are saved.
  init(script: URL, in folder: URL) throws {
    self.folder = folder
    source = try String(contentsOf: script, encoding: .utf8)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(source.utf8).write(to: folder.appending(path: "effects.lua"))
    let failures = reports
    host = try ScriptHost(
      root: folder.path,
      configuration: ScriptHost.Configuration(
        limits: Limits(memory: 8 << 20), clock: clock,
        onWarning: { warning in
          guard !EffectProgram.expected.contains(warning.kind) else { return }
          failures.failures.withLock { $0.append(warning.message) }
        },
        onError: { error, action in
          guard error.kind != .memory else { return }
          failures.failures.withLock { $0.append("\(action.path): \(error)") }
        }))
    store = try host.store("effects")
  }

  /// Effects raise, and actions come for rows and children that have gone.
  private static let expected: Set<RuntimeWarning.Kind> = [
    .effectError, .missingElement, .absentChild, .notPresented, .cancellationSwallowed,
    .memoryFull, .sendAfterEnd, .lostLocal,
  ]

  /// - Parameters:
  ///   - steps: things that happen.
  ///   - check: called after each of them.
  ///   - next: the next number, from 0 to below its argument.
  func run(steps: Int, check: () -> Void = {}, _ next: (Int) -> Int) throws {
    var tasks: [StoreTask] = []
    for _ in 0..<steps {
      switch next(32) {
      case 0..<12: tasks.append(try store.send("go", effect(next)))
      case 12..<17: tasks.append(try store.send("rows[\(next(3))].go", effect(next)))
      case 17..<20: tasks.append(try store.send("child.go", effect(next)))
      case 20: try store.send("add", .integer(Int64(next(3))))
      case 21: try store.send("remove", .integer(Int64(next(3))))
      case 22: store.send(next(2) == 0 ? "present" : "dismiss")
      case 23..<29: clock.advance(by: .seconds(Double(next(5)) / 4))
      case 29: if !tasks.isEmpty { tasks[next(tasks.count)].cancel() }
      case 30: if next(4) == 0 { try save() }
      default: if next(16) == 0 { store.send("fill") }
      }
      check()
    }
    store.send("clear")
    for task in tasks { task.cancel() }
    clock.advance(by: .seconds(100))
    guard store.effects.isEmpty else {
      throw Failure(description: "in flight at the end: \(store.effects)")
    }
    let failures = reports.failures.withLock { failures in
      defer { failures = [] }
      return failures
    }
    if !failures.isEmpty { throw Failure(description: "\(failures)") }
  }

  /// The numbers that choose an effect.
  private func effect(_ next: (Int) -> Int) -> Value {
    ["numbers": .array(Value.List((0...next(32)).map { _ in Value.integer(Int64(next(256))) }))]
  }

  private func save() throws {
    saves += 1
    try Data("\(source)-- \(saves)\n".utf8).write(to: folder.appending(path: "effects.lua"))
    try host.reload()
  }
}
