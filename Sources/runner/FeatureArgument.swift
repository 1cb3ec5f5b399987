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

  /// A store of it; the keys of `overrides` replace those of the feature's initial state.
  ///
  /// Actions bring their warnings and errors with them, so only those are handled here that come up
  /// before the first action.
  func store(overriding overrides: Value?) throws(ExitCode) -> Store {
    let configuration = ScriptHost.Configuration(
      onWarning: { warning in
        if warning.action == nil { StandardStreams.error("warning: \(warning)") }
      },
      onError: nil)
    do throws(ScriptError) {
      return try ScriptHost(root: root, configuration: configuration).store(name, state: overrides)
    } catch {
      throw fail(.noInput, describe(error))
    }
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
