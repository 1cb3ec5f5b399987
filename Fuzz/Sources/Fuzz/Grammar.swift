/// A script of nasty calls. It knows a draft as `s`, and `scripted`, `effect` and `clock`.
struct Grammar {
  private var choices: Choices
  private var depth = 0
  private var labels = 0

  init(_ choices: Choices) { self.choices = choices }

  mutating func script() -> String {
    var text = """
      local s, scripted, effect, clock = ...
      local a, b, c, d = {}, "text", 7, function(...) return ... end

      """
    repeat {
      // A mistake seldom ends the script.
      let statement = statement()
      text +=
        choices.number(below: 16) == 0
        ? statement + "\n" : "pcall(function(...) \(statement) end, ...)\n"
    } while !choices.isAtEnd && text.utf8.count < 3_000
    return text + "return \(choices.number(below: 4) == 0 ? value() : effect())\n"
  }

  private mutating func nested(_ make: (inout Grammar) -> String, else plain: String) -> String {
    guard depth < 4 else { return plain }
    depth += 1
    defer { depth -= 1 }
    return make(&self)
  }

  // MARK: Statements

  private mutating func block() -> String {
    nested(
      { grammar in
        (0...grammar.choices.number(below: 3)).map { _ in grammar.statement() }
          .joined(separator: " ")
      }, else: "")
  }

  private mutating func function() -> String {
    choices.number(below: 4) == 0
      ? name() : "function(...) \(block()) return \(choices.byte() < 128 ? "..." : value()) end"
  }

  private mutating func statement() -> String {
    switch choices.number(below: 32) {
    case 0: "\(name()) = \(value())"
    case 1, 2, 3, 4, 5: "\(name()) = \(call())"
    case 6: "pcall(\(function()), \(value()))"
    case 7: "xpcall(\(function()), \(function()), \(value()))"
    case 8, 9: "\(place()) = \(value())"
    case 10: "for i = \(value()), \(value()), \(value()) do \(block()) end"
    case 11: "for i, v in ipairs(\(table())) do a = v \(block()) end"
    case 12: "for k, v in pairs(\(table())) do \(block()) b = k end"
    case 13: "for k in next, \(table()) do \(place()) = k end"
    case 14: "for k in \(value()), \(value()), \(value()), \(value()) do \(block()) end"
    case 15: "while \(value()) do \(block()) break end"
    case 16: "repeat \(block()) until \(choices.byte() < 224 ? "true" : value())"
    case 17:
      "do local x <close> = setmetatable({}, { __close = \(function()) }) \(block()) end"
    case 18: "do local x <close>, y <const> = \(value()), \(value()) a = y \(block()) end"
    case 19, 20: "a = setmetatable(\(table()), \(metatable()))"
    case 21: "a = {} setmetatable(a, a) a.\(metamethod()) = \(value()) a.x = a.y"
    case 22: "pcall(error, \(value()), \(value()))"
    case 23: "error(\(value()), \(value()))"
    case 24: "local function f(...) \(block()) return f(...) end pcall(f, \(value()))"
    case 25: "local function f(...) \(block()) return f(..., \(value())) end xpcall(f, f)"
    case 26: loop()
    case 27, 28: edge()
    case 29: "\(list())"
    case 30: "c = \(choices.pick(["-", "~", "#", "not "]))\(value())"
    default: "c = \(value()) \(choices.pick(Grammar.operators)) \(value())"
    }
  }

  /// With `goto`, at most as often as a byte says.
  private mutating func loop() -> String {
    labels += 1
    let label = "l\(labels)"
    return """
      do local n = 0 ::\(label):: n = n + 1 \(block()) \
      if n < \(choices.byte()) then goto \(label) end end
      """
  }

  /// Of library functions that take numbers to where they end.
  private mutating func edge() -> String {
    switch choices.number(below: 16) {
    case 0: "table.move(\(table()), \(small()), \(small()), \(number()), \(table()))"
    case 1: "table.move(\(table()), \(number()), \(number()), \(number()))"
    case 2: "table.insert(\(table()), \(number()), \(value()))"
    case 3: "table.remove(\(table()), \(number()))"
    case 4: "b = table.concat(\(table()), \(value()), \(number()), \(number()))"
    case 5: "table.unpack(\(table()), \(number()), \(number()))"
    case 6: "table.sort(\(table()), \(function()))"
    case 7: "b = string.rep(\(value()), \(number()), \(value()))"
    case 8: "b = (\(text())):sub(\(number()), \(number()))"
    case 9: "b = string.pack(\(format()), \(value()), \(value()))"
    case 10: "c = string.unpack(\(format()), \(value()), \(number()))"
    case 11:
      "b = (\(text())):\(choices.pick(["find", "match", "gmatch"]))(\(pattern()), \(number()))"
    case 12: "b = string.gsub(\(value()), \(pattern()), \(value()), \(number()))"
    case 13:
      "c = utf8.\(choices.pick(["codepoint", "len", "offset"]))(\(text()), \(number()), \(number()))"
    case 14: "b = os.date(\(date()), \(number()))"
    default: "b = load(\(source()), \(value()), \(choices.pick(["'t'", "'b'", "nil"])), \(value()))"
    }
  }

  private mutating func list() -> String {
    "c = scripted.list.\(choices.pick(Grammar.lists))(\(table()), \(value()), \(value()))"
  }

  private mutating func effect() -> String {
    switch choices.number(below: 12) {
    case 0: "nil"
    case 1: "effect.none"
    case 2: "effect.run(\(body()))"
    case 3: "effect.send(\(choices.pick(["'again'", "'run'", "{ type = 'again' }", "a"])))"
    case 4: "effect.merge({ \(nestedEffect()), \(nestedEffect()) })"
    case 5: "effect.concatenate(\(nestedEffect()), \(nestedEffect()))"
    case 6: "effect.cancel(\(value()))"
    case 7: "(\(nestedEffect())):cancellable(\(value()), { cancelInFlight = true })"
    case 8: "(\(nestedEffect())):\(choices.pick(["debounce", "throttle"]))(\(value()), \(value()))"
    case 9: "(\(nestedEffect())):map(\(function()))"
    case 10: "effect.run(\(body())):cancellable(\"id\")"
    default: "effect.run(\(body()))"
    }
  }

  private mutating func nestedEffect() -> String { nested({ $0.effect() }, else: "effect.none") }

  private mutating func body() -> String {
    let waits = [
      "clock.sleep(\(number()))", "clock.sleep(1)", "effect.yield()",
      "effect.timeout(1, \(function()))", "effect.all { \(function()), \(function()) }",
      "effect.race { \(function()), \(function()) }",
      "a = effect.result(\(function()), \(value()))", "send(\"again\")", "send(\(value()))",
      "effect.withCancellation(\(value()), \(function()))", "a = effect.isCancelled()",
    ]
    return "function(send) \(block()) \(choices.pick(waits)) \(block()) \(choices.pick(waits)) end"
  }

  // MARK: Values

  private mutating func name() -> String { choices.pick(["a", "b", "c", "d"]) }

  private mutating func place() -> String {
    switch choices.number(below: 8) {
    case 0: "a[\(value())]"
    case 1: "a.x"
    case 2: "s.x"
    case 3: "s[\(value())]"
    case 4: "s.list[\(small())]"
    case 5: "s.rows[\(small())].\(choices.pick(["id", "x"]))"
    case 6: "s.object.\(choices.pick(["a", "b", "c"]))"
    default: "a[#a + 1]"
    }
  }

  private mutating func metamethod() -> String { choices.pick(Grammar.metamethods) }

  private mutating func metatable() -> String {
    switch choices.number(below: 6) {
    case 0: "a"
    case 1: "{ \(metamethod()) = \(value()) }"
    case 2: "{ \(metamethod()) = \(function()), \(metamethod()) = \(function()) }"
    case 3: "{ __index = a, __newindex = a, \(metamethod()) = \(value()) }"
    default: "{ \(metamethod()) = \(function()) }"
    }
  }

  private mutating func table() -> String {
    switch choices.number(below: 20) {
    case 0, 1, 2: "a"
    case 3: "{}"
    case 4: "{ 3, 1, 2, \(value()) }"
    case 5: "{ x = 1, y = { \(value()) }, [\(value())] = 2 }"
    case 6: "{ 1, nil, 3, n = math.maxinteger }"
    case 7: "table.pack(\(arguments()))"
    case 8:
      "setmetatable({}, { __len = function() return math.maxinteger end, __index = function(_, i) return i end })"
    case 9: "setmetatable({}, { __len = \(function()), __index = \(function()) })"
    case 10: "{ table.unpack(a) }"
    case 11: "s"
    case 12, 13, 14: "s.list"
    case 15, 16: "s.rows"
    case 17: "s.rows[\(small())]"
    case 18: "s.object"
    default: value()
    }
  }

  /// Of one or two digits.
  private mutating func small() -> String { "\(Int(choices.byte() % 20) - 3)" }

  private mutating func number() -> String {
    switch choices.number(below: 20) {
    case 0: "math.maxinteger"
    case 1: "math.mininteger"
    case 2: "math.maxinteger - \(choices.byte())"
    case 3: "1 << \(choices.byte() % 64)"
    case 4: "0/0"
    case 5: choices.pick(["1/0", "-1/0", "1e308", "2^53", "2^63", "-2^63", "-0.0", "0.5", "1e15"])
    case 6: choices.pick(["\"10\"", "\"0x10\"", "\"1e1\"", "\" 1 \"", "\"\"", "nil"])
    case 7: "\(choices.word() % 40_000)"
    case 8: "#\(name())"
    default: small()
    }
  }

  private mutating func value() -> String {
    switch choices.number(below: 32) {
    case 0: "nil"
    case 1: choices.pick(["true", "false"])
    case 2: "\(Int(choices.byte()) - 128)"
    case 3, 4: number()
    case 5: "\"\""
    case 6:
      "\"%\(choices.pick(["d", "s", "q", "a", "5.3f", "c", "i", "p", "99d", "g", "b", "f[a]", "1", ""]))\""
    case 7, 8: text()
    case 9: "(\"x\"):rep(\(choices.word() % 40_000))"
    case 10, 11, 12: name()
    case 13, 14, 15: nested({ $0.table() }, else: "a")
    case 16, 17: nested({ $0.function() }, else: "d")
    case 18: "tostring(\(nested({ $0.value() }, else: "1")))"
    case 19: choices.pick(["print", "pcall", "setmetatable", "next", "error", "load"])
    case 20, 21: "(\(nested({ $0.call() }, else: "nil")))"
    case 22: choices.pick(["string", "table", "math", "utf8", "os"])
    case 23: pattern()
    case 24: "(\"a*\"):rep(\(choices.byte()))"
    case 25: "#\(name())"
    case 26: "scripted.\(choices.pick(["null", "empty", "effect", "list"]))"
    case 27: "scripted.snapshot(\(nested({ $0.table() }, else: "s")))"
    case 28: choices.pick(["s", "s.list", "s.rows", "s.rows[1]", "s.object", "s.x"])
    case 29: nested({ $0.effect() }, else: "effect.none")
    default: "..."
    }
  }

  private mutating func text() -> String {
    let bytes = choices.some(atMost: 20)
    return "\"" + bytes.map { "\\\(threeDigits($0))" }.joined() + "\""
  }

  private func threeDigits(_ byte: UInt8) -> String { String(String(1000 + Int(byte)).dropFirst()) }

  private mutating func pattern() -> String {
    "\"\(choices.pick(Grammar.patterns))\(choices.pick(Grammar.patterns))\""
  }

  private mutating func format() -> String {
    "\"\(choices.pick(Grammar.formats))\(choices.pick(Grammar.formats))\""
  }

  private mutating func date() -> String {
    "\"\(choices.pick(["*t", "!*t", "%c", "!%c", "%", "%E", "%Ex", "%Oy", "%Q", "%j%U%w%x%X%y%Z%%"]))\""
  }

  private mutating func source() -> String {
    switch choices.number(below: 4) {
    case 0: "[==[\(block())]==]"
    case 1: function()
    case 2: text()
    default: value()
    }
  }

  private mutating func arguments() -> String {
    (0..<choices.number(below: 5)).map { _ in nested({ $0.value() }, else: "1") }
      .joined(separator: ", ")
  }

  private mutating func call() -> String {
    let function = choices.pick(Grammar.functions)
    return choices.number(below: 3) == 0
      ? "select(2, pcall(\(([function] + [arguments()]).filter { !$0.isEmpty }.joined(separator: ", "))))"
      : "\(function)(\(arguments()))"
  }

  // MARK: Words

  private static let operators = [
    "+", "-", "*", "/", "//", "%", "^", "..", "<", "<=", "==", "~=", "&", "|", "~", "<<", ">>",
    "and", "or",
  ]

  private static let metamethods = [
    "__index", "__newindex", "__call", "__len", "__eq", "__lt", "__le", "__concat", "__add",
    "__sub", "__mul", "__div", "__mod", "__pow", "__idiv", "__band", "__bor", "__bxor", "__shl",
    "__shr", "__bnot", "__unm", "__tostring", "__name", "__pairs", "__close", "__gc", "__mode",
    "__metatable",
  ]

  private static let patterns = [
    "", "a*", ".-", "[^%w]", "%1", "(", ")", "()", "(.-)*", "%b()", "%f[%a]", "%f", "$", "^", "[",
    "[]", "[^]", "[a-]", "[%", "%", "(a*(.)%w(%s*))", "x+", "%d?", ".", "%z", "(((((",
  ]

  private static let formats = [
    "", "b", "i8", "i16", "i17", "j", "T", "f", "d", "n", "z", "s", "s1", "s8", "c0", "c9",
    "c99999999999", "x", "X", "Xi16", "!16", "!3", "<", ">", "=", " ", "i", "I99999999999999999999",
  ]

  private static let lists = [
    "indexOf", "find", "insert", "remove", "removeAll", "removeAt", "move", "sort", "filter", "map",
    "ids",
  ]

  private static let functions = [
    "assert", "collectgarbage", "error", "getmetatable", "ipairs", "load", "next", "pairs", "pcall",
    "rawequal", "rawget", "rawlen", "rawset", "select", "setmetatable", "tonumber", "tostring",
    "type", "xpcall", "math.abs", "math.ceil", "math.floor", "math.fmod", "math.max", "math.min",
    "math.modf", "math.random", "math.tointeger", "math.ult", "string.byte", "string.char",
    "string.find", "string.format", "string.gmatch", "string.gsub", "string.len", "string.lower",
    "string.match", "string.pack", "string.packsize", "string.rep", "string.reverse", "string.sub",
    "string.unpack", "string.upper", "table.concat", "table.insert", "table.move", "table.pack",
    "table.remove", "table.sort", "table.unpack", "utf8.char", "utf8.codepoint", "utf8.codes",
    "utf8.len", "utf8.offset", "os.date", "os.time", "os.difftime", "scripted.isNull",
    "scripted.array", "scripted.object", "scripted.replace", "scripted.snapshot", "scripted.equals",
    "scripted.json.encode", "scripted.json.decode", "scripted.action", "scripted.feature",
    "scripted.reduce", "scripted.combine", "scripted.scope", "scripted.cases", "scripted.ignored",
    "scripted.ephemeral", "effect.send", "effect.merge", "effect.cancel", "clock.now",
  ]
}
