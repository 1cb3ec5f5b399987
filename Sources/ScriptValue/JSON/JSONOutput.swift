/// A growing byte buffer for JSON text.
struct JSONOutput: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity = 1024
  private(set) var count = 0

  init() { base = .allocate(capacity: capacity) }

  deinit { base.deallocate() }

  /// All bytes written so far. They are valid until the next write.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

  /// Ensures that `extra` bytes can be stored without further checks.
  @inline(__always)
  private mutating func reserve(_ extra: Int) {
    if capacity - count < extra { grow(extra) }
  }

  @inline(never)
  private mutating func grow(_ extra: Int) {
    let larger = max(capacity * 2, count + extra)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    memory.update(from: base, count: count)
    base.deallocate()
    base = memory
    capacity = larger
  }

  @inline(__always)
  mutating func byte(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func text(_ text: StaticString) {
    raw(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends bytes without escaping.
  @inline(__always)
  mutating func raw(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    UnsafeMutableRawPointer(base + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  mutating func lineBreak(indent: Int) {
    reserve(1 + 2 * indent)
    base[count] = UInt8(ascii: "\n")
    for i in 0..<2 * indent { base[count + 1 + i] = UInt8(ascii: " ") }
    count += 1 + 2 * indent
  }

  mutating func integer(_ number: Int64) {
    reserve(20)
    var magnitude = number.magnitude
    if number < 0 {
      base[count] = UInt8(ascii: "-")
      count += 1
    }
    var length = 1
    var bound: UInt64 = 10
    while magnitude >= bound {
      length += 1
      if length == 20 { break }
      bound &*= 10
    }
    var target = base + count + length
    count += length
    repeat {
      target -= 1
      let (rest, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
      target.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
      magnitude = rest
    } while magnitude > 0
  }

  /// Appends the shortest text that reads back as the same float. The text always has a point or an
  /// exponent. A number that is not finite, which a state never contains, becomes `null`.
  mutating func float(_ number: Double) {
    guard number.isFinite else { return text("null") }
    var digits = number.description
    digits.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a string in quotes, with only the escapes that RFC 8259 requires.
  @inline(__always)
  mutating func string(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count + 2)
    base[count] = UInt8(ascii: "\"")
    var out = UnsafeMutableRawPointer(base + count + 1)
    var offset = 0
    let length = bytes.count
    while length - offset >= 8 {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if Self.needsEscape(word) { return stringWithEscapes(bytes, plain: offset) }
      out.storeBytes(of: word, as: UInt64.self)
      out += 8
      offset += 8
    }
    while offset < length {
      let byte = bytes[offset]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        return stringWithEscapes(bytes, plain: offset)
      }
      out.storeBytes(of: byte, as: UInt8.self)
      out += 1
      offset += 1
    }
    out.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
    count += length + 2
  }

  /// Whether one of the eight bytes is a quote, a backslash or a control character.
  @inline(__always)
  private static func needsEscape(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let below =
      ((word &- ones &* 0x20) & ~word) | ((quote &- ones) & ~quote)
      | ((backslash &- ones) & ~backslash)
    return below & (ones &* 0x80) != 0
  }

  /// Completes ``string(_:)`` with escapes. The opening quote and the first `plain` bytes are
  /// stored already, but not counted.
  @inline(never)
  private mutating func stringWithEscapes(_ bytes: UnsafeRawBufferPointer, plain: Int) {
    count += 1 + plain
    for byte in bytes[plain...] {
      reserve(6)
      switch byte {
      case UInt8(ascii: "\""): text("\\\"")
      case UInt8(ascii: "\\"): text("\\\\")
      case 0x0A: text("\\n")
      case 0x0D: text("\\r")
      case 0x09: text("\\t")
      case 0x08: text("\\b")
      case 0x0C: text("\\f")
      case ..<0x20:
        text("\\u00")
        self.byte(UInt8(ascii: "0") + byte >> 4)
        let low = byte & 0xF
        self.byte(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
      default: self.byte(byte)
      }
    }
    self.byte(UInt8(ascii: "\""))
  }
}
