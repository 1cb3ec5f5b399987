/// The content of a script, in the order of the text.
struct LuaChunk {
  /// Retains all other objects of the chunk.
  let anchor = SyntaxAnchor()
  let body = LuaFunctionBody(in: nil)
  /// The uses of undeclared names, each with the names of the locals visible at that position.
  var globals: [(expression: LuaExpression, locals: [String])] = []
  /// The names of all locals of the script.
  var locals: Set<String> = []
  var calls: [LuaExpression] = []
  var indexes: [LuaExpression] = []
  /// The string literals, without constant keys of tables.
  var strings: [String] = []
  /// The main chunk reads `...`. A stub gets `deps` there.
  var usesArguments = false
}
