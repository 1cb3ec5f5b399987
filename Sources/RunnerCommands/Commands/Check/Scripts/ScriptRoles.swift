import ScriptedStore

/// The role in which each script is loaded: module, test or stub.
struct ScriptRoles {
  private let byName: [String: ScriptInspection.Role]

  /// Gives each script its role:
  ///
  /// - test: a test file, or a module that requires `scripted.test`, `busted`, `luassert` or a test
  ///   file, directly or through other modules;
  /// - stub: a script that reads `...` and that no script requires;
  /// - module: all other scripts.
  init(_ scripts: [ScriptFile]) {
    let required = Dictionary(
      scripts.map { ($0.file.name, Set($0.analysis?.required.map(\.name) ?? [])) },
      uniquingKeysWith: { $1 })
    var testing = Set(scripts.filter(\.isTest).flatMap(\.moduleNames))
    testing.formUnion(["scripted.test", "busted", "luassert"])
    // The scripts that require each module, to propagate `testing` from a module to the scripts
    // that require it.
    var users: [String: [ScriptFile]] = [:]
    var new = Array(testing)
    for script in scripts {
      for name in required[script.file.name] ?? [] {
        users[name, default: []].append(script)
        if name.hasPrefix("luassert.") && testing.insert(name).inserted { new.append(name) }
      }
    }
    while let name = new.popLast() {
      for user in users[name] ?? [] {
        for module in user.moduleNames where testing.insert(module).inserted { new.append(module) }
      }
    }
    let modules = required.values.reduce(into: Set()) { $0.formUnion($1) }
    byName = Dictionary(
      scripts.map { script in
        let names = script.moduleNames
        let role: ScriptInspection.Role =
          if script.isTest || names.contains(where: testing.contains) {
            .test
          } else if script.analysis?.chunk.usesArguments == true,
            !names.contains(where: modules.contains)
          {
            .stub
          } else {
            .module
          }
        return (script.file.name, role)
      }, uniquingKeysWith: { $1 })
  }

  subscript(script: ScriptFile) -> ScriptInspection.Role { byName[script.file.name] ?? .module }
}
