// KeyParser decodes the bytes that a terminal sends into keys.
//
//   ESC [ parameters final         a key of xterm and compatible terminals
//   ESC [ < parameters M           the mouse; with m the release of a button
//   ESC [ M three bytes            the mouse of terminals that do not know the form above
//   ESC [ 200 ~ text ESC [ 201 ~   pasted text
//   ESC [ [ letter                 F1 to F5 of the Linux console
//   ESC O final                    a cursor or function key in application mode
//   ESC ] text ESC \               an answer of the terminal: with ] (OSC), P (DCS), X (SOS), ^ (PM) or _ (APC).
//                                  BEL may stand for its end
//   ESC character                  the character with Alt
//   ESC                            Escape
//   other bytes                    one character in UTF-8, or a control character
//
// 1. Bytes may arrive in any portions. `next` returns nil, and removes nothing, while a key is
//    incomplete. Exceptions: invariants 3, 4 and 5.
// 2. Only the bytes at the beginning of a sequence are ambiguous: ESC is Escape, or the start of a
//    sequence; ESC O is Alt-O, or the start of one. The caller resolves this by time: `isAtPause`
//    means that no further byte arrives soon. Everything else waits for its rest, however late that
//    comes: a letter of two bytes may come in two packets. Where the pause took an ESC for Escape, a
//    report of the mouse that follows without its ESC is still one.
// 3. A sequence `ESC [` ends where a byte comes that belongs into none, as that of Ctrl-C, and after
//    64 bytes. What came before is discarded.
// 4. Pasted text is handed over in parts if its end is late, so that a paste that never ends takes
//    no memory. Ctrl-C ends such a paste.
// 5. The text of an answer is discarded as it comes, up to its end or a control character, as that of
//    Enter.

/// Decodes the keys from the bytes of a terminal.
package struct KeyParser {
  private var bytes: [UInt8] = []
  private var isPasting = false
  private var isInAnswer = false
  /// Whether a pause made the last ESC the Escape key, and nothing has come since.
  private var hasEscaped = false

  private static let escape: UInt8 = 0x1B
  private static let bell: UInt8 = 0x07
  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  private static let controlC: UInt8 = 0x03
  /// A longer part of a paste is handed over before its end has come.
  private static let pastePart = 1 << 16
  /// A longer sequence is none.
  private static let longestSequence = 64

  package init() {}

  package mutating func add(_ more: some Sequence<UInt8>) { bytes += more }

  /// Whether a pause would make a key of the bytes so far.
  package var awaitsPause: Bool {
    var parser = self
    return parser.next(isAtPause: true) != nil
  }

  /// Returns the next key, or nil if it is not complete.
  ///
  /// - Parameter isAtPause: no further byte arrives soon, so a single ESC is the Escape key.
  package mutating func next(isAtPause: Bool) -> Key? {
    guard let first = bytes.first else { return nil }
    if isPasting { return pasted(isAtPause: isAtPause) }
    if isInAnswer { return answer() }
    if hasEscaped {
      if let late = lateReport(isAtPause: isAtPause) { return late }
      hasEscaped = false
    }
    if first == Self.escape { return escaped(isAtPause: isAtPause) }
    guard let (character, count) = character(at: 0) else { return nil }
    bytes.removeFirst(count)
    return Key(typed: character)
  }

  // MARK: Characters

  /// Decodes one Unicode scalar; nil while bytes are missing. It does not wait for combining marks,
  /// which may follow as keys of their own. A byte that belongs to no character is U+FFFD.
  private func character(at index: Int) -> (Character, count: Int)? {
    let wanted = Self.count(of: bytes[index])
    let rest = bytes[(index + 1)...].prefix(wanted - 1).prefix { $0 & 0xC0 == 0x80 }
    guard rest.count == wanted - 1 || rest.endIndex < bytes.endIndex else { return nil }
    let scalars = String(decoding: bytes[index..<rest.endIndex], as: UTF8.self).unicodeScalars
    let isOne = scalars.dropFirst().isEmpty
    return (isOne ? scalars.first.map(Character.init) ?? "\u{FFFD}" : "\u{FFFD}", 1 + rest.count)
  }

  /// The number of bytes of the character that a byte begins; 1 if it begins none.
  private static func count(of first: UInt8) -> Int {
    switch first {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }

  // MARK: Sequences

  private mutating func escaped(isAtPause: Bool) -> Key? {
    guard bytes.count > 1 else {
      guard isAtPause else { return nil }
      bytes.removeFirst()
      hasEscaped = true
      return .escape
    }
    switch bytes[1] {
    case UInt8(ascii: "["): return sequence(isAtPause: isAtPause)
    case UInt8(ascii: "O"):
      guard bytes.count > 2 else { return isAtPause ? alone() : nil }
      let final = bytes[2]
      bytes.removeFirst(3)
      return Key(final: final, [])
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
      UInt8(ascii: "_"):
      guard bytes.count > 2 else { return isAtPause ? alone() : nil }
      bytes.removeFirst(2)
      isInAnswer = true
      return answer()
    case Self.escape:
      bytes.removeFirst()
      return .escape
    default:
      guard let (character, count) = character(at: 1) else { return nil }
      bytes.removeFirst(1 + count)
      return Key(alt: character)
    }
  }

  /// Discards the text of an answer; nil while its end is missing.
  private mutating func answer() -> Key? {
    guard let end = bytes.firstIndex(where: { $0 < 0x20 || $0 == 0x7F }) else {
      bytes.removeAll()
      return nil
    }
    bytes.removeFirst(end)
    var length = bytes[0] == Self.bell ? 1 : 0
    if bytes[0] == Self.escape {
      guard bytes.count > 1 else { return nil }
      length = bytes[1] == UInt8(ascii: "\\") ? 2 : 0
    }
    bytes.removeFirst(length)
    isInAnswer = false
    return .unknown
  }

  /// The report of the mouse whose ESC was taken for Escape: `[ < parameters M`. Nil if the bytes are
  /// none, and a nil inside of that if it is not complete.
  private mutating func lateReport(isAtPause: Bool) -> Key?? {
    guard bytes[0] == UInt8(ascii: "[") else { return nil }
    guard bytes.count > 1 else { return isAtPause ? nil : .some(nil) }
    guard bytes[1] == UInt8(ascii: "<") else { return nil }
    guard let end = bytes[2...].firstIndex(where: { !(0x30...0x3B).contains($0) }) else {
      return bytes.count > Self.longestSequence ? nil : .some(nil)
    }
    guard [UInt8(ascii: "M"), UInt8(ascii: "m")].contains(bytes[end]) else { return nil }
    hasEscaped = false
    return mouse(Self.parameters(bytes[2..<end]), upTo: end)
  }

  private mutating func mouse(_ parameters: [Int], upTo end: Int) -> Key {
    let isPress = bytes[end] == UInt8(ascii: "M")
    bytes.removeFirst(end + 1)
    return Key(mouse: parameters, isPress: isPress)
  }

  /// Numbers that are separated by semicolons; 1 for each that is missing.
  private static func parameters(_ bytes: ArraySlice<UInt8>) -> [Int] {
    String(decoding: bytes, as: UTF8.self).split(separator: ";", omittingEmptySubsequences: false)
      .map { Int($0) ?? 1 }
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
      if bytes.count > Self.longestSequence { bytes.removeAll() }
      return nil
    }
    let final = bytes[end]
    guard (0x40...0x7E).contains(final) else {
      bytes.removeFirst(end)
      return .unknown
    }
    switch bytes[2] {
    case UInt8(ascii: "<"): return mouse(Self.parameters(bytes[3..<max(end, 3)]), upTo: end)
    case UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "?"):
      // An answer of the terminal, which is no key.
      bytes.removeFirst(end + 1)
      return .unknown
    default: break
    }
    let parameters = Self.parameters(bytes[2..<end])
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
    if count == bytes.count, let lead = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }),
      lead + Self.count(of: bytes[lead]) > count
    {
      count = lead
    }
    guard count > 0 else { return nil }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    bytes.removeFirst(count)
    return .paste(text)
  }
}
