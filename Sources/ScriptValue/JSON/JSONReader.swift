/// Reads JSON text strictly by RFC 8259. It makes nodes directly, without a ``Value`` in between.
///
/// Invariant: the builders of unfinished objects and arrays own (+1) the slots in them. If reading
/// fails, their `deinit` releases those slots.
struct JSONReader {
  private let text: UnsafeBufferPointer<UInt8>
  private let depthLimit: Int
  /// The offset of the next byte.
  private var cursor = 0
  /// The bytes of the last string that had escapes, after decoding.
  private var scratch: [UInt8] = []

  init(_ text: UnsafeBufferPointer<UInt8>, depthLimit: Int) {
    self.text = text
    self.depthLimit = depthLimit
  }

  /// Reads the whole text and returns its value (+1).
  mutating func readDocument() throws(JSONError) -> Slot {
    if text.isEmpty { throw fault("unexpected \(found)") }
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { throw fault("a byte order mark before the value") }
    skipSpace()
    let value = try readValue(inside: 0)
    skipSpace()
    if cursor < text.count {
      value.release()
      throw fault("\(found) after the end of the value")
    }
    return value
  }

  // MARK: Bytes

  /// The byte at the cursor. 0 at the end of the text; no grammar rule accepts 0.
  private var next: UInt8 { cursor < text.count ? text[cursor] : 0 }

  private mutating func skipSpace() {
    while next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { cursor += 1 }
  }

  /// Passes a byte if it is next.
  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    cursor += 1
    return true
  }

  // MARK: Values

  /// Reads the value (+1) at the cursor.
  ///
  /// - Parameter depth: the number of containers around it.
  private mutating func readValue(inside depth: Int) throws(JSONError) -> Slot {
    switch next {
    case UInt8(ascii: "\""): return try readString()
    case UInt8(ascii: "{"): return try readObject(inside: depth)
    case UInt8(ascii: "["): return try readArray(inside: depth)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
    case UInt8(ascii: "t"): return try readWord("true", .boolean(true))
    case UInt8(ascii: "f"): return try readWord("false", .boolean(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    default: throw expected("a value")
    }
  }

  private mutating func readWord(_ word: StaticString, _ value: Slot) throws(JSONError) -> Slot {
    let end = cursor + word.utf8CodeUnitCount
    let isThere = word.withUTF8Buffer { end <= text.count && text[cursor..<end].elementsEqual($0) }
    guard isThere else { throw expected("a value") }
    cursor = end
    return value
  }

  /// Passes the bracket at the cursor.
  private mutating func enter(inside depth: Int) throws(JSONError) {
    if depth >= depthLimit { throw fault("more than \(depthLimit) levels of arrays and objects") }
    cursor += 1
  }

  private mutating func readArray(inside depth: Int) throws(JSONError) -> Slot {
    try enter(inside: depth)
    skipSpace()
    if take(UInt8(ascii: "]")) { return .empty(.table) }
    var list = PersistentList.Builder()
    while true {
      list.append(try readValue(inside: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return list.finish().ownedSlot() }
      guard take(UInt8(ascii: ",")) else { throw expected("',' or ']'") }
      skipSpace()
    }
  }

  private mutating func readObject(inside depth: Int) throws(JSONError) -> Slot {
    try enter(inside: depth)
    skipSpace()
    if take(UInt8(ascii: "}")) { return .empty(.formerObject) }
    var object = ObjectTree.Builder()
    while true {
      guard next == UInt8(ascii: "\"") else { throw expected("a key in quotes") }
      let start = cursor
      let key = try readString()
      guard object.position(of: key.stringBytes) == nil else {
        key.release()
        throw fault("duplicate key \(quotedText(at: start))", at: start)
      }
      object.append(key: key.address, .null)
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw expected("':'") }
      skipSpace()
      object.set(object.count - 1, try readValue(inside: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "}")) { return object.finish().ownedSlot() }
      guard take(UInt8(ascii: ",")) else { throw expected("',' or '}'") }
      skipSpace()
    }
  }

  // MARK: Numbers

  /// Reads the number at the cursor. An integer that fits `Int64` stays an integer. Any other number
  /// becomes the nearest double. A number beyond the range of a double is an error.
  private mutating func readNumber() throws(JSONError) -> Slot {
    let first = cursor
    _ = take(UInt8(ascii: "-"))
    let startsWithZero = next == UInt8(ascii: "0")
    let digits = try skipDigits("a digit")
    if digits > 1, startsWithZero {
      throw fault("a number must not start with 0", at: first)
    }
    var isInteger = true
    if take(UInt8(ascii: ".")) {
      isInteger = false
      _ = try skipDigits("a digit after the point")
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isInteger = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      _ = try skipDigits("a digit of the exponent")
    }
    let number = String(decoding: text[first..<cursor], as: UTF8.self)
    if isInteger, let integer = Int64(number) { return .integer(integer) }
    guard let float = Double(number), float.isFinite else {
      throw fault("a number beyond the range of a double", at: first)
    }
    return .float(float)
  }

  /// Passes digits, of which there must be one, and returns their number.
  private mutating func skipDigits(_ digit: String) throws(JSONError) -> Int {
    let first = cursor
    while case UInt8(ascii: "0")...UInt8(ascii: "9") = next { cursor += 1 }
    if cursor == first { throw expected(digit) }
    return cursor - first
  }

  // MARK: Strings

  /// Reads the string (+1) at the cursor, which is at the opening quote.
  private mutating func readString() throws(JSONError) -> Slot {
    let quote = cursor
    cursor += 1
    try skipPlainText()
    let plain = text[quote + 1..<cursor]
    if take(UInt8(ascii: "\"")) {
      try checkLength(plain.count, at: quote)
      return .string(trustedUTF8: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: plain)))
    }
    scratch.removeAll(keepingCapacity: true)
    scratch.append(contentsOf: plain)
    while !take(UInt8(ascii: "\"")) {
      try readEscape()
      let start = cursor
      try skipPlainText()
      scratch.append(contentsOf: text[start..<cursor])
    }
    try checkLength(scratch.count, at: quote)
    return scratch.withUnsafeBytes { .string(trustedUTF8: $0) }
  }

  private func checkLength(_ count: Int, at quote: Int) throws(JSONError) {
    if count > Int(UInt32.max) { throw fault("a string of more than 4 GiB", at: quote) }
  }

  /// Moves to the next quote or backslash. Checks that the text before it is valid UTF-8 without
  /// control characters.
  private mutating func skipPlainText() throws(JSONError) {
    while cursor < text.count {
      switch text[cursor] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): return
      case ..<0x20: throw fault("\(found) in a string must be written as an escape")
      case ..<0x80: cursor += 1
      default:
        let length = UTF8Text.sequenceLength(UnsafeRawBufferPointer(text), at: cursor)
        if length == 0 { throw fault("invalid UTF-8") }
        cursor += length
      }
    }
    throw expected("a closing quote")
  }

  /// Passes the escape at the cursor, and appends the character that it stands for to `scratch`.
  private mutating func readEscape() throws(JSONError) {
    let start = cursor
    cursor += 1
    if cursor == text.count { throw expected("a closing quote") }
    let letter = text[cursor]
    cursor += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(letter)
    case UInt8(ascii: "n"): scratch.append(0x0A)
    case UInt8(ascii: "t"): scratch.append(0x09)
    case UInt8(ascii: "r"): scratch.append(0x0D)
    case UInt8(ascii: "b"): scratch.append(0x08)
    case UInt8(ascii: "f"): scratch.append(0x0C)
    case UInt8(ascii: "u"):
      let lone = "a surrogate escape without its other half"
      var code = try readHex(of: start)
      if code & 0xF800 == 0xD800 {
        // A surrogate must be a high one, followed by the escape of a low one.
        let second = cursor
        guard code < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
          throw fault(lone, at: start)
        }
        let low = try readHex(of: second)
        guard low & 0xFC00 == 0xDC00 else { throw fault(lone, at: start) }
        code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
      }
      guard let scalar = Unicode.Scalar(code) else { throw fault(lone, at: start) }
      scratch.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw fault("invalid escape in a string", at: start)
    }
  }

  /// Reads the four digits at the cursor.
  private mutating func readHex(of escape: Int) throws(JSONError) -> UInt32 {
    let digits = text[cursor..<min(cursor + 4, text.count)]
    guard digits.count == 4,
      digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw fault("invalid escape in a string", at: escape) }
    cursor += 4
    return unit
  }

  // MARK: Errors

  private func fault(_ message: String, at offset: Int? = nil) -> JSONError {
    JSONError(message, at: offset ?? cursor, in: text)
  }

  private func expected(_ what: String) -> JSONError { fault("expected \(what), found \(found)") }

  /// What is at the cursor.
  private var found: String {
    guard cursor < text.count else { return "end of input" }
    let byte = text[cursor]
    switch byte {
    case UInt8(ascii: "\n"): return "a line break"
    case UInt8(ascii: "\t"): return "a tab"
    case 0x21..<0x7F: return "'\(Character(Unicode.Scalar(byte)))'"
    case 0x20: return "a space"
    case 0x80...:
      var codec = UTF8()
      var rest = text[cursor...].makeIterator()
      if case .scalarValue(let scalar) = codec.decode(&rest) { return "'\(Character(scalar))'" }
      return "invalid UTF-8"
    default: return "a control character (byte \(byte))"
    }
  }

  /// The string that starts at an offset, as it is written in the text, shortened if it is long.
  private func quotedText(at start: Int) -> String {
    var end = start + 1
    while end < text.count, text[end] != UInt8(ascii: "\"") {
      end += text[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    let quoted = String(decoding: text[start..<min(end + 1, text.count)], as: UTF8.self)
    return quoted.count <= 80 ? quoted : String(quoted.prefix(78)) + "…\""
  }
}
