/// A terminal as far as the tests need one: it takes bytes and knows which characters it shows, where
/// its cursor is, and which modes are on.
///
/// Wide characters are those of East Asian scripts and emoji that the tests use.
public struct TerminalEmulator {
  public struct Cell: Hashable, Sendable {
    /// Empty for the second half of a wide character.
    public var text = " "
    /// The parameters of the pen that are on, in order: `1` is bold, `7` reverse, `31` red.
    public var pen: Set<Int> = []
  }

  public private(set) var columns: Int
  public private(set) var rows: Int
  public private(set) var cells: [[Cell]]
  public private(set) var cursor = (column: 0, row: 0)
  /// The private modes that are on, as 1049 for the alternate screen.
  public private(set) var modes: Set<Int> = [7, 25]
  /// How often the alternate screen was left.
  public private(set) var departures = 0
  private var pen: Set<Int> = []
  private var pending: [UInt8] = []
  private var main: [[Cell]]?

  public init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
  }

  /// The rows without blanks at their end.
  public var lines: [String] {
    cells.map { row in
      var text = row.map(\.text).joined()
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  public var text: String { lines.joined(separator: "\n") }

  public mutating func resize(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    cells = (0..<rows).map { row in
      (0..<columns).map { column in
        cells.indices.contains(row) && cells[row].indices.contains(column)
          ? cells[row][column] : Cell()
      }
    }
    cursor = (min(cursor.column, columns - 1), min(cursor.row, rows - 1))
  }

  public mutating func take(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    while let count = step() { pending.removeFirst(count) }
  }

  /// Handles what the bytes begin with. Returns how many bytes that were; nil if it is incomplete.
  private mutating func step() -> Int? {
    guard let first = pending.first else { return nil }
    switch first {
    case 0x1B: return escape()
    case 0x0D: cursor.column = 0
    case 0x0A: cursor.row = min(cursor.row + 1, rows - 1)
    case 0x08: cursor.column = max(cursor.column - 1, 0)
    case ..<0x20: break
    default: return character()
    }
    return 1
  }

  private mutating func escape() -> Int? {
    guard pending.count > 1 else { return nil }
    guard pending[1] == UInt8(ascii: "[") else { return 2 }
    guard let end = pending[2...].firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return nil
    }
    var text = String(decoding: pending[2..<end], as: UTF8.self)
    let isPrivate = text.first == "?"
    if isPrivate { text.removeFirst() }
    let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    control(Character(Unicode.Scalar(pending[end])), numbers, isPrivate)
    return end + 1
  }

  private mutating func control(_ final: Character, _ numbers: [Int], _ isPrivate: Bool) {
    let first = max(numbers.first ?? 1, 1)
    switch final {
    case "H":
      let column = numbers.count > 1 ? max(numbers[1], 1) : 1
      cursor = (min(column, columns) - 1, min(first, rows) - 1)
    case "A": cursor.row = max(cursor.row - first, 0)
    case "C": cursor.column = min(cursor.column + first, columns - 1)
    case "J":
      if numbers.first == 2 {
        cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
      } else {
        clearRow()
        for row in cells.indices where row > cursor.row {
          cells[row] = Array(repeating: Cell(), count: columns)
        }
      }
    case "K": clearRow()
    case "m": setPen(numbers)
    case "h" where isPrivate: for number in numbers { set(number, true) }
    case "l" where isPrivate: for number in numbers { set(number, false) }
    default: break
    }
  }

  private mutating func clearRow() {
    for column in cursor.column..<columns { cells[cursor.row][column] = Cell() }
  }

  private mutating func setPen(_ numbers: [Int]) {
    for number in numbers {
      switch number {
      case 0: pen = []
      case 30...39:
        pen = pen.filter { !(30...39).contains($0) }
        if number != 39 { pen.insert(number) }
      default: pen.insert(number)
      }
    }
  }

  private mutating func set(_ mode: Int, _ isOn: Bool) {
    if isOn { modes.insert(mode) } else { modes.remove(mode) }
    guard mode == 1049 else { return }
    if isOn {
      main = cells
      cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
    } else if let main {
      departures += 1
      cells = main
      resize(columns: columns, rows: rows)
    }
  }

  private mutating func character() -> Int? {
    let first = pending[0]
    let count = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard pending.count >= count else { return nil }
    let text = String(decoding: pending[..<count], as: UTF8.self)
    let value = text.unicodeScalars.first?.value ?? 0
    let isMark = 0x300...0x36F ~= value || 0xFE00...0xFE0F ~= value || value == 0x200D
    if isMark {
      let column = max(cursor.column - 1, 0)
      let lead = cells[cursor.row][column].text.isEmpty ? max(column - 1, 0) : column
      cells[cursor.row][lead].text += text
      return count
    }
    put(
      text,
      isWide: 0x1100...0x115F ~= value || 0x2E80...0xA4CF ~= value
        || 0xAC00...0xD7A3 ~= value || 0xFF01...0xFF60 ~= value || value >= 0x1F300)
    return count
  }

  private mutating func put(_ text: String, isWide: Bool) {
    if cursor.column >= columns {
      guard modes.contains(7) else {
        cursor.column = columns - 1
        return put(text, isWide: isWide)
      }
      cursor = (0, min(cursor.row + 1, rows - 1))
    }
    let (row, column) = (cursor.row, cursor.column)
    clearHalf(row, column)
    cells[row][column] = Cell(text: text, pen: pen)
    if isWide, column + 1 < columns {
      clearHalf(row, column + 1)
      cells[row][column + 1] = Cell(text: "", pen: pen)
    }
    cursor.column = column + (isWide ? 2 : 1)
  }

  /// Overwriting half of a wide character blanks the other half.
  private mutating func clearHalf(_ row: Int, _ column: Int) {
    if cells[row][column].text.isEmpty, column > 0 { cells[row][column - 1].text = " " }
    if column + 1 < columns, cells[row][column + 1].text.isEmpty {
      cells[row][column + 1].text = " "
    }
  }
}
