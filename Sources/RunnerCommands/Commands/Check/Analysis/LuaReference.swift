/// What an expression refers to: a module or a global, and the path of fields that is read from it.
struct LuaReference: Hashable {
  enum Root: Hashable {
    case module(String)
    case global(String)
  }

  let root: Root
  let fields: [String]

  static func global(_ name: String) -> LuaReference {
    LuaReference(root: .global(name), fields: [])
  }

  static func global(_ name: String, _ field: String) -> LuaReference {
    LuaReference(root: .global(name), fields: [field])
  }

  static func scripted(_ fields: String...) -> LuaReference {
    LuaReference(root: .module("scripted"), fields: fields)
  }

  static func ui(_ field: String) -> LuaReference {
    LuaReference(root: .module("scripted.ui"), fields: [field])
  }

  private init(root: Root, fields: [String]) {
    self.root = root
    self.fields = fields
  }

  /// Follows an expression through locals and fields. Returns nil for other expressions than a
  /// module, a global, or fields of them with constant names.
  init?(_ expression: LuaExpression) {
    guard let path = expression.resolved.fieldPath else { return nil }
    fields = path.names
    switch path.base.kind {
    case .global(let name): root = .global(name)
    case .call(let callee, let arguments):
      guard case .global("require") = callee.kind, let name = arguments.first?.string else {
        return nil
      }
      root = .module(name)
    default: return nil
    }
  }
}
