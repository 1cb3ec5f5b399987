import Foundation
import LuaBridge
import ScriptedStore

/// A store of one of the repository's examples, whose time passes by `clock.advance` alone, and what its
/// host heard.
final class Example: Sendable {
  let store: Store
  let clock: VirtualClock
  let warnings = Recorder<RuntimeWarning>()
  let errors = Recorder<ScriptError>()
  /// Each action as `input todos[1].toggle`.
  let actions = Recorder<String>()
  private let observation: StoreObservation

  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("scripts").path

  init(
    _ feature: String, state: Value? = nil, dependencies: [String: Dependency] = [:],
    context: DependencyContext = .live
  ) throws {
    let clock = VirtualClock()
    let (warnings, errors, actions) = (warnings, errors, actions)
    let host = try ScriptHost(
      root: Self.folder,
      configuration: .init(
        context: context, clock: clock, onWarning: { warnings.record($0) },
        onError: { error, _ in errors.record(error) }))
    store = try host.store(feature, state: state, dependencies: dependencies)
    self.clock = clock
    observation = store.onAction { actions.record("\($0.source) \($0.action)") }
  }

  /// Nothing went wrong so far.
  var isWell: Bool { warnings.count == 0 && errors.count == 0 }

  var complaints: String { "\(warnings.all) \(errors.all)" }

  /// What the script `examples/stubs/<name>.lua` returns.
  static func stub(_ name: String) -> Dependency {
    .script(file: "\(folder)/examples/stubs/\(name).lua")
  }

  /// The lines of `examples/<name>.jsonl`.
  static func session(_ name: String) throws -> [Value] {
    let text = try String(contentsOfFile: "\(folder)/examples/\(name).jsonl", encoding: .utf8)
    return try text.split(separator: "\n").map { try Value(json: $0) }
  }

  /// What effects sent, without payloads.
  var sent: [String] {
    actions.all.filter { $0.hasPrefix("effect ") }
      .map { $0.dropFirst(7).prefix { $0 != " " }.description }
  }

  /// Plays the session `examples/<name>.jsonl` and returns how many actions it has.
  @discardableResult
  func play(_ name: String) throws -> Int {
    var count = 0
    for value in try Self.session(name) {
      if let seconds = value["wait"].double {
        clock.advance(by: .seconds(seconds))
      } else {
        try store.send(encoding: value)
        count += 1
      }
    }
    return count
  }
}
