import LuaSyntax

/// Parses a script that Lua has compiled, and resolves its names by Lua's scope rules.
///
/// Statements are not stored. The result has the expressions, and records which variables are
/// declared and assigned. Operator precedence is ignored.
struct LuaParser {
  private var lexer: LuaLexer
  private(set) var token = LuaLexer.Token.end
  private(set) var position = SourcePosition(offset: 0, line: 1)
  private var ahead: (token: LuaLexer.Token, position: SourcePosition)?
  var chunk = LuaChunk()
  /// The function that is being read.
  private(set) var function: LuaFunctionBody
  /// The number of nested statements and expressions at this point. It is bounded by `maximumDepth`,
  /// so that a script cannot overflow the stack.
  private var depth = 0
  /// The same bound as Lua's own parser has (`LUAI_MAXCCALLS`).
  private static let maximumDepth = 200
  /// The most suffixes on one expression, as in `a.b(c)[d]`. Each suffix retains the expression
  /// before it, so this bounds the depth of the nested objects.
  static let maximumSuffixes = 1000
  /// The most names of locals recorded for each global, innermost first. Lua allows no more than
  /// 200 locals in a function.
  private static let maximumRecordedLocals = 200
  /// The locals of the enclosing blocks, innermost last.
  private var blocks: [[String: LuaVariable]] = [[:]]

  static func parse(_ source: [UInt8]) throws(LuaSyntaxError) -> LuaChunk {
    var parser = LuaParser(source)
    try parser.advance()
    try parser.statements()
    guard parser.token == .end else { throw parser.failure }
    parser.chunk.comments = parser.lexer.comments
    return parser.chunk
  }

  private init(_ source: [UInt8]) {
    lexer = LuaLexer(source)
    function = chunk.body
  }

  // MARK: Words

  var failure: LuaSyntaxError { LuaSyntaxError(position: position) }

  mutating func advance() throws(LuaSyntaxError) {
    if let next = ahead {
      (token, position) = next
      ahead = nil
    } else {
      (token, position) = try lexer.next()
    }
  }

  mutating func next() throws(LuaSyntaxError) -> LuaLexer.Token {
    if ahead == nil {
      let (token, position) = try lexer.next()
      ahead = (token, position)
    }
    return ahead?.token ?? .end
  }

  func isAt(_ symbol: String) -> Bool { token == .symbol(symbol) }

  /// Advances past a symbol if it is the current token.
  mutating func accept(_ symbol: String) throws(LuaSyntaxError) -> Bool {
    guard isAt(symbol) else { return false }
    try advance()
    return true
  }

  mutating func expect(_ symbol: String) throws(LuaSyntaxError) {
    guard try accept(symbol) else { throw failure }
  }

  mutating func name() throws(LuaSyntaxError) -> String {
    guard case .name(let name) = token else { throw failure }
    try advance()
    return name
  }

  mutating func descend() throws(LuaSyntaxError) {
    depth += 1
    if depth > Self.maximumDepth { throw failure }
  }

  mutating func ascend() { depth -= 1 }

  // MARK: Scopes

  mutating func enterBlock() { blocks.append([:]) }
  mutating func leaveBlock() { blocks.removeLast() }

  /// Begins a function within the current one. Returns the current one, for ``leaveFunction(to:)``.
  mutating func enterFunction() -> LuaFunctionBody {
    let outer = function
    function = LuaFunctionBody(in: outer)
    enterBlock()
    return outer
  }

  mutating func leaveFunction(to outer: LuaFunctionBody) {
    leaveBlock()
    function = outer
  }

  // MARK: Names

  @discardableResult
  mutating func declare(_ name: String) -> LuaVariable {
    let variable = LuaVariable(name)
    chunk.anchor.add(variable)
    chunk.locals.insert(name)
    blocks[blocks.count - 1][name] = variable
    return variable
  }

  private func local(_ name: String) -> LuaVariable? {
    for block in blocks.reversed() {
      if let variable = block[name] { return variable }
    }
    return nil
  }

  mutating func resolve(_ name: String, _ position: SourcePosition) -> LuaExpression {
    if let variable = local(name) {
      variable.isUsed = true
      return make(.local(variable), position)
    }
    // Lua reads a global as a field of the variable `_ENV`.
    if let environment = local("_ENV") {
      return make(
        .index(make(.local(environment), position), key: make(.string(name), position)), position)
    }
    let expression = make(.global(name), position)
    let known = blocks.reversed().lazy.joined().prefix(Self.maximumRecordedLocals).map(\.key)
    chunk.globals.append((expression, Array(known)))
    return expression
  }

  /// Makes an expression of the function that is being read.
  ///
  /// Mutating, so that Swift evaluates the arguments, which may parse further, before it accesses
  /// the parser. For a method that does not mutate, it would copy the parser first, and the next
  /// append to a list of the chunk would copy the list.
  mutating func make(
    _ kind: LuaExpression.Kind, _ position: SourcePosition, detail: SourcePosition? = nil
  ) -> LuaExpression {
    let expression = LuaExpression(kind, position, detail: detail, in: function)
    chunk.anchor.add(expression)
    return expression
  }
}
