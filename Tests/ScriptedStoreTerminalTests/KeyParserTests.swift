import ScriptedStoreTerminal
import Testing

@Suite("Keys of a terminal")
struct KeyParserTests {
  /// The keys of some bytes that come at once, with a pause behind them.
  private func keys(_ bytes: [UInt8]) -> [Key] {
    var parser = KeyParser()
    parser.add(bytes)
    var keys: [Key] = []
    while let key = parser.next(isAtPause: false) ?? parser.next(isAtPause: true) {
      keys.append(key)
    }
    return keys
  }

  private func keys(_ text: String) -> [Key] { keys(Array(text.utf8)) }

  @Test(
    "A sequence is a key",
    arguments: [
      ("a", Key.character("a")), ("é", .character("é")), ("👍", .character("👍")), ("\t", .tab),
      ("\u{1B}[Z", .backTab), ("\r", .enter), ("\u{7F}", .backspace), ("\u{1B}[3~", .delete),
      ("\u{03}", .control("c")), ("\u{1B}n", .alt("n")), ("\u{1B}", .escape),
      ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[1;3A", .altUp), ("\u{1B}[1;3B", .altDown),
      ("\u{1B}[1;5C", .wordRight), ("\u{1B}[5~", .pageUp), ("\u{1B}[H", .home),
      ("\u{1B}OP", .function(1)), ("\u{1B}[24~", .function(12)),
      ("\u{1B}[200~a\nb\u{1B}[201~", .paste("a\nb")),
      ("\u{1B}[<0;5;3M", .mouse(MouseEvent(.press, column: 4, row: 2))),
      ("\u{1B}[<4;5;3M", .mouse(MouseEvent(.press, column: 4, row: 2))),
      ("\u{1B}[<0;5;3m", .mouse(MouseEvent(.other, column: 4, row: 2))),
      ("\u{1B}[<64;1;1M", .mouse(MouseEvent(.wheelUp, column: 0, row: 0))),
      ("\u{1B}[<65;1;1M", .mouse(MouseEvent(.wheelDown, column: 0, row: 0))),
      ("\u{1B}[<35;1;1M", .mouse(MouseEvent(.other, column: 0, row: 0))),
    ])
  func sequences(text: String, key: Key) {
    #expect(keys(text) == [key])
  }

  @Test("A key is the same in whatever portions its bytes come")
  func portions() {
    for text in ["\u{1B}[1;3A", "👍", "\u{1B}[<0;12;3M", "\u{1B}[200~é👍\u{1B}[201~", "\u{1B}OP"] {
      let whole = keys(text)
      var parser = KeyParser()
      var found: [Key] = []
      for byte in text.utf8 {
        parser.add([byte])
        while let key = parser.next(isAtPause: false) { found.append(key) }
      }
      #expect(found == whole)
    }
  }

  @Test(
    "What is no key does no harm, and Ctrl-C behind it is heard",
    arguments: [
      [0x1B, 0x5B], [0x1B, 0x5B, 0x3C], [0x1B, 0x5B, 0x31, 0x3B], [0x1B, 0x5B, 0x3C, 0x30, 0x3B],
      [0x80], [0xFF, 0xFE], [0xC3], [0xE2, 0x82], [0xF0, 0x9F], [0x1B, 0xC3], [0x1B, 0x4F],
      [0x1B, 0x5B, 0x3C, 0x2D, 0x31, 0x3B, 0x30, 0x3B, 0x30, 0x4D], [0x1B, 0x5B, 0x4D],
      Array("\u{1B}[<99999999999999999999;1;1M".utf8), Array("\u{1B}[<0;1M".utf8),
      Array("\u{1B}[200~half a paste".utf8), Array("\u{1B}[200~\u{1B}[20".utf8),
    ] as [[UInt8]])
  func junk(bytes: [UInt8]) {
    var parser = KeyParser()
    parser.add(bytes)
    while parser.next(isAtPause: true) != nil {}
    parser.add([0x03])
    var found: [Key] = []
    while let key = parser.next(isAtPause: true) { found.append(key) }
    #expect(found.last == .control("c") || bytes.starts(with: [0x1B, 0x5B, 0x4D]), "\(found)")
  }

  @Test("Any bytes are taken")
  func anything() {
    var state: UInt64 = 42
    for _ in 0..<2000 {
      var bytes: [UInt8] = []
      for _ in 0..<20 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let byte = UInt8(truncatingIfNeeded: state >> 33)
        bytes.append(byte & 3 == 0 ? [0x1B, 0x5B, 0x4D, 0x3C][Int(byte >> 2) & 3] : byte)
      }
      _ = keys(bytes)
    }
  }

  @Test("A paste whose end is late comes in parts, none of which cuts a character")
  func longPaste() {
    var parser = KeyParser()
    parser.add(Array("\u{1B}[200~aé".utf8).dropLast())
    #expect(parser.next(isAtPause: true) == .paste("a"))
    #expect(parser.next(isAtPause: true) == nil)
    parser.add([0xA9, 0x1B])
    #expect(parser.next(isAtPause: true) == .paste("é"))
    parser.add(Array("[201~x".utf8))
    #expect(parser.next(isAtPause: false) == .paste(""))
    #expect(parser.next(isAtPause: false) == .character("x"))
  }
}
