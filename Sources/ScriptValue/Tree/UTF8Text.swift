import Platform

/// Functions on UTF-8 bytes that need no `String`.
@usableFromInline
package enum UTF8Text {
  @inlinable @inline(__always)
  package static func equals(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let left = a.baseAddress, let right = b.baseAddress else { return true }
    return a.count <= 16 ? equalsShort(left, right, a.count) : memcmp(left, right, a.count) == 0
  }

  /// Compares texts of one length, up to 16 bytes, as most keys and names are. Two overlapping
  /// loads from each text replace a call of `memcmp`.
  @inlinable @inline(__always)
  package static func equalsShort(
    _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int
  ) -> Bool {
    let (left, right) = (ends(of: a, count), ends(of: b, count))
    return (left.low ^ right.low) | (left.high ^ right.high) == 0
  }

  /// Returns the first and the last bytes of a text, at most 8 each; in a short text they overlap.
  /// Two texts of the same length, up to 16 bytes, are equal if both results are equal.
  @inlinable @inline(__always)
  package static func ends(of text: UnsafeRawPointer, _ count: Int) -> (low: UInt64, high: UInt64) {
    if count >= 8 {
      return (
        text.loadUnaligned(as: UInt64.self),
        text.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
      )
    }
    if count >= 4 {
      return (
        UInt64(text.loadUnaligned(as: UInt32.self)),
        UInt64(text.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
      )
    }
    if count >= 2 {
      return (
        UInt64(text.loadUnaligned(as: UInt16.self)),
        UInt64(text.loadUnaligned(fromByteOffset: count - 2, as: UInt16.self))
      )
    }
    return (count == 0 ? 0 : UInt64(text.load(as: UInt8.self)), 0)
  }

  /// Returns a hash of the bytes, which is the same in every run.
  ///
  /// It does not resist chosen keys: an attacker can find keys that collide. Use it in tables of
  /// bounded size.
  @inlinable @inline(__always)
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: bytes.count)
    var offset = 0
    while offset + 8 <= bytes.count {
      hash = mix(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return mix(hash, rest)
  }

  /// Returns the hash after adding a word to it.
  @inlinable @inline(__always)
  package static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    return product.high ^ product.low ^ 0x2545_F491_4F6C_DD1D
  }

  /// Returns the length, 2 to 4, of the multi-byte sequence at `index`, or 0 if it is not
  /// well-formed.
  @inlinable @inline(__always)
  package static func sequenceLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    let lead = bytes[index]
    let left = bytes.count - index
    @inline(__always) func continues(_ offset: Int) -> Bool {
      bytes[index + offset] & 0xC0 == 0x80
    }
    switch lead {
    case 0xC2...0xDF:
      return left >= 2 && continues(1) ? 2 : 0
    case 0xE0...0xEF:
      guard left >= 3, continues(1), continues(2) else { return 0 }
      let second = bytes[index + 1]
      if lead == 0xE0 && second < 0xA0 { return 0 }
      if lead == 0xED && second > 0x9F { return 0 }
      return 3
    case 0xF0...0xF4:
      guard left >= 4, continues(1), continues(2), continues(3) else { return 0 }
      let second = bytes[index + 1]
      if lead == 0xF0 && second < 0x90 { return 0 }
      if lead == 0xF4 && second > 0x8F { return 0 }
      return 4
    default:
      return 0
    }
  }
}

extension String {
  /// Calls `body` with the UTF-8 bytes of the text.
  @inlinable @inline(__always)
  package func withUTF8Bytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    var copy = self
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}

/// A text that is compared byte by byte, as Lua compares strings: mostly a key of a dictionary.
///
/// Swift's `String` takes two Unicode forms of one text for equal, so that a `[String: …]` with strings
/// of scripts as its keys would take two of them for one.
package struct TextKey: Hashable {
  package let text: String

  @inlinable
  package init(_ text: String) { self.text = text }

  @inlinable
  package static func == (a: TextKey, b: TextKey) -> Bool {
    a.text.withUTF8Bytes { a in b.text.withUTF8Bytes { UTF8Text.equals(a, $0) } }
  }

  @inlinable
  package func hash(into hasher: inout Hasher) {
    text.withUTF8Bytes { hasher.combine(bytes: $0) }
  }
}

extension String {
  /// The parts between the dots of a path.
  ///
  /// It goes by bytes, as Lua does: a dot before a combining character is not the `Character` ".".
  package func splitAtDots(atMost splits: Int = .max, keepsEmpty: Bool = false) -> [String] {
    utf8.split(
      separator: UInt8(ascii: "."), maxSplits: splits, omittingEmptySubsequences: !keepsEmpty
    ).map { String(Substring($0)) }
  }
}

extension StringProtocol {
  /// The text without blanks at its ends.
  package var trimmed: String {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }
}
