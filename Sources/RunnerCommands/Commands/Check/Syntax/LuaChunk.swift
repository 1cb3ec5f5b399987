/// The content of a script, in the order of the text.
struct LuaChunk {
  struct Return {
    let function: LuaFunctionBody
    let values: [LuaExpression]
  }

  /// Retains all other objects of the chunk.
  let anchor = SyntaxAnchor()
  let body = LuaFunctionBody(in: nil)
  /// The uses of undeclared names, each with the names of the locals visible at that position.
  var globals: [(expression: LuaExpression, locals: [String])] = []
  /// The names of all locals of the script.
  var locals: Set<String> = []
  /// The locals that are declared with a value. Not those of `local function`.
  var variables: [LuaVariable] = []
  var calls: [LuaExpression] = []
  var indexes: [LuaExpression] = []
  /// The calls that stand as statements, whose results are dropped.
  var statements: [LuaExpression] = []
  /// The `return` statements. Those of the chunk and of all its functions are in one list, because a
  /// function that retained expressions would be retained by them.
  var returns: [Return] = []
  /// The assignments that have a value at the position of the target.
  var assignments: [(target: LuaExpression, value: LuaExpression)] = []
  /// The table literals.
  var tables: [LuaExpression] = []
  /// The constant keys of table literals.
  var keys: [LuaExpression] = []
  /// The texts of all comments.
  var comments: [String] = []
  /// The string literals, without constant keys of tables.
  var strings: [String] = []
  /// The main chunk reads `...`. A stub gets `deps` there.
  var usesArguments = false
}
