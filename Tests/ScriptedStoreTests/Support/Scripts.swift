import Foundation
import LuaBridge
import ScriptedStore
import Synchronization

/// A host over scripts that a test writes, and what the host heard.
///
/// Each script starts with `scripted`, `effect` and `list` as locals, on its first line.
final class Scripts: Sendable {
  let folder: TemporaryFolder
  let host: ScriptHost
  private let heard: Heard

  private final class Heard: Sendable {
    let warnings = Mutex<[RuntimeWarning]>([])
    let errors = Mutex<[(error: ScriptError, action: Action)]>([])
  }

  static let locals = """
    local scripted = require "scripted"; local effect, list = scripted.effect, scripted.list; 
    """

  init(
    _ modules: [String: String], workers: Int = 1, memoryLimit: Int? = nil,
    reducers: [String: Reducer] = [:], dependencies: Dependencies = Dependencies(),
    context: DependencyContext = .live, clock: VirtualClock? = nil,
    configure: (inout ScriptHost.Configuration) -> Void = { _ in }
  ) throws {
    folder = try TemporaryFolder()
    for (name, source) in modules {
      let file = name.split(separator: ".").joined(separator: "/")
      try folder.write(Scripts.locals + source, to: "\(file).lua")
    }
    let heard = Heard()
    self.heard = heard
    var configuration = ScriptHost.Configuration(
      workers: workers, limits: Limits(memory: memoryLimit), reducers: reducers,
      dependencies: dependencies, context: context, clock: clock,
      onWarning: { warning in heard.warnings.withLock { $0.append(warning) } },
      onError: { error, action in heard.errors.withLock { $0.append((error, action)) } })
    configuration.warningLimit = nil
    configure(&configuration)
    host = try ScriptHost(root: folder.path, configuration: configuration)
  }

  /// A host whose only script is `app`.
  convenience init(app: String) throws { try self.init(["app": app]) }

  /// A store of the script `app`.
  func store(state: Value? = nil) throws -> Store { try host.store("app", state: state) }

  var warnings: [RuntimeWarning] { heard.warnings.withLock { $0 } }
  var errors: [ScriptError] { heard.errors.withLock { $0.map(\.error) } }
  var failedActions: [Action] { heard.errors.withLock { $0.map(\.action) } }
}

/// Keeps what handlers were given, in order.
final class Recorder<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  func record(_ element: Element) { elements.withLock { $0.append(element) } }

  var all: [Element] { elements.withLock { $0 } }
  var count: Int { elements.withLock { $0.count } }

  /// Forgets all of them, as who keeps what keeps it must in the end.
  func clear() { elements.withLock { $0 = [] } }
}

extension Store {
  /// The strings that scripts of tests collect in `state.log`.
  var log: [String] { state["log"].array?.compactMap(\.string) ?? [] }
}

/// What `body` throws as a script error; nil if it throws none.
func scriptError(_ body: () throws -> Void) -> ScriptError? {
  do {
    try body()
    return nil
  } catch {
    return error as? ScriptError
  }
}

// What tests of reloads do with scripts.
extension Scripts {
  /// Writes a module anew.
  func write(_ name: String, _ source: String) throws {
    let file = name.split(separator: ".").joined(separator: "/")
    try folder.write(Scripts.locals + source, to: "\(file).lua")
  }

  /// Removes a module's file.
  func remove(_ name: String) throws {
    let file = name.split(separator: ".").joined(separator: "/")
    try FileManager.default.removeItem(atPath: "\(folder.path)/\(file).lua")
  }

  /// Why the scripts cannot be reloaded; nil if they were.
  func refusal() -> ReloadError? {
    do throws(ReloadError) {
      try host.reload()
      return nil
    } catch {
      return error
    }
  }
}
