/// A type as annotations of the Lua language server write it.
indirect enum LuaType: Equatable {
  case name(String)
  case string(String)
  case integer(Int)
  case optional(LuaType)
  case array(LuaType)
  case dictionary(LuaType)
  case table([Field])
  case union([LuaType])
  /// A function, which no state and no action can hold.
  case function

  struct Field: Equatable {
    let name: String
    let type: LuaType
    /// The annotation's line; that of the type around for a field of `{ … }`.
    let line: Int
  }
}

/// Reads the text of a type. The text may go on after it, as descriptions do.
struct LuaTypeParser {
  private let text: [Character]
  private let line: Int
  private var at = 0
  /// How many types the one that is read lies in. Each takes stack, and the text is foreign.
  private var depth = 0

  /// An annotation that is no type. `message` says what is missing.
  struct Fault: Error {
    let message: String
  }

  private static let maximumDepth = 64

  init(_ text: some StringProtocol, line: Int) {
    self.text = Array(text)
    self.line = line
  }

  /// The text behind what was read.
  var rest: String { String(text[min(at, text.count)...]) }

  mutating func type() throws(Fault) -> LuaType {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.maximumDepth else { throw Fault(message: "the type nests too deep") }
    var members = [try member()]
    while take("|") { members.append(try member()) }
    return members.count == 1 ? members[0] : .union(members)
  }

  private mutating func member() throws(Fault) -> LuaType {
    var type = try primary()
    var level = depth
    while true {
      if take("[]") {
        type = .array(type)
      } else if take("?") {
        type = .optional(type)
      } else {
        return type
      }
      level += 1
      guard level < Self.maximumDepth else { throw Fault(message: "the type nests too deep") }
    }
  }

  private mutating func primary() throws(Fault) -> LuaType {
    skipSpace()
    guard at < text.count else { throw Fault(message: "a type is missing") }
    switch text[at] {
    case "(":
      at += 1
      let type = try type()
      try expect(")")
      return type
    case "{": return .table(try fields())
    case "\"", "'": return .string(try quoted())
    case "`": throw Fault(message: "a type in backticks means nothing here")
    case "-", "0"..."9":
      let digits = text[at...].prefix { $0 == "-" || $0.isNumber }
      at += digits.count
      guard let number = Int(String(digits)) else {
        throw Fault(message: "'\(String(digits))' is no integer")
      }
      return .integer(number)
    default: return try named()
    }
  }

  private mutating func named() throws(Fault) -> LuaType {
    let name = word()
    guard !name.isEmpty else { throw Fault(message: "'\(text[at])' begins no type") }
    if name == "fun" {
      skipFunction()
      return .function
    }
    guard name == "table", take("<") else { return .name(name) }
    let key = try type()
    try expect(",")
    let value = try type()
    try expect(">")
    guard key == .name("string") else {
      return key == .name("integer") ? .array(value) : .name("any")
    }
    return .dictionary(value)
  }

  /// Reads `{ name: type, other?: type }`.
  private mutating func fields() throws(Fault) -> [LuaType.Field] {
    at += 1
    var fields: [LuaType.Field] = []
    while !take("}") {
      skipSpace()
      var name = word()
      if at < text.count, name.isEmpty, text[at] == "[" {
        at += 1
        skipSpace()
        name = try quoted()
        try expect("]")
      }
      guard !name.isEmpty else { throw Fault(message: "the name of a field is missing") }
      let isOptional = take("?")
      try expect(":")
      let type = try type()
      fields.append(.init(name: name, type: isOptional ? .optional(type) : type, line: line))
      if !take(",") && !take(";") {
        try expect("}")
        break
      }
    }
    return fields
  }

  mutating func word() -> String {
    let word = text[at...].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    at += word.count
    return String(word)
  }

  private mutating func quoted() throws(Fault) -> String {
    guard at < text.count, text[at] == "\"" || text[at] == "'" else {
      throw Fault(message: "a name in quotes is missing")
    }
    let quote = text[at]
    let content = text[(at + 1)...].prefix { $0 != quote }
    guard at + content.count + 1 < text.count else { throw Fault(message: "a quote is not closed") }
    at += content.count + 2
    return String(content)
  }

  /// Skips the parameters and results of a function type.
  private mutating func skipFunction() {
    guard take("(") else { return }
    var open = 1
    while at < text.count, open > 0 {
      if text[at] == "(" { open += 1 }
      if text[at] == ")" { open -= 1 }
      at += 1
    }
    if take(":") { _ = try? type() }
  }

  private mutating func expect(_ token: String) throws(Fault) {
    guard take(token) else { throw Fault(message: "'\(token)' is missing") }
  }

  mutating func take(_ token: String) -> Bool {
    let start = at
    skipSpace()
    if text[at...].starts(with: Array(token)) {
      at += token.count
      return true
    }
    at = start
    return false
  }

  mutating func skipSpace() { while at < text.count, text[at].isWhitespace { at += 1 } }
}
