import LuaSyntax

/// An expression of a script, with resolved names. Only the facts about assignments and
/// declarations remain of the statements.
final class LuaExpression {
  enum Kind {
    case string(String)
    case varargs
    case function(LuaFunctionBody)
    case local(LuaVariable)
    case global(String)
    case index(LuaExpression, key: LuaExpression)
    case call(LuaExpression, [LuaExpression])
    /// `receiver:name(…)`.
    case method(LuaExpression, String, [LuaExpression])
    case table([(key: LuaExpression?, value: LuaExpression)])
    /// `nil`, a boolean or a number, by the name of its type.
    case constant(String)
    /// `#operand`.
    case length(LuaExpression)
    /// The operands of any other operator expression.
    case other([LuaExpression])
  }

  private(set) var kind: Kind
  let position: SourcePosition
  /// The position where a call's arguments or an index's key begins. Lua reports a call of several
  /// lines at `position` or at this position.
  let detail: SourcePosition
  /// The function that contains this expression.
  let function: LuaFunctionBody
  /// True for a target of an assignment.
  var isAssigned = false

  init(
    _ kind: Kind, _ position: SourcePosition, detail: SourcePosition? = nil,
    in function: LuaFunctionBody
  ) {
    self.kind = kind
    self.position = position
    self.detail = detail ?? position
    self.function = function
  }

  var string: String? {
    if case .string(let text) = kind { text } else { nil }
  }

  /// The value of a field with a constant string key in a table literal. The last such field
  /// counts.
  func field(_ name: String) -> LuaExpression? {
    guard case .table(let fields) = kind else { return nil }
    return fields.last { $0.key?.string == name }?.value
  }

  /// Calls `body` with this expression and its subexpressions, without the bodies of functions.
  /// Iterative, since subexpressions may be nested as deeply as the text is long.
  func visit(_ body: (LuaExpression) -> Void) {
    var rest = [self]
    while let expression = rest.popLast() {
      body(expression)
      rest += expression.parts.reversed()
    }
  }

  private var parts: [LuaExpression] {
    switch kind {
    case .string, .varargs, .function, .local, .global, .constant: []
    case .length(let operand): [operand]
    case .index(let base, let key): [base, key]
    case .call(let callee, let arguments): [callee] + arguments
    case .method(let receiver, _, let arguments): [receiver] + arguments
    case .table(let fields): fields.flatMap { [$0.key, $0.value].compactMap(\.self) }
    case .other(let operands): operands
    }
  }

  /// The expression that this one refers to: for a local, its initial value if it is known,
  /// otherwise the expression itself. A parameter has no initial value.
  var resolved: LuaExpression {
    guard case .local(let variable) = kind else { return self }
    return variable.resolved ?? self
  }

  /// Releases the subexpressions. See ``SyntaxAnchor``.
  func releaseParts() { kind = .other([]) }
}
