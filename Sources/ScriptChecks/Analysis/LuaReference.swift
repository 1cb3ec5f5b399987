import LuaSyntax

/// What an expression refers to: a module or a global, and the path of fields that is read from it.
struct LuaReference: Hashable {
  enum Root: Hashable {
    case module(String)
    case global(String)
  }

  let root: Root
  let fields: [String]

  static func global(_ name: String, _ fields: String...) -> LuaReference {
    LuaReference(root: .global(name), fields: fields)
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

extension LuaExpression {
  /// The most fields that a reference may have, and the most operators on a feature or an effect
  /// that are followed. Each query walks the whole chain, so an unbounded chain would make the
  /// analysis quadratic.
  static let maximumSteps = 100

  /// The function literal that the expression refers to.
  var functionLiteral: LuaFunctionBody? {
    if case .function(let body) = resolved.kind { body } else { nil }
  }

  /// The table literal that the expression refers to.
  var tableLiteral: LuaExpression? {
    if case .table = resolved.kind { resolved } else { nil }
  }

  /// The fields of the table literal that the expression refers to.
  var tableFields: [(key: LuaExpression?, value: LuaExpression)]? {
    if case .table(let fields) = resolved.kind { fields } else { nil }
  }

  /// The first element of the table literal that the expression refers to; nil if there is none.
  var firstElement: LuaExpression? { tableFields?.first { $0.key == nil }?.value }

  /// The name of the value's type, if it is sure.
  var typeName: String? {
    switch resolved.kind {
    case .string: "string"
    case .function: "function"
    case .table: "table"
    case .constant(let type): type
    default: nil
    }
  }

  /// The arguments of a call of this function; nil for all other expressions.
  func arguments(of function: LuaReference) -> [LuaExpression]? {
    guard case .call(let callee, let arguments) = kind, LuaReference(callee) == function else {
      return nil
    }
    return arguments
  }

  /// The table that `scripted.array` gets, for a call of it; else the expression itself.
  var withoutArray: LuaExpression {
    arguments(of: .scripted("array"))?.first ?? self
  }

  /// Whether the expression may have several values, or none.
  var mayBeSeveral: Bool {
    switch kind {
    case .call, .method, .varargs: true
    default: false
    }
  }

  /// The expression that methods are called on: `feature` in `feature:ifLet(…):forEach(…)`.
  var methodRoot: LuaExpression {
    var current = resolved
    for _ in 0..<Self.maximumSteps {
      guard case .method(let receiver, _, _) = current.kind else { break }
      current = receiver.resolved
    }
    return current
  }

  /// Whether an expression with a method `view` is a reducer: one that `scripted` makes, or a module.
  var mayBeReducer: Bool {
    guard case .call(let callee, _) = methodRoot.kind, let reference = LuaReference(callee) else {
      return false
    }
    return reference == .global("require") || reference.root == .module("scripted")
  }

  /// The expression that fields with constant names are read from, and the names on the way: `action`
  /// and `["user", "name"]` for `action.user.name`. Nil if a name is not constant.
  var fieldPath: (base: LuaExpression, names: [String])? {
    var names: [String] = []
    var current = self
    while case .index(let base, let key) = current.kind {
      guard let name = key.string, names.count < Self.maximumSteps else { return nil }
      names.append(name)
      current = base.resolved
    }
    return (current, names.reversed())
  }
}
