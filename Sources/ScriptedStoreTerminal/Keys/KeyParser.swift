// KeyParser decodes the bytes that a terminal sends into keys.
//
//   ESC [ parameters final         a key of xterm and compatible terminals
//   ESC [ < parameters M           the mouse; with m the release of a button
//   ESC [ M three bytes            the mouse of terminals that do not know the form above
//   ESC [ 200 ~ text ESC [ 201 ~   pasted text
//   ESC [ [ letter                 F1 to F5 of the Linux console
//   ESC O final                    a cursor or function key in application mode
//   ESC character                  the character with Alt
//   ESC                            Escape
//   other bytes                    one character in UTF-8, or a control character
//
// 1. Bytes may arrive in any portions. `next` returns nil, and removes nothing, while a key is
//    incomplete. Exceptions: invariants 3 and 4, and the character after ESC, which is decoded from
//    the bytes that are there.
// 2. A single ESC is ambiguous: it is Escape, or the start of a sequence. The caller resolves this
//    by time: `isAtPause` means that no further byte arrives soon.
// 3. A sequence `ESC [` ends where a byte comes that belongs into none, as that of Ctrl-C, and after
//    64 bytes. What came before is discarded.
// 4. Pasted text is handed over in parts if its end is late, so that a paste that never ends takes
//    no memory. Ctrl-C ends such a paste.

/// Decodes the keys from the bytes of a terminal.
package struct KeyParser {
  private var bytes: [UInt8] = []
  private var isPasting = false

  private static let escape: UInt8 = 0x1B
  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  private static let controlC: UInt8 = 0x03
  /// A longer part of a paste is handed over before its end has come.
  private static let pastePart = 1 << 16

  package init() {}

  package mutating func add(_ more: some Sequence<UInt8>) { bytes += more }

  /// True if the bytes so far are the start of a key.
  package var isInsideKey: Bool { !bytes.isEmpty }

  /// Returns the next key, or nil if it is not complete.
  ///
  /// - Parameter isAtPause: no further byte arrives soon, so a single ESC is the Escape key.
  package mutating func next(isAtPause: Bool) -> Key? {
    guard let first = bytes.first else { return nil }
    if isPasting { return pasted(isAtPause: isAtPause) }
    if first == Self.escape { return escaped(isAtPause: isAtPause) }
    return plain(first, isAtPause: isAtPause).map { Key(typed: $0) }
  }

  /// Decodes one Unicode scalar. It does not wait for combining marks, which may follow as keys of
  /// their own.
  private mutating func plain(_ first: UInt8, isAtPause: Bool) -> Character? {
    let count = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard bytes.count >= count || isAtPause else { return nil }
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    bytes.removeFirst(min(count, bytes.count))
    return text.first ?? "\u{FFFD}"
  }

  private mutating func escaped(isAtPause: Bool) -> Key? {
    guard bytes.count > 1 else {
      guard isAtPause else { return nil }
      bytes.removeFirst()
      return .escape
    }
    switch bytes[1] {
    case UInt8(ascii: "["): return sequence(isAtPause: isAtPause)
    case UInt8(ascii: "O"):
      guard bytes.count > 2 else { return isAtPause ? alone() : nil }
      let final = bytes[2]
      bytes.removeFirst(3)
      return Key(final: final, [])
    case Self.escape:
      bytes.removeFirst()
      return .escape
    default:
      bytes.removeFirst()
      guard let first = bytes.first, let character = plain(first, isAtPause: true) else {
        return .escape
      }
      return Key(alt: character)
    }
  }

  /// ESC and a letter that could have started a longer sequence: the letter with Alt.
  private mutating func alone() -> Key {
    let letter = bytes[1]
    bytes.removeFirst(2)
    return .alt(Character(Unicode.Scalar(letter)))
  }

  /// Decodes `ESC [`, parameters and a final byte that names the key.
  private mutating func sequence(isAtPause: Bool) -> Key? {
    guard let end = bytes[2...].firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
      if bytes.count > 64 { bytes.removeAll() }
      return nil
    }
    let final = bytes[end]
    guard (0x40...0x7E).contains(final) else {
      bytes.removeFirst(end)
      return .unknown
    }
    let isMouse = bytes[2] == UInt8(ascii: "<")
    let parameters = String(decoding: bytes[(isMouse ? 3 : 2)..<max(end, 3)], as: UTF8.self)
      .split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 1 }
    if isMouse {
      bytes.removeFirst(end + 1)
      return Key(mouse: parameters, isPress: final == UInt8(ascii: "M"))
    }
    if final == UInt8(ascii: "~") && parameters.first == 200 {
      bytes.removeFirst(end + 1)
      isPasting = true
      return pasted(isAtPause: isAtPause)
    }
    if end == 2, let key = special(final, isAtPause: isAtPause) { return key }
    bytes.removeFirst(end + 1)
    return Key(final: final, end == 2 ? [] : parameters)
  }

  /// The keys that go on behind their final byte: F1 to F5 of the Linux console, `ESC [ [ A` to `ESC
  /// [ [ E`, and the mouse of old terminals. Nil if it is none of them, and a nil inside of that if
  /// it is not complete.
  private mutating func special(_ final: UInt8, isAtPause: Bool) -> Key?? {
    let length: Int
    switch final {
    case UInt8(ascii: "["): length = 4
    case UInt8(ascii: "M"): length = 6
    default: return nil
    }
    guard bytes.count >= length else {
      guard isAtPause, length == 6 else { return .some(nil) }
      bytes.removeAll()
      return .unknown
    }
    let letter = bytes[3]
    bytes.removeFirst(length)
    guard length == 4, (0x41...0x45).contains(letter) else { return .unknown }
    return .function(Int(letter) - 0x40)
  }

  // MARK: Pasting

  /// Returns the pasted text, or the part of it that came before a pause or Ctrl-C; nil while more is expected.
  private mutating func pasted(isAtPause: Bool) -> Key? {
    let end = bytes.firstRange(of: Self.pasteEnd)
    let interrupt = bytes[..<(end?.lowerBound ?? bytes.endIndex)].firstIndex(of: Self.controlC)
    if let stop = interrupt ?? end?.lowerBound {
      let text = String(decoding: bytes[..<stop], as: UTF8.self)
      bytes.removeSubrange(..<(interrupt ?? end?.upperBound ?? stop))
      isPasting = false
      return .paste(text)
    }
    guard isAtPause || bytes.count > Self.pastePart else { return nil }
    // Neither a character nor the end is cut into two.
    var count = bytes.count
    if let escape = bytes.lastIndex(of: Self.escape), count - escape < Self.pasteEnd.count {
      count = escape
    }
    while count > 0, count < bytes.count, bytes[count] & 0xC0 == 0x80 { count -= 1 }
    if count == bytes.count { count -= Self.incompleteTail(bytes) }
    guard count > 0 else { return nil }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    bytes.removeFirst(count)
    return .paste(text)
  }

  /// The number of bytes at the end that begin a character of UTF-8 and do not finish it.
  private static func incompleteTail(_ bytes: [UInt8]) -> Int {
    for length in 1...min(3, bytes.count) {
      let byte = bytes[bytes.count - length]
      if byte & 0xC0 == 0x80 { continue }
      let wanted = byte < 0xC0 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
      return wanted > length ? length : 0
    }
    return 0
  }
}
