/// Parses a script that Lua has compiled, and resolves its names by Lua's scope rules.
///
/// Statements are not stored. The result has the expressions, and records which variables are
/// declared and assigned. Operator precedence is ignored.
struct LuaParser {
  private var lexer: LuaLexer
  private var token = LuaLexer.Token.end
  private var position = SourcePosition(offset: 0, line: 1)
  private var ahead: (token: LuaLexer.Token, position: SourcePosition)?
  private var chunk = LuaChunk()
  private var function: LuaFunctionBody
  /// The number of nested statements and expressions at this point. It is bounded by `mostLevels`,
  /// so that a script cannot overflow the stack.
  private var depth = 0
  /// The same bound as Lua's own parser has (`LUAI_MAXCCALLS`).
  private static let mostLevels = 200
  /// The most suffixes on one expression, as in `a.b(c)[d]`. Each suffix retains the expression
  /// before it, so this bounds the depth of the nested objects.
  private static let mostSuffixes = 1000
  /// The most names of locals recorded for each global, innermost first. Lua allows no more than
  /// 200 locals in a function.
  private static let mostKnown = 200
  /// The locals of the enclosing blocks, innermost last.
  private var blocks: [[String: LuaVariable]] = [[:]]

  static func parse(_ source: [UInt8]) throws(LuaSyntaxError) -> LuaChunk {
    var parser = LuaParser(source)
    try parser.advance()
    try parser.statements()
    guard parser.token == .end else { throw parser.failure }
    return parser.chunk
  }

  private init(_ source: [UInt8]) {
    lexer = LuaLexer(source)
    function = chunk.body
  }

  // MARK: Words

  private var failure: LuaSyntaxError { LuaSyntaxError(position: position) }

  private mutating func advance() throws(LuaSyntaxError) {
    if let next = ahead {
      (token, position) = next
      ahead = nil
    } else {
      (token, position) = try lexer.next()
    }
  }

  private mutating func next() throws(LuaSyntaxError) -> LuaLexer.Token {
    if ahead == nil {
      let (token, position) = try lexer.next()
      ahead = (token, position)
    }
    return ahead?.token ?? .end
  }

  private func isAt(_ symbol: String) -> Bool { token == .symbol(symbol) }

  /// Advances past a symbol if it is the current token.
  private mutating func accept(_ symbol: String) throws(LuaSyntaxError) -> Bool {
    guard isAt(symbol) else { return false }
    try advance()
    return true
  }

  private mutating func expect(_ symbol: String) throws(LuaSyntaxError) {
    guard try accept(symbol) else { throw failure }
  }

  private mutating func name() throws(LuaSyntaxError) -> String {
    guard case .name(let name) = token else { throw failure }
    try advance()
    return name
  }

  private mutating func descend() throws(LuaSyntaxError) {
    depth += 1
    if depth > Self.mostLevels { throw failure }
  }

  // MARK: Names

  @discardableResult
  private mutating func declare(_ name: String) -> LuaVariable {
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

  private mutating func resolve(_ name: String, _ position: SourcePosition) -> LuaExpression {
    if let variable = local(name) { return make(.local(variable), position) }
    // Lua reads a global as a field of the variable `_ENV`.
    if let environment = local("_ENV") {
      return make(
        .index(make(.local(environment), position), key: make(.string(name), position)), position)
    }
    let expression = make(.global(name), position)
    let known = blocks.reversed().lazy.joined().prefix(Self.mostKnown).map(\.key)
    chunk.globals.append((expression, Array(known)))
    return expression
  }

  private func make(
    _ kind: LuaExpression.Kind, _ position: SourcePosition, detail: SourcePosition? = nil
  ) -> LuaExpression {
    let expression = LuaExpression(kind, position, detail: detail, in: function)
    chunk.anchor.add(expression)
    return expression
  }

  // MARK: Statements

  private mutating func block() throws(LuaSyntaxError) {
    blocks.append([:])
    try statements()
    blocks.removeLast()
  }

  private mutating func statements() throws(LuaSyntaxError) {
    while true {
      switch token {
      case .end, .symbol("end"), .symbol("else"), .symbol("elseif"), .symbol("until"): return
      case .symbol("return"):
        try advance()
        if !isAtBlockEnd && !isAt(";") { _ = try expressions() }
        _ = try accept(";")
        return
      default: try statement()
      }
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
    defer { depth -= 1 }
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
      blocks.append([:])
      try statements()
      try expect("until")
      _ = try expression()
      blocks.removeLast()
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
    _ = try expressions()
    try expect("do")
    blocks.append([:])
    for name in names { declare(name) }
    try block()
    blocks.removeLast()
    try expect("end")
  }

  private mutating func functionStatement() throws(LuaSyntaxError) {
    try advance()
    let start = position
    var target = resolve(try name(), start)
    var isMethod = false
    while isAt(".") || isAt(":") {
      isMethod = isAt(":")
      try advance()
      let place = position
      let key = make(.string(try name()), place)
      target = make(.index(target, key: key), start, detail: place)
      chunk.indexes.append(target)
      if isMethod { break }
    }
    noteAssignment(to: target)
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
      if index < values.count { variable.initial = values[index] }
    }
  }

  private mutating func expressionStatement() throws(LuaSyntaxError) {
    var targets = [try suffixedExpression()]
    guard isAt("=") || isAt(",") else { return }
    while try accept(",") { targets.append(try suffixedExpression()) }
    try expect("=")
    for target in targets { noteAssignment(to: target) }
    _ = try expressions()
  }

  private func noteAssignment(to target: LuaExpression) {
    target.isAssigned = true
    if case .local(let variable) = target.kind { variable.isAssigned = true }
  }

  // MARK: Expressions

  private mutating func expressions() throws(LuaSyntaxError) -> [LuaExpression] {
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
  private mutating func expression() throws(LuaSyntaxError) -> LuaExpression {
    try descend()
    defer { depth -= 1 }
    let start = position
    var operands: [LuaExpression] = []
    var isOperation = false
    while true {
      while case .symbol(let symbol) = token, Self.unary.contains(symbol) {
        isOperation = true
        try advance()
      }
      operands.append(try simpleExpression())
      guard case .symbol(let symbol) = token, Self.binary.contains(symbol) else { break }
      isOperation = true
      try advance()
    }
    return isOperation ? make(.other(operands), start) : operands[0]
  }

  private mutating func simpleExpression() throws(LuaSyntaxError) -> LuaExpression {
    let start = position
    switch token {
    case .number, .symbol("nil"), .symbol("true"), .symbol("false"):
      try advance()
      return make(.other([]), start)
    case .string(let text):
      try advance()
      chunk.strings.append(text)
      return make(.string(text), start)
    case .symbol("..."):
      try advance()
      if function === chunk.body { chunk.usesArguments = true }
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
  private mutating func suffixedExpression() throws(LuaSyntaxError) -> LuaExpression {
    let start = position
    var result: LuaExpression
    if try accept("(") {
      result = try expression()
      try expect(")")
    } else {
      result = resolve(try name(), start)
    }
    for _ in 0..<Self.mostSuffixes {
      let place = position
      switch token {
      case .symbol("."):
        try advance()
        let keyPlace = position
        let key = make(.string(try name()), keyPlace)
        result = make(.index(result, key: key), start, detail: keyPlace)
        chunk.indexes.append(result)
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
          .method(result, method, try arguments()), start, detail: place)
        chunk.calls.append(result)
      case .symbol("("), .symbol("{"), .string:
        result = make(.call(result, try arguments()), start, detail: place)
        chunk.calls.append(result)
      default: return result
      }
    }
    throw failure
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
    return make(.table(fields), start)
  }

  private mutating func field() throws(LuaSyntaxError) -> (
    key: LuaExpression?, value: LuaExpression
  ) {
    let start = position
    if try accept("[") {
      let texts = chunk.strings.count
      let key = try expression()
      if key.string != nil { chunk.strings.removeSubrange(texts...) }
      try expect("]")
      try expect("=")
      return (key, try expression())
    }
    if case .name(let name) = token, try next() == .symbol("=") {
      try advance()
      try advance()
      return (make(.string(name), start), try expression())
    }
    return (nil, try expression())
  }

  private mutating func functionBody(
    at start: SourcePosition, isMethod: Bool
  ) throws(LuaSyntaxError) -> LuaExpression {
    let outer = function
    let body = LuaFunctionBody(in: outer)
    function = body
    blocks.append([:])
    if isMethod { body.parameters.append(declare("self")) }
    try expect("(")
    while !isAt(")") {
      if try accept("...") { break }
      body.parameters.append(declare(try name()))
      guard try accept(",") else { break }
    }
    try expect(")")
    try statements()
    try expect("end")
    blocks.removeLast()
    function = outer
    return make(.function(body), start)
  }
}
