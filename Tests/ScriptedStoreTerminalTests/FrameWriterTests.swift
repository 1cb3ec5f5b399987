import TerminalEmulator
import Testing

@testable import ScriptedStoreTerminal

/// Frames of cells.
struct FrameWriterTests {
  private let unseen = FrameWriter.Cursor(column: 0, row: 0, isVisible: false)

  private func grid(_ columns: Int, _ rows: Int, _ text: String = "") -> CellGrid {
    var grid = CellGrid(TerminalSize(columns: columns, rows: rows))
    for (row, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      for (column, character) in line.enumerated() {
        grid.put(character, width: 1, .usual, column: column, row: row)
      }
    }
    return grid
  }

  @Test func oneChangedCellOf20050CostsAtMost40BytesWithTheCursorInAField() {
    let lines = (0..<50).map { "\($0) " + String(repeating: "text ", count: 38) }
    let before = grid(200, 50, lines.joined(separator: "\n"))
    for (column, row) in [(0, 0), (120, 30), (199, 49)] {
      var writer = FrameWriter()
      let cursor = FrameWriter.Cursor(column: 150, row: 44, isVisible: true)
      _ = writer.bytes(for: before, cursor)
      var after = before
      let pen = Pen(attributes: [.bold, .dim, .reverse], color: .red)
      after.put("日", width: column == 199 ? 1 : 2, pen, column: column, row: row)
      let bytes = writer.bytes(for: after, cursor)
      #expect(bytes.count <= 40, "\(bytes.count)")
      #expect(writer.bytes(for: after, cursor).isEmpty)
    }
  }

  @Test func aTerminalShowsEachOfManyRandomFramesWhateverItShowedBefore() {
    var state: UInt64 = 7
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(count))
    }
    let pens = [
      Pen.usual, Pen(attributes: .bold), Pen(attributes: [.dim, .reverse], color: .red),
      Pen(color: .cyan),
    ]
    let characters: [(Character, UInt8)] = [
      (" ", 1), ("a", 1), ("b", 1), ("é", 1), ("日", 2), ("👍", 2), ("─", 1),
    ]
    var writer = FrameWriter()
    var terminal = TerminalEmulator(columns: 23, rows: 7)
    terminal.take("\u{1B}[?7l".utf8)
    var cells = grid(23, 7)
    for round in 0..<400 {
      for _ in 0..<[1, 3, 40, 200][random(4)] {
        let (character, width) = characters[random(characters.count)]
        cells.put(
          character, width: width, pens[random(pens.count)], column: random(23), row: random(7))
      }
      if round % 50 == 0 { writer.forget() }
      let cursor = FrameWriter.Cursor(column: random(23), row: random(7), isVisible: round % 2 == 0)
      terminal.take(writer.bytes(for: cells, cursor))
      #expect(terminal.lines == lines(of: cells))
      #expect(terminal.cursor == (cursor.column, cursor.row))
      #expect(terminal.modes.contains(25) == cursor.isVisible)
    }
  }

  private func lines(of grid: CellGrid) -> [String] {
    (0..<grid.size.rows).map { row in
      var text = String(grid[row].filter { $0.width > 0 }.map(\.character))
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  @Test func severalChangesAreOneSynchronizedUpdateDuringWhichTheCursorIsNotSeen() {
    var writer = FrameWriter()
    let cursor = FrameWriter.Cursor(column: 1, row: 1, isVisible: true)
    _ = writer.bytes(for: grid(10, 3, "one\ntwo\nthree"), cursor)
    let bytes = writer.bytes(for: grid(10, 3, "One\ntwo\nThree"), cursor)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.hasPrefix("\u{1B}[?2026h\u{1B}[?25l"))
    #expect(text.hasSuffix("\u{1B}[?25h\u{1B}[?2026l"))
  }

  @Test func anotherSizeIsWrittenWhole() {
    var writer = FrameWriter()
    _ = writer.bytes(for: grid(10, 3, "one"), unseen)
    let bytes = writer.bytes(for: grid(12, 3, "one"), unseen)
    #expect(String(decoding: bytes, as: UTF8.self).contains("\u{1B}[2J"))
  }

  @Test func halfOfAWideCharacterThatIsWrittenOverBecomesBlank() {
    var cells = grid(6, 1)
    cells.put("日", width: 2, .usual, column: 1, row: 0)
    cells.put("x", width: 1, .usual, column: 2, row: 0)
    #expect(lines(of: cells) == ["  x"])
    cells.put("日", width: 2, .usual, column: 1, row: 0)
    cells.put("x", width: 1, .usual, column: 1, row: 0)
    #expect(lines(of: cells) == [" x"])
    cells.put("日", width: 2, .usual, column: 5, row: 0)
    #expect(lines(of: cells) == [" x"])
  }

  @Test func aPenChangesByWhatIsDifferent() {
    let bold = Pen(attributes: .bold)
    let red = Pen(attributes: .bold, color: .red)
    #expect(red.sequence(from: bold) == "\u{1B}[31m")
    #expect(bold.sequence(from: red) == "\u{1B}[39m")
    #expect(Pen(attributes: .dim, color: .red).sequence(from: red) == "\u{1B}[0;2;31m")
    #expect(Pen.usual.sequence(from: red) == "\u{1B}[m")
    #expect(red.sequence(from: red) == "")
  }
}
