// KeyParser decodes the bytes that a terminal sends into keys.
//
//   ESC [ parameters final         a key of xterm and compatible terminals
//   ESC [ 200 ~ text ESC [ 201 ~   pasted text
//   ESC [ [ letter                 F1 to F5 of the Linux console
//   ESC O final                    a cursor or function key in application mode
//   ESC character                  the character with Alt
//   ESC                            Escape
//   other bytes                    one character in UTF-8, or a control character
//
// 1. Bytes may arrive in any portions. `next` returns nil, and removes nothing, while a key is
//    incomplete. Exceptions: invariant 3, and the character after ESC, which is decoded from the
//    bytes that are there.
// 2. A single ESC is ambiguous: it is Escape, or the start of a sequence. The caller resolves this
//    by time: `isAtPause` means that no further byte arrives soon.
// 3. A sequence `ESC [` of more than 64 bytes without a final byte is discarded.

/// Decodes the keys from the bytes of a terminal.
struct KeyParser {
  private var bytes: [UInt8] = []

  private static let escape: UInt8 = 0x1B
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  mutating func add(_ more: some Sequence<UInt8>) { bytes += more }

  /// True if the bytes so far are the start of a key.
  var isInsideKey: Bool { !bytes.isEmpty }

  /// Returns the next key, or nil if it is not complete.
  ///
  /// - Parameter isAtPause: no further byte arrives soon, so a single ESC is the Escape key.
  mutating func next(isAtPause: Bool) -> Key? {
    guard let first = bytes.first else { return nil }
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
    case UInt8(ascii: "["): return sequence()
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
  private mutating func sequence() -> Key? {
    guard let end = bytes[2...].firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      // No key is this long, so the bytes are noise.
      if bytes.count > 64 { bytes.removeAll() }
      return nil
    }
    let parameters = String(decoding: bytes[2..<end], as: UTF8.self)
      .split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 1 }
    let final = bytes[end]
    if final == UInt8(ascii: "~") && parameters.first == 200 { return paste(from: end + 1) }
    // The Linux console sends F1 to F5 as `ESC [ [ A` to `ESC [ [ E`.
    if end == 2 && final == UInt8(ascii: "[") {
      guard bytes.count > 3 else { return nil }
      let letter = bytes[3]
      bytes.removeFirst(4)
      return (0x41...0x45).contains(letter) ? .function(Int(letter) - 0x40) : .unknown
    }
    bytes.removeFirst(end + 1)
    return Key(final: final, parameters)
  }

  private mutating func paste(from start: Int) -> Key? {
    guard let end = bytes[start...].firstRange(of: Self.pasteEnd) else { return nil }
    let text = String(decoding: bytes[start..<end.lowerBound], as: UTF8.self)
    bytes.removeSubrange(..<end.upperBound)
    return .paste(text)
  }
}
