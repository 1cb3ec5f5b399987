extension JSONReader {
  /// Reads the string at the cursor, which is at the opening quote. Calls `body` with the bytes of
  /// the string, which are valid UTF-8 without escapes, and leaves the cursor after the closing
  /// quote.
  ///
  /// A string without escapes is not copied: `body` gets a part of the text. Otherwise the bytes
  /// are in `scratch`.
  @inline(__always)
  mutating func readString<Result>(
    _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(JSONFault) -> Result {
    let first = cursor + 1
    let p = try endOfPlainText(from: first)
    if p.pointee == UInt8(ascii: "\"") {
      if p - first > Int(UInt32.max) { throw fault(.tooLong, at: cursor) }
      cursor = p + 1
      return body(UnsafeRawBufferPointer(start: first, count: p - first))
    }
    try readEscapes(from: first, firstEscape: p)
    return scratch.withUnsafeBytes(body)
  }

  /// The position of the first quote or backslash at or after `start`. Checks that the text before
  /// it is valid UTF-8 without control characters.
  @inline(__always)
  private func endOfPlainText(
    from start: UnsafePointer<UInt8>
  ) throws(JSONFault) -> UnsafePointer<UInt8> {
    var p = start
    while true {
      while end - p >= 8 {
        let mask = Self.specialBytes(UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
        if mask != 0 {
          p += mask.trailingZeroBitCount >> 3
          break
        }
        p += 8
      }
      guard p < end else { throw fault(.expected("a closing quote"), at: end) }
      let byte = p.pointee
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return p }
      if byte >= 0x80 {
        p = try endOfWideText(from: p)
      } else if byte < 0x20 {
        throw fault(.control, at: p)
      } else {
        p += 1
      }
    }
  }

  /// Sets the high bit of each byte in `word` (the first byte is the lowest) that is a quote, a
  /// backslash, a control character or beyond ASCII. The result is exact up to its lowest bit; the
  /// bits above that may be wrong.
  @inline(__always)
  static func specialBytes(_ word: UInt64) -> UInt64 {
    let word = UInt64(littleEndian: word)
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let below = (word &- ones &* 0x20) | (quote &- ones) | (backslash &- ones)
    return (below | word) & (ones &* 0x80)
  }

  /// Checks the run of UTF-8 sequences beyond ASCII at `start`. Returns the position after it.
  @inline(never)
  private func endOfWideText(
    from start: UnsafePointer<UInt8>
  ) throws(JSONFault) -> UnsafePointer<UInt8> {
    let bytes = UnsafeRawBufferPointer(start: start, count: end - start)
    var index = 0
    while index < bytes.count, bytes[index] >= 0x80 {
      let length = UTF8Text.sequenceLength(bytes, at: index)
      if length == 0 { throw fault(.utf8, at: start + index) }
      index += length
    }
    return start + index
  }

  /// Writes to `scratch` the string whose text begins at `start` and has its first backslash at
  /// `escape`.
  @inline(never)
  private mutating func readEscapes(
    from start: UnsafePointer<UInt8>, firstEscape escape: UnsafePointer<UInt8>
  ) throws(JSONFault) {
    scratch.removeAll(keepingCapacity: true)
    var run = start
    var p = escape
    while true {
      scratch.append(contentsOf: UnsafeBufferPointer(start: run, count: p - run))
      if p.pointee == UInt8(ascii: "\"") { break }
      p = try readEscape(at: p)
      run = p
      p = try endOfPlainText(from: p)
    }
    if scratch.count > Int(UInt32.max) { throw fault(.tooLong, at: cursor) }
    cursor = p + 1
  }

  /// Appends the character that the escape at `p` stands for. Returns the position after the
  /// escape.
  private mutating func readEscape(
    at p: UnsafePointer<UInt8>
  ) throws(JSONFault) -> UnsafePointer<UInt8> {
    guard end - p >= 2 else { throw fault(.expected("a closing quote"), at: end) }
    switch p[1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(p[1])
    case UInt8(ascii: "n"): scratch.append(0x0A)
    case UInt8(ascii: "t"): scratch.append(0x09)
    case UInt8(ascii: "r"): scratch.append(0x0D)
    case UInt8(ascii: "b"): scratch.append(0x08)
    case UInt8(ascii: "f"): scratch.append(0x0C)
    case UInt8(ascii: "u"):
      let unit = try readHex(at: p + 2, of: p)
      if unit & 0xF800 != 0xD800 {
        appendUTF8(unit)
        return p + 6
      }
      // A surrogate must be a high one, followed by the escape of a low one.
      guard unit < 0xDC00, end - p >= 8, p[6] == UInt8(ascii: "\\"), p[7] == UInt8(ascii: "u")
      else { throw fault(.surrogate, at: p) }
      let low = try readHex(at: p + 8, of: p + 6)
      guard low & 0xFC00 == 0xDC00 else { throw fault(.surrogate, at: p) }
      appendUTF8(0x10000 + ((unit & 0x3FF) << 10) + (low & 0x3FF))
      return p + 12
    default: throw fault(.escape, at: p)
    }
    return p + 2
  }

  private func readHex(
    at p: UnsafePointer<UInt8>, of escape: UnsafePointer<UInt8>
  ) throws(JSONFault) -> UInt32 {
    guard end - p >= 4 else { throw fault(.escape, at: escape) }
    var unit: UInt32 = 0
    for i in 0..<4 {
      let digit: UInt8
      switch p[i] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = p[i] - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = p[i] - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = p[i] - UInt8(ascii: "A") + 10
      default: throw fault(.escape, at: escape)
      }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  private mutating func appendUTF8(_ scalar: UInt32) {
    func continuation(_ shift: UInt32) -> UInt8 { 0x80 | UInt8((scalar >> shift) & 0x3F) }
    switch scalar {
    case ..<0x80:
      scratch.append(UInt8(scalar))
    case ..<0x800:
      scratch.append(0xC0 | UInt8(scalar >> 6))
      scratch.append(continuation(0))
    case ..<0x10000:
      scratch.append(0xE0 | UInt8(scalar >> 12))
      scratch.append(continuation(6))
      scratch.append(continuation(0))
    default:
      scratch.append(0xF0 | UInt8(scalar >> 18))
      scratch.append(continuation(12))
      scratch.append(continuation(6))
      scratch.append(continuation(0))
    }
  }
}
