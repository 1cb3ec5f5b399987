import LuaSyntax

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
        try advance()
        let keyStart = position
        let key = make(.string(try name()), keyStart)
        result = make(.index(result, key: key), start, detail: keyStart)
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
    let outer = enterFunction()
    let body = function
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
    leaveFunction(to: outer)
    return make(.function(body), start)
  }
}
