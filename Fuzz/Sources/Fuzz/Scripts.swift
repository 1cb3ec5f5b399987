import Foundation
import LuaBridge
import ScriptedStore
import Synchronization

/// Makes a script of bytes that calls what a script can call with what it should not, and runs it under limits, on a
/// draft and with the effects that it returns. Whatever it does, the store goes on.
struct Scripts: Target {
  static let longest = 250

  private let store: Store
  private let clock = VirtualClock()
  private let errors = Errors()

  /// For an input that crashes or hangs: `FUZZ_SHOW=1 Fuzz scripts FILE`.
  private let isShowing = ProcessInfo.processInfo.environment["FUZZ_SHOW"] != nil

  private final class Errors: Sendable {
    let all = Mutex<[ScriptError]>([])
  }

  /// Instructions are counted, so that the same bytes do the same; time is for what does not count, as the moving of a
  /// long list.
  private static let limits = Limits(
    time: .milliseconds(20), memory: 32 << 20, memoryPerTurn: 2 << 20, stringLength: 1 << 15,
    patternSteps: 20_000, sourceSize: 1 << 16, instructions: 5_000)

  init() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../Scripts").standardizedFileURL
    let errors = errors
    let host = try ScriptHost(
      root: root.path,
      configuration: ScriptHost.Configuration(
        limits: Scripts.limits, clock: clock, onWarning: nil,
        onError: { error, _ in errors.all.withLock { $0.append(error) } }))
    store = try host.store("scripts")
  }

  func run(_ bytes: UnsafeRawBufferPointer) throws {
    var grammar = Grammar(Choices(bytes))
    let script = grammar.script()
    if isShowing { FileHandle.standardError.write(Data(script.utf8)) }
    let task = try store.send("run", ["script": .string(script)])
    clock.advance(by: .seconds(2))
    task.cancel()
    _ = takeErrors()
    var errors: [ScriptError] = []
    for _ in 0..<50 {
      try store.send("check")
      errors = takeErrors()
      // On a busy machine time runs out for those, too, that need little.
      if errors.first?.kind != .time { break }
    }
    guard errors.isEmpty, store.state["found"] == "ABC2falsefunction" else {
      throw Surprise("nothing is as it was after\n\(script)\n\(errors)")
    }
  }

  private func takeErrors() -> [ScriptError] {
    errors.all.withLock { errors in
      defer { errors = [] }
      return errors
    }
  }
}
