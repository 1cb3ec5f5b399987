/// Parses a value as people type it. It accepts Lua's literals and table constructors, JSON, and
/// mixtures of both.
///
///     { title = "Milk", tags = { "a", "b" } }      {"title": "Milk", "tags": ["a", "b"]}
///
/// Text that is valid JSON is read as JSON, so that `{}` is an object. Otherwise `{}` is an empty
/// table, which is both an array and an object. `nil`, `null`, `true` and `false` are values; other
/// names need quotes. No code is evaluated.
package struct LuaReader {
  package struct Failure: Error, Hashable, CustomStringConvertible {
    package let message: String
    /// The column of the first character that does not fit, from 1.
    package let column: Int

    package var description: String { "\(message) at column \(column)" }
  }

  /// Returns the value of the text, or nil if the text is `nil`. O(n).
  package static func value(of text: String) throws(Failure) -> Value? {
    if let json = try? Value(json: text) { return json }
    var reader = LuaReader(text)
    let value = try reader.value(depth: 1)
    reader.skipSpace()
    guard reader.isAtEnd else { throw reader.failure("there is more than one value") }
    return value
  }

  private let bytes: [UInt8]
  private var position = 0

  private init(_ text: String) { bytes = Array(text.utf8) }

  // MARK: Characters

  private var isAtEnd: Bool { position >= bytes.count }
  private var next: UInt8? { isAtEnd ? nil : bytes[position] }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private func failure(_ message: String, at offset: Int? = nil) -> Failure {
    let before = bytes[..<min(offset ?? position, bytes.count)]
    return Failure(message: message, column: String(decoding: before, as: UTF8.self).count + 1)
  }

  /// Reads letters, digits, underscores and bytes beyond ASCII.
  private mutating func word() -> Substring {
    let start = position
    while let byte = next, Self.isWordByte(byte) { position += 1 }
    return Substring(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x80...0xFF: true
    default: false
    }
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(Failure) -> Value? {
    skipSpace()
    guard let byte = next else { throw failure("a value is missing") }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depth <= maximumDepth else {
        throw failure("this nests deeper than \(maximumDepth)")
      }
      return byte == UInt8(ascii: "{") ? try table(depth: depth) : try list(depth: depth)
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string(byte))
    case UInt8(ascii: "-"), UInt8(ascii: "."), 0x30...0x39: return try number()
    default: return try named()
    }
  }

  private mutating func named() throws(Failure) -> Value? {
    let start = position
    switch word() {
    case "nil": return .none
    case "null": return .some(.null)
    case "true": return true
    case "false": return false
    case "": throw failure("a value is missing", at: start)
    case let name: throw failure("\(name) is no value; text goes in quotes", at: start)
    }
  }

  // MARK: Tables

  /// The fields of a table that have been read so far.
  private struct Fields {
    var list: [Value] = []
    var object = Value.Object()
  }

  private mutating func table(depth: Int) throws(Failure) -> Value {
    let start = position
    position += 1
    var fields = Fields()
    while !take("}") {
      try field(&fields, depth: depth)
      guard !take(","), !take(";") else { continue }
      guard take("}") else { throw failure("a comma or } is missing") }
      break
    }
    if fields.object.isEmpty { return .array(Value.List(fields.list)) }
    guard fields.list.isEmpty else {
      throw failure("a table is a list or has keys, not both", at: start)
    }
    return .object(fields.object)
  }

  private mutating func field(_ fields: inout Fields, depth: Int) throws(Failure) {
    skipSpace()
    let start = position
    guard let byte = next else { throw failure("a } is missing") }
    if byte == UInt8(ascii: "[") {
      position += 1
      guard let key = try value(depth: depth + 1), take("]") else {
        throw failure("a key in brackets ends with ]")
      }
      guard take("=") else { throw failure("a = is missing behind the key") }
      return try add(key, &fields, depth: depth, at: start)
    }
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      let text = try string(byte)
      if take(":") || take("=") { return try add(.string(text), &fields, depth: depth, at: start) }
      return fields.list.append(.string(text))
    }
    if !(0x30...0x39).contains(byte) {
      let name = word()
      if !name.isEmpty, take("=") || take(":") {
        return try add(.string(String(name)), &fields, depth: depth, at: start)
      }
      position = start
    }
    fields.list.append(try element(depth: depth, at: start))
  }

  private mutating func add(
    _ key: Value, _ fields: inout Fields, depth: Int, at start: Int
  ) throws(Failure) {
    let value = try value(depth: depth + 1)
    switch key {
    case .string(let name): fields.object[name] = value
    case .integer(let index) where index == Int64(fields.list.count + 1):
      guard let value else { throw failure("a list has no nil in it", at: start) }
      fields.list.append(value)
    case .integer(let index):
      throw failure("index \(index) is not the next one of the list", at: start)
    default: throw failure("a key is text, or an index", at: start)
    }
  }

  private mutating func element(depth: Int, at start: Int) throws(Failure) -> Value {
    if let value = try value(depth: depth + 1) { return value }
    throw failure("a list has no nil in it", at: start)
  }

  private mutating func list(depth: Int) throws(Failure) -> Value {
    position += 1
    var list: [Value] = []
    while !take("]") {
      list.append(try element(depth: depth, at: position))
      guard !take(",") else { continue }
      guard take("]") else { throw failure("a comma or ] is missing") }
      break
    }
    return .array(Value.List(list))
  }
}

// MARK: Numbers and strings

extension LuaReader {
  private mutating func number() throws(Failure) -> Value {
    let start = position
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { position += 1 }
    skipSpace()
    let digits = numeral()
    let isHexadecimal = digits.lowercased().hasPrefix("0x")
    if isHexadecimal, let bits = UInt64(digits.dropFirst(2), radix: 16) {
      let number = Int64(bitPattern: bits)
      return .integer(isNegative ? 0 &- number : number)
    }
    if let integer = Int64((isNegative ? "-" : "") + digits) { return .integer(integer) }
    // Lua accepts numbers without a digit before or after the point.
    let padded = (digits.hasPrefix(".") ? "0" : "") + digits.replacing(".e", with: ".0e")
    let text = padded.hasSuffix(".") ? padded + "0" : padded
    guard !isHexadecimal, let float = Double(text), float.isFinite else {
      throw failure("this is no number", at: start)
    }
    return .float(isNegative ? -float : float)
  }

  /// Reads the characters of a number without its sign.
  private mutating func numeral() -> String {
    let start = position
    while let byte = next {
      let follows = position > start ? bytes[position - 1] | 0x20 : 0
      let isSign = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      guard
        Self.isWordByte(byte) || byte == UInt8(ascii: ".")
          || isSign && follows == UInt8(ascii: "e")
      else { break }
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func string(_ quote: UInt8) throws(Failure) -> String {
    let start = position
    position += 1
    var text: [UInt8] = []
    while let byte = next, byte != quote {
      position += 1
      if byte == UInt8(ascii: "\\") { try escape(&text) } else { text.append(byte) }
    }
    guard next == quote else { throw failure("a string is not closed", at: start) }
    position += 1
    guard let string = String(validating: text, as: UTF8.self) else {
      throw failure("the string is not UTF-8", at: start)
    }
    return string
  }

  private mutating func escape(_ text: inout [UInt8]) throws(Failure) {
    let start = position - 1
    guard let byte = next else { throw failure("a string is not closed", at: start) }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "a"): text.append(0x07)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "v"): text.append(0x0B)
    case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"):
      text.append(byte)
    case UInt8(ascii: "x"):
      guard let code = digits(exactly: 2, radix: 16) else { throw failure("bad \\x", at: start) }
      text.append(UInt8(truncatingIfNeeded: code))
    case UInt8(ascii: "u"): text += Array(String(try scalar(from: start)).utf8)
    case 0x30...0x39:
      position -= 1
      var code = 0
      var count = 0
      while count < 3, let digit = next, (0x30...0x39).contains(digit) {
        code = code * 10 + Int(digit - 0x30)
        position += 1
        count += 1
      }
      guard code < 256 else { throw failure("bad \\ddd", at: start) }
      text.append(UInt8(code))
    default: throw failure("an unknown escape", at: start)
    }
  }

  /// Reads the text after `\u`: `{1F600}` as in Lua, or four hexadecimal digits as in JSON.
  private mutating func scalar(from start: Int) throws(Failure) -> Unicode.Scalar {
    var code: UInt32?
    if next == UInt8(ascii: "{") {
      position += 1
      code = UInt32(word(), radix: 16)
      guard take("}") else { throw failure("bad \\u", at: start) }
    } else {
      code = digits(exactly: 4, radix: 16)
      if let high = code, (0xD800...0xDBFF).contains(high),
        bytes[position...].starts(with: "\\u".utf8)
      {
        position += 2
        guard let low = digits(exactly: 4, radix: 16), (0xDC00...0xDFFF).contains(low) else {
          throw failure("bad \\u", at: start)
        }
        code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
      }
    }
    guard let code, let scalar = Unicode.Scalar(code) else { throw failure("bad \\u", at: start) }
    return scalar
  }

  private mutating func digits(exactly count: Int, radix: Int) -> UInt32? {
    guard position + count <= bytes.count else { return nil }
    let text = String(decoding: bytes[position..<position + count], as: UTF8.self)
    position += count
    return UInt32(text, radix: radix)
  }
}
