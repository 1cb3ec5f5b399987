/// A script of nasty calls.
struct Grammar {
  private var choices: Choices
  private var depth = 0

  init(_ choices: Choices) { self.choices = choices }

  mutating func script() -> String {
    var text = """
      local a, b, c, d = {}, "text", 7, function(...) return ... end

      """
    repeat { text += statement() + "\n" } while !choices.isAtEnd && text.utf8.count < 4_000
    return text
  }

  private mutating func nested(_ make: (inout Grammar) -> String, else plain: String) -> String {
    guard depth < 4 else { return plain }
    depth += 1
    defer { depth -= 1 }
    return make(&self)
  }

  private mutating func name() -> String { choices.pick(["a", "b", "c", "d"]) }

  private mutating func block() -> String {
    nested(
      { grammar in
        (0...grammar.choices.number(below: 3)).map { _ in grammar.statement() }
          .joined(separator: " ")
      }, else: "")
  }

  private mutating func statement() -> String {
    switch choices.number(below: 19) {
    case 0: "\(name()) = \(value())"
    case 1, 2, 3, 4: "\(name()) = \(call())"
    case 5: "pcall(function() \(block()) end)"
    case 6: "xpcall(function() \(block()) end, function(...) \(block()) return ... end)"
    case 7: "a[\(value())] = \(value())"
    case 8: "for i = \(value()), \(value()), \(value()) do \(block()) end"
    case 9: "for k, v in pairs(\(table())) do \(block()) end"
    case 10: "while \(value()) do \(block()) break end"
    case 11:
      "do local x <close> = setmetatable({}, { __close = function(...) \(block()) end }) \(block()) end"
    case 12:
      "a = setmetatable(\(table()), { \(metamethod()) = function(...) \(block()) return \(value()) end })"
    case 13: "a = setmetatable(\(table()), { \(metamethod()) = \(value()) })"
    case 14: "pcall(error, \(value()), \(value()))"
    case 15: "repeat \(block()) until true"
    case 16: "local function f(...) \(block()) return f(...) end pcall(f, \(value()))"
    case 17: "goto l\(depth) ::l\(depth)::"
    default: "c = \(value()) \(choices.pick(Grammar.operators)) \(value())"
    }
  }

  private static let operators = [
    "+", "-", "*", "/", "//", "%", "^", "..", "<", "<=", "==", "~=", "&", "|", "~", "<<", ">>",
    "and", "or",
  ]

  private mutating func metamethod() -> String {
    choices.pick([
      "__index", "__newindex", "__call", "__len", "__eq", "__lt", "__le", "__concat", "__add",
      "__unm", "__tostring", "__name", "__pairs", "__close", "__gc", "__mode", "__metatable",
    ])
  }

  private mutating func table() -> String {
    switch choices.number(below: 8) {
    case 0: "a"
    case 1: "{}"
    case 2: "{ 3, 1, 2, \(value()) }"
    case 3: "{ x = 1, y = { \(value()) }, [\(value())] = 2 }"
    case 4: "{ 1, nil, 3, n = math.maxinteger }"
    case 5: "table.pack(\(arguments()))"
    case 6:
      "setmetatable({}, { __len = function() return math.maxinteger end, __index = function(_, i) return i end })"
    default: "{ table.unpack(a) }"
    }
  }

  private mutating func value() -> String {
    switch choices.number(below: 26) {
    case 0: "nil"
    case 1: "true"
    case 2: "\(Int(choices.byte()) - 128)"
    case 3: "math.maxinteger"
    case 4: "math.mininteger"
    case 5: "0/0"
    case 6: "1/0"
    case 7: "1e308"
    case 8: "2^53"
    case 9: "-0.0"
    case 10: "\"\""
    case 11:
      "\"%\(choices.pick(["d", "s", "q", "a", "5.3f", "c", "i", "p", "99d", "g", "b", "f[a]", "1", ""]))\""
    case 12: text()
    case 13: "(\"x\"):rep(\(choices.word() % 300_000))"
    case 14: "\(name())"
    case 15, 16: table()
    case 17: "function(...) \(block()) return ... end"
    case 18: "tostring(\(nested({ $0.value() }, else: "1")))"
    case 19: "print"
    case 20: "(\(nested({ $0.call() }, else: "nil")))"
    case 21: "string"
    case 22: "\"(.-)*%b()\(choices.pick(["a*", ".-", "[^%w]", "%1", "(", "$", "^", "%f[%a]"]))\""
    case 23: "(\"a*\"):rep(\(choices.byte()))"
    case 24: "#\(name())"
    default: "..."
    }
  }

  private mutating func text() -> String {
    let bytes = choices.some(atMost: 20)
    return "\"" + bytes.map { "\\\(threeDigits($0))" }.joined() + "\""
  }

  private func threeDigits(_ byte: UInt8) -> String { String(String(1000 + Int(byte)).dropFirst()) }

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

  private static let functions = [
    "assert", "collectgarbage", "error", "getmetatable", "ipairs", "load", "next", "pairs", "pcall",
    "rawequal", "rawget", "rawlen", "rawset", "select", "setmetatable", "tonumber", "tostring",
    "type", "xpcall", "math.abs", "math.ceil", "math.floor", "math.fmod", "math.max", "math.min",
    "math.modf", "math.random", "math.tointeger", "math.ult", "string.byte", "string.char",
    "string.find", "string.format", "string.gmatch", "string.gsub", "string.len", "string.lower",
    "string.match", "string.pack", "string.packsize", "string.rep", "string.reverse", "string.sub",
    "string.unpack", "string.upper", "table.concat", "table.insert", "table.move", "table.pack",
    "table.remove", "table.sort", "table.unpack", "utf8.char", "utf8.codepoint", "utf8.codes",
    "utf8.len", "utf8.offset", "os.date", "os.time", "os.difftime",
  ]
}
