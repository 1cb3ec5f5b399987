import LuaBridge

/// The dependencies that the scripts of one VM have declared with `scripted.dependency`.
final class DependencyDeclarations {
  typealias Declaration = ContextValues<LuaValue>

  private var declarations: [String: Declaration] = [:]
  private let taken: Set<String>

  /// - Parameter taken: the names of the host's dependencies, which scripts cannot declare.
  init(taken: Set<String>) { self.taken = taken }

  var names: [String] { Array(declarations.keys) }

  subscript(name: String) -> Declaration? { declarations[name] }

  /// Adds the function behind `scripted.dependency` to the natives, which the prelude uses.
  func addDeclaring(to natives: LuaTable) throws(ScriptError) {
    let declare = try natives.vm.makeFunction("scripted.dependency") { [weak self] arguments in
      if case .string(let name) = arguments.at(0), case .table(let definition) = arguments.at(1) {
        try self?.declare(name, definition)
      }
      return .values([])
    }
    try natives.set("declareDependency", to: .function(declare))
  }

  /// Adds or replaces a declaration. `definition` is the table from a script; the prelude has
  /// checked it.
  private func declare(_ name: String, _ definition: LuaTable) throws(ScriptError) {
    guard !taken.contains(name) else {
      throw ScriptError(
        "the host has a dependency '\(name)' already; override that with :dependency(\"\(name)\", …)"
      )
    }
    func value(_ key: LuaValue) throws(ScriptError) -> LuaValue? {
      let value = try definition.get(key)
      return value.isNil ? .none : .some(value)
    }
    guard let live = try value("live") else {
      throw ScriptError("the dependency '\(name)' has no live value")
    }
    declarations[name] = Declaration(
      live: live, preview: try value("preview"), test: try value("test"))
  }
}
