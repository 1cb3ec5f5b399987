/// Retains all expressions and variables of a script. An expression retains its subexpressions, so
/// releasing the root could recurse as deeply as the text is long and overflow the stack. `deinit`
/// removes the references between objects first, so each object is released without recursion.
final class SyntaxAnchor {
  private var expressions: [LuaExpression] = []
  private var variables: [LuaVariable] = []

  func add(_ expression: LuaExpression) { expressions.append(expression) }
  func add(_ variable: LuaVariable) { variables.append(variable) }

  deinit {
    for variable in variables { variable.releaseParts() }
    for expression in expressions { expression.releaseParts() }
  }
}
