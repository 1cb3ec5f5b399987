import ArgumentParser
import ScriptValue
import ScriptedStore

/// One argument of `--dependency`: the path of a dependency or a member, and the dependency that
/// replaces it.
struct DependencyReplacement {
  let path: [String]
  let dependency: Dependency

  init(_ argument: String) throws {
    guard let equals = argument.firstIndex(of: "=") else {
      throw ValidationError(
        "give name.member=@script.lua, or JSON behind the =")
    }
    let name = argument[..<equals]
    path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !path.contains("") else {
      throw ValidationError("'\(name)' is neither a name nor the path of a member")
    }
    let replacement = argument[argument.index(after: equals)...]
    if replacement.hasPrefix("@") {
      dependency = .script(file: String(replacement.dropFirst()))
      return
    }
    do {
      dependency = .value(try Value(json: String(replacement)))
    } catch {
      throw ValidationError(
        "what stands behind the = is neither @ and the path of a script nor JSON: "
          + "\(error.message) at column \(error.column)")
    }
  }

  /// Merges the replacements into one override for each dependency. Throws if one path is a prefix
  /// of another one.
  static func merge(_ replacements: [DependencyReplacement]) throws -> [String: Dependency] {
    var merged: [String: Dependency] = [:]
    for (index, replacement) in replacements.enumerated() {
      let path = replacement.path
      for other in replacements[..<index]
      where path.starts(with: other.path) || other.path.starts(with: path) {
        throw ValidationError(
          "--dependency: \(path.joined(separator: ".")) and \(other.path.joined(separator: ".")) cannot both be "
            + "replaced")
      }
      merged[path[0]] = replacement.dependency.nested(path.dropFirst(), in: merged[path[0]])
    }
    return merged
  }
}

extension Dependency {
  /// Returns `client`, with this dependency as the member at `path`. Other members are unchanged.
  fileprivate func nested(_ path: ArraySlice<String>, in client: Dependency?) -> Dependency {
    guard let member = path.first else { return self }
    var client = client ?? .client([:])
    client[member] = nested(path.dropFirst(), in: client[member])
    return client
  }
}
