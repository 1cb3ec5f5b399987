/// The content of a script, in the order of the text.
package struct LuaChunk {
  package struct Return {
    package let function: LuaFunctionBody
    package let values: [LuaExpression]
  }

  /// Retains all other objects of the chunk.
  let anchor = SyntaxAnchor()
  package let body = LuaFunctionBody(in: nil)
  /// The uses of undeclared names, each with the names of the locals visible at that position.
  package var globals: [(expression: LuaExpression, locals: [String])] = []
  /// The names of all locals of the script.
  package var locals: Set<String> = []
  /// The locals that are declared with a value. Not those of `local function`.
  package var variables: [LuaVariable] = []
  package var calls: [LuaExpression] = []
  package var indexes: [LuaExpression] = []
  /// The calls that stand as statements, whose results are dropped.
  package var statements: [LuaExpression] = []
  /// The `return` statements. Those of the chunk and of all its functions are in one list, because a
  /// function that retained expressions would be retained by them.
  package var returns: [Return] = []
  /// The assignments that have a value at the position of the target.
  package var assignments: [(target: LuaExpression, value: LuaExpression)] = []
  /// The functions, as expressions.
  package var functions: [LuaExpression] = []
  /// The table literals.
  package var tables: [LuaExpression] = []
  /// The constant keys of table literals.
  package var keys: [LuaExpression] = []
  /// The texts of all comments.
  package var comments: [String] = []
  /// The string literals, without constant keys of tables.
  package var strings: [String] = []
  /// The main chunk reads `...`. A stub gets `deps` there.
  package var usesArguments = false
}

/// An expression of a script, with resolved names. Only the facts about assignments and
/// declarations remain of the statements.
package final class LuaExpression {
  package enum Kind {
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

  package private(set) var kind: Kind
  package let position: SourcePosition
  /// The position where a call's arguments or an index's key begins. Lua reports a call of several
  /// lines at `position` or at this position.
  package let detail: SourcePosition
  /// The function that contains this expression.
  package let function: LuaFunctionBody
  /// True for a target of an assignment.
  package var isAssigned = false

  init(
    _ kind: Kind, _ position: SourcePosition, detail: SourcePosition? = nil,
    in function: LuaFunctionBody
  ) {
    self.kind = kind
    self.position = position
    self.detail = detail ?? position
    self.function = function
  }

  package var string: String? {
    if case .string(let text) = kind { text } else { nil }
  }

  /// The value of a field with a constant string key in a table literal. The last such field
  /// counts.
  package func field(_ name: String) -> LuaExpression? {
    guard case .table(let fields) = kind else { return nil }
    return fields.last { $0.key?.string == name }?.value
  }

  /// Calls `body` with this expression and its subexpressions, without the bodies of functions.
  /// Iterative, since subexpressions may be nested as deeply as the text is long.
  package func visit(_ body: (LuaExpression) -> Void) {
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
  package var resolved: LuaExpression {
    guard case .local(let variable) = kind else { return self }
    return variable.resolved ?? self
  }

  /// Releases the subexpressions. See ``SyntaxAnchor``.
  func releaseParts() { kind = .other([]) }
}

/// A local variable or a parameter.
package final class LuaVariable {
  package let name: String
  /// The expression that initializes the variable in its declaration.
  package var initial: LuaExpression?
  /// The list or table whose elements the variable has, of `for _, x in ipairs(list)`.
  package var elementOf: LuaExpression?
  /// True if a later statement assigns a value to the variable.
  package var isAssigned = false
  /// True if an expression or an assignment names the variable.
  package var isUsed = false

  init(_ name: String) { self.name = name }

  /// The value that the variable always has, found through all locals in between; nil if it is
  /// unknown.
  package private(set) var resolved: LuaExpression?

  /// Finds the value when the whole script is parsed, because a later assignment makes it unknown.
  /// The variables that were declared before have theirs.
  func resolve() {
    guard !isAssigned, let initial else { return }
    resolved =
      if case .local(let other) = initial.kind { other.resolved ?? initial } else { initial }
  }

  func releaseParts() {
    initial = nil
    elementOf = nil
    resolved = nil
  }
}

/// A function of a script, or the main chunk.
package final class LuaFunctionBody {
  package let parent: LuaFunctionBody?
  package var parameters: [LuaVariable] = []
  /// Whether `...` stands behind the parameters.
  package var isVariadic = false

  /// True for the main chunk.
  package var isMain: Bool { parent == nil }

  init(in parent: LuaFunctionBody?) { self.parent = parent }

  /// This function and the functions that enclose it, innermost first.
  package var enclosing: UnfoldFirstSequence<LuaFunctionBody> {
    sequence(first: self) { $0.parent }
  }
}

/// Retains all expressions and variables of a script. An expression retains its subexpressions, so
/// releasing the root could recurse as deeply as the text is long and overflow the stack. `deinit`
/// removes the references between objects first, so each object is released without recursion.
final class SyntaxAnchor {
  private var expressions: [LuaExpression] = []
  private var variables: [LuaVariable] = []

  func add(_ expression: LuaExpression) { expressions.append(expression) }
  func add(_ variable: LuaVariable) { variables.append(variable) }

  func resolveVariables() { for variable in variables { variable.resolve() } }

  deinit {
    for variable in variables { variable.releaseParts() }
    for expression in expressions { expression.releaseParts() }
  }
}
