import LuaSyntax

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
      try advance()
      let keyStart = position
      let key = make(.string(try name()), keyStart)
      target = make(.index(target, key: key), start, detail: keyStart)
      chunk.indexes.append(target)
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
