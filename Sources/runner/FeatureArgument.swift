import ArgumentParser
import LuaBridge
import ScriptedStore

/// The feature that the command line names, by module name or path.
struct FeatureArgument {
  let name: String
  let root: String

  init(_ name: String, root: String?) {
    self.name = name
    self.root = root ?? (name.hasSuffix(".lua") ? Self.folder(of: name) : "scripts")
  }

  /// A store of it. `overrides` replaces the initial state: an object its top-level keys, anything
  /// else all of it.
  func store(overriding overrides: Value?) throws(ExitCode) -> Store {
    do {
      let host = try ScriptHost(root: root)
      let store = try host.store(name)
      guard let overrides else { return store }
      return try host.store(name, state: Self.replace(store.state, by: overrides))
    } catch let error as ScriptError {
      throw fail(.noInput, describe(error))
    } catch {
      throw fail(.noInput, "\(error)")
    }
  }

  private static func replace(_ state: Value, by overrides: Value) -> Value {
    guard case .object(var object) = state, case .object(let replacements) = overrides else {
      return overrides
    }
    for (key, value) in replacements { object[key] = value }
    return .object(object)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// What happened, where, and the calls that led there.
func describe(_ error: ScriptError) -> String {
  guard let traceback = error.traceback else { return "\(error)" }
  return "\(error)\n\(traceback)"
}
