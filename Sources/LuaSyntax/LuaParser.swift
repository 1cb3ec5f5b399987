/// Parses a script that Lua has compiled, and resolves its names by Lua's scope rules.
///
/// Statements are not stored. The result has the expressions, and records which variables are
/// declared and assigned. Operator precedence is ignored.
package struct LuaParser {
  private var lexer: LuaLexer
  private(set) var token = LuaLexer.Token.end
  private(set) var position = SourcePosition(offset: 0, line: 1)
  private var ahead: (LuaLexer.Token, SourcePosition)?
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

  package static func parse(_ source: [UInt8]) throws(LuaSyntaxError) -> LuaChunk {
    var parser = LuaParser(source)
    try parser.advance()
    try parser.statements()
    guard parser.token == .end else { throw parser.failure }
    parser.chunk.comments = parser.lexer.comments
    parser.chunk.anchor.resolveVariables()
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
    let next = if let ahead { ahead } else { try lexer.next() }
    ahead = next
    return next.0
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

extension LuaParser {
  mutating func expressions() throws(LuaSyntaxError) -> [LuaExpression] {
    var list = [try expression()]
    while try accept(",") { list.append(try expression()) }
    return list
  }

  private static let unary: Set = ["not", "-", "#", "~"]
  private static let binary: Set = [
    "or", "and", "<", ">", "<=", ">=", "~=", "==", "|", "~", "&", "<<", ">>", "..", "+", "-", "*",
    "/", "//", "%", "^",
  ]

  /// Reads operands and operators. Precedence does not matter here, so the operands become one flat
  /// list.
  mutating func expression() throws(LuaSyntaxError) -> LuaExpression {
    try descend()
    defer { ascend() }
    let start = position
    var operands: [LuaExpression] = []
    var operators: [String] = []
    while true {
      while case .symbol(let symbol) = token, Self.unary.contains(symbol) {
        operators.append(symbol)
        try advance()
      }
      operands.append(try simpleExpression())
      guard case .symbol(let symbol) = token, Self.binary.contains(symbol) else { break }
      operators.append(symbol)
      try advance()
    }
    if operators.isEmpty { return operands[0] }
    return make(operators == ["#"] ? .length(operands[0]) : .other(operands), start)
  }

  private mutating func simpleExpression() throws(LuaSyntaxError) -> LuaExpression {
    let start = position
    switch token {
    case .number:
      try advance()
      return make(.constant("number"), start)
    case .symbol("nil"):
      try advance()
      return make(.constant("nil"), start)
    case .symbol("true"), .symbol("false"):
      try advance()
      return make(.constant("boolean"), start)
    case .string(let text):
      try advance()
      chunk.strings.append(text)
      return make(.string(text), start)
    case .symbol("..."):
      try advance()
      if function.isMain { chunk.usesArguments = true }
      return make(.varargs, start)
    case .symbol("{"): return try table()
    case .symbol("function"):
      try advance()
      return try functionBody(at: start, isMethod: false)
    default: return try suffixedExpression()
    }
  }

  /// Reads a name or an expression in parentheses, and its suffixes: fields, indices, method calls
  /// and calls.
  mutating func suffixedExpression() throws(LuaSyntaxError) -> LuaExpression {
    let start = position
    var result: LuaExpression
    if try accept("(") {
      result = try expression()
      try expect(")")
    } else {
      result = resolve(try name(), start)
    }
    for _ in 0..<Self.maximumSuffixes {
      let suffix = position
      switch token {
      case .symbol("."):
        result = try field(of: result, at: start)
      case .symbol("["):
        try advance()
        let key = try expression()
        try expect("]")
        result = make(.index(result, key: key), start, detail: key.position)
        chunk.indexes.append(result)
      case .symbol(":"):
        try advance()
        let method = try name()
        result = make(
          .method(result, method, try arguments()), start, detail: suffix)
        chunk.calls.append(result)
      case .symbol("("), .symbol("{"), .string:
        result = make(.call(result, try arguments()), start, detail: suffix)
        chunk.calls.append(result)
      default: return result
      }
    }
    throw failure
  }

  /// Reads a name behind the dot or colon that is the current token.
  private mutating func field(
    of base: LuaExpression, at start: SourcePosition
  ) throws(LuaSyntaxError) -> LuaExpression {
    try advance()
    let keyStart = position
    let key = make(.string(try name()), keyStart)
    let index = make(.index(base, key: key), start, detail: keyStart)
    chunk.indexes.append(index)
    return index
  }

  private mutating func arguments() throws(LuaSyntaxError) -> [LuaExpression] {
    if case .string = token { return [try simpleExpression()] }
    if isAt("{") { return [try table()] }
    try expect("(")
    if try accept(")") { return [] }
    let list = try expressions()
    try expect(")")
    return list
  }

  private mutating func table() throws(LuaSyntaxError) -> LuaExpression {
    let start = position
    try expect("{")
    var fields: [(key: LuaExpression?, value: LuaExpression)] = []
    while !isAt("}") {
      fields.append(try field())
      guard isAt(",") || isAt(";") else { break }
      try advance()
    }
    try expect("}")
    let literal = make(.table(fields), start)
    chunk.tables.append(literal)
    return literal
  }

  private mutating func field() throws(LuaSyntaxError) -> (
    key: LuaExpression?, value: LuaExpression
  ) {
    let start = position
    if try accept("[") {
      let texts = chunk.strings.count
      let key = try expression()
      if key.string != nil {
        chunk.strings.removeSubrange(texts...)
        chunk.keys.append(key)
      }
      try expect("]")
      try expect("=")
      return (key, try expression())
    }
    if case .name(let name) = token, try next() == .symbol("=") {
      try advance()
      try advance()
      let key = make(.string(name), start)
      chunk.keys.append(key)
      return (key, try expression())
    }
    return (nil, try expression())
  }

  mutating func functionBody(
    at start: SourcePosition, isMethod: Bool
  ) throws(LuaSyntaxError) -> LuaExpression {
    let outer = function
    let body = LuaFunctionBody(in: outer)
    function = body
    enterBlock()
    if isMethod { body.parameters.append(declare("self")) }
    try expect("(")
    while !isAt(")") {
      if try accept("...") {
        body.isVariadic = true
        break
      }
      body.parameters.append(declare(try name()))
      guard try accept(",") else { break }
    }
    try expect(")")
    try statements()
    try expect("end")
    leaveBlock()
    function = outer
    let literal = make(.function(body), start)
    chunk.functions.append(literal)
    return literal
  }
}

extension LuaParser {
  private mutating func block() throws(LuaSyntaxError) {
    enterBlock()
    try statements()
    leaveBlock()
  }

  mutating func statements() throws(LuaSyntaxError) {
    while !isAtBlockEnd {
      guard try accept("return") else {
        try statement()
        continue
      }
      let values = isAtBlockEnd || isAt(";") ? [] : try expressions()
      chunk.returns.append(LuaChunk.Return(function: function, values: values))
      _ = try accept(";")
      return
    }
  }

  private var isAtBlockEnd: Bool {
    switch token {
    case .end, .symbol("end"), .symbol("else"), .symbol("elseif"), .symbol("until"): true
    default: false
    }
  }

  private mutating func statement() throws(LuaSyntaxError) {
    try descend()
    defer { ascend() }
    guard case .symbol(let symbol) = token else { return try expressionStatement() }
    switch symbol {
    case ";", "break": try advance()
    case "::":
      try advance()
      _ = try name()
      try expect("::")
    case "do":
      try advance()
      try block()
      try expect("end")
    case "while":
      try advance()
      _ = try expression()
      try expect("do")
      try block()
      try expect("end")
    case "repeat":
      try advance()
      // The condition of `until` can use the locals of the block.
      enterBlock()
      try statements()
      try expect("until")
      _ = try expression()
      leaveBlock()
    case "if": try ifStatement()
    case "for": try forStatement()
    case "function": try functionStatement()
    case "local": try localStatement()
    case "goto":
      try advance()
      _ = try name()
    default: try expressionStatement()
    }
  }

  private mutating func ifStatement() throws(LuaSyntaxError) {
    repeat {
      try advance()
      _ = try expression()
      try expect("then")
      try block()
    } while isAt("elseif")
    if try accept("else") { try block() }
    try expect("end")
  }

  private mutating func forStatement() throws(LuaSyntaxError) {
    try advance()
    var names = [try name()]
    while try accept(",") { names.append(try name()) }
    if try !accept("=") { try expect("in") }
    let values = try expressions()
    try expect("do")
    enterBlock()
    let variables = names.map { declare($0) }
    if variables.count > 1, case .call(let callee, let arguments)? = values.first?.kind,
      case .global(let iterator) = callee.kind, ["ipairs", "pairs"].contains(iterator)
    {
      variables[1].elementOf = arguments.first
    }
    try block()
    leaveBlock()
    try expect("end")
  }

  private mutating func functionStatement() throws(LuaSyntaxError) {
    try advance()
    let start = position
    var target = resolve(try name(), start)
    var isMethod = false
    while isAt(".") || isAt(":") {
      isMethod = isAt(":")
      target = try field(of: target, at: start)
      if isMethod { break }
    }
    markAssigned(target)
    _ = try functionBody(at: start, isMethod: isMethod)
  }

  private mutating func localStatement() throws(LuaSyntaxError) {
    try advance()
    if try accept("function") {
      let start = position
      // The function can refer to itself by its name.
      let variable = declare(try name())
      variable.initial = try functionBody(at: start, isMethod: false)
      return
    }
    var names: [String] = []
    repeat {
      names.append(try name())
      if try accept("<") {
        _ = try name()
        try expect(">")
      }
    } while try accept(",")
    let values = try accept("=") ? try expressions() : []
    for (index, name) in names.enumerated() {
      let variable = declare(name)
      guard index < values.count else { continue }
      variable.initial = values[index]
      chunk.variables.append(variable)
    }
  }

  private mutating func expressionStatement() throws(LuaSyntaxError) {
    var targets = [try suffixedExpression()]
    guard isAt("=") || isAt(",") else {
      chunk.statements.append(targets[0])
      return
    }
    while try accept(",") { targets.append(try suffixedExpression()) }
    try expect("=")
    for target in targets { markAssigned(target) }
    for (target, value) in zip(targets, try expressions()) {
      chunk.assignments.append((target, value))
    }
  }

  private func markAssigned(_ target: LuaExpression) {
    target.isAssigned = true
    if case .local(let variable) = target.kind { variable.isAssigned = true }
  }
}
