import ScriptedStoreTerminal
import Testing

/// Keys of a terminal.
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

  @Test(arguments: [
    ("a", Key.character("a")), ("é", .character("é")), ("👍", .character("👍")), ("\t", .tab),
    ("\u{1B}[Z", .backTab), ("\r", .enter), ("\u{7F}", .backspace), ("\u{1B}[3~", .delete),
    ("\u{03}", .control("c")), ("\u{1B}n", .alt("n")), ("\u{1B}", .escape),
    ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[1;3A", .altUp), ("\u{1B}[1;3B", .altDown),
    ("\u{1B}[1;3C", .altRight), ("\u{1B}[1;3D", .altLeft), ("\u{1B}[1;7D", .altLeft),
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
  func aSequenceIsAKey(text: String, key: Key) {
    #expect(keys(text) == [key])
  }

  @Test func aKeyIsTheSameInWhateverPortionsItsBytesCome() {
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
    arguments: [
      [0x1B, 0x5B], [0x1B, 0x5B, 0x3C], [0x1B, 0x5B, 0x31, 0x3B], [0x1B, 0x5B, 0x3C, 0x30, 0x3B],
      [0x80], [0xFF, 0xFE], [0xC3], [0xE2, 0x82], [0xF0, 0x9F], [0x1B, 0xC3], [0x1B, 0x4F],
      [0x1B, 0x5B, 0x3C, 0x2D, 0x31, 0x3B, 0x30, 0x3B, 0x30, 0x4D], [0x1B, 0x5B, 0x4D],
      Array("\u{1B}[<99999999999999999999;1;1M".utf8), Array("\u{1B}[<0;1M".utf8),
      Array("\u{1B}[200~half a paste".utf8), Array("\u{1B}[200~\u{1B}[20".utf8),
      Array("\u{1B}]11;rgb:".utf8), Array("\u{1B}P>|half".utf8), Array("\u{1B}_".utf8),
    ] as [[UInt8]])
  func whatIsNoKeyDoesNoHarmAndCtrlCBehindItIsHeard(bytes: [UInt8]) {
    var parser = KeyParser()
    parser.add(bytes)
    while parser.next(isAtPause: true) != nil {}
    parser.add([0x03])
    var found: [Key] = []
    while let key = parser.next(isAtPause: true) { found.append(key) }
    #expect(found.last == .control("c") || bytes.starts(with: [0x1B, 0x5B, 0x4D]), "\(found)")
  }

  @Test func anyBytesAreTaken() {
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

  @Test(arguments: ["é", "日", "👍", "\u{1B}é"])
  func aCharacterWhoseBytesComeLateIsWhole(text: String) {
    var parser = KeyParser()
    var found: [Key] = []
    // ESC by itself would be Escape after a pause.
    let first = text.hasPrefix("\u{1B}") ? 2 : 1
    parser.add(text.utf8.prefix(first))
    for byte in text.utf8.dropFirst(first) {
      let waits = !parser.awaitsPause && parser.next(isAtPause: true) == nil
      #expect(waits)
      parser.add([byte])
    }
    while let key = parser.next(isAtPause: true) { found.append(key) }
    #expect(found == keys(text))
    #expect(found == [text.hasPrefix("\u{1B}") ? .alt("é") : .character(Character(text))])
  }

  @Test(
    arguments: [[0x80], [0xC3], [0xE2], [0xE2, 0x82], [0xF0], [0xF0, 0x9F, 0x91], [0xFF], [0xC0]]
      as [[UInt8]])
  func aByteThatBelongsToNoCharacterTakesNoLetterWithIt(bytes: [UInt8]) {
    let found = keys(bytes + Array("abc\u{1B}[A".utf8))
    #expect(found.first == .character("\u{FFFD}"))
    #expect(found.suffix(4) == [.character("a"), .character("b"), .character("c"), .up])
  }

  @Test(arguments: [
    "\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\", "\u{1B}]11;rgb:ffff/ffff/ffff\u{07}",
    "\u{1B}]l\u{E9}\u{1B}\\", "\u{1B}P>|xterm(380)\u{1B}\\", "\u{1B}P1+r544e=78\u{1B}\\",
    "\u{1B}_Gi=31;OK\u{1B}\\", "\u{1B}^private\u{1B}\\", "\u{1B}Xstring\u{1B}\\",
    "\u{1B}[?62;22c", "\u{1B}[>0;276;0c", "\u{1B}[12;40R", "\u{1B}[?12;40R", "\u{1B}[?2026;2$y",
    "\u{1B}[8;24;80t", "\u{1B}[I",
  ])
  func anAnswerOfTheTerminalIsNotTypedInWhateverPortionsItComes(text: String) {
    #expect(keys(text + "x") == [.unknown, .character("x")])
    var parser = KeyParser()
    var found: [Key] = []
    for (index, byte) in (Array(text.utf8) + [0x78]).enumerated() {
      parser.add([byte])
      // The first bytes are ambiguous.
      let isAtPause = index > 1
      while let key = parser.next(isAtPause: isAtPause) { found.append(key) }
      #expect(index < 2 || !parser.awaitsPause)
    }
    #expect(found == [.unknown, .character("x")])
  }

  @Test func altWithTheFirstLetterOfAnAnswerIsAKeyIfNothingFollows() {
    #expect(keys("\u{1B}P") == [.alt("P")])
    #expect(keys("\u{1B}_") == [.alt("_")])
  }

  @Test func whatIsTypedAfterHalfAnAnswerIsTypedFromTheNextEnterOn() {
    #expect(keys("\u{1B}]11;rgb\rab") == [.unknown, .enter, .character("a"), .character("b")])
    #expect(keys("\u{1B}]11;rgb\u{1B}[Aa") == [.unknown, .up, .character("a")])
  }

  @Test func aReportOfTheMouseThatComesAfterItsESCIsNoText() {
    var parser = KeyParser()
    parser.add([0x1B])
    #expect(parser.awaitsPause)
    #expect(parser.next(isAtPause: true) == .escape)
    parser.add(Array("[<0;5".utf8))
    #expect(parser.next(isAtPause: true) == nil)
    parser.add(Array(";3M[<".utf8))
    #expect(parser.next(isAtPause: true) == .mouse(MouseEvent(.press, column: 4, row: 2)))
    #expect(parser.next(isAtPause: true) == .character("["))
    #expect(parser.next(isAtPause: true) == .character("<"))
    for typed in ["[", "[a", "[<a", "x[<0;5;3M"] {
      parser.add([0x1B])
      #expect(parser.next(isAtPause: true) == .escape)
      parser.add(Array(typed.utf8))
      for character in typed { #expect(parser.next(isAtPause: true) == .character(character)) }
    }
  }

  @Test func aPasteWhoseEndIsLateComesInPartsNoneOfWhichCutsACharacter() {
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
