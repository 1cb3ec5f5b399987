import ScriptValue

/// A grid of cells on which a screen is drawn. Text is one reading of it, a terminal another one.
///
/// It is as wide as it was made, and as high as what was drawn. What would be beyond the right edge
/// is left out.
public struct Canvas: Sendable, Hashable {
  /// One column of one line.
  public struct Cell: Sendable, Hashable {
    /// A space in a cell to which nothing was drawn.
    public var character: Character
    /// The columns of the character: 1 or 2. The second cell of a wide character has 0.
    public var width: UInt8
    /// What the character means.
    public var style: Style
    /// The index in ``Canvas/owners`` of the node that drew the cell; -1 for none.
    public var owner: Int32 = -1
    /// Which part of the node the cell shows, from 1: an option, a tab, a character of a field's
    /// text, a mark of a slider; of a stepper 1 is less and 2 more. 0 for the node as a whole.
    public var part: UInt32 = 0

    static let blank = Cell(character: " ", width: 1, style: [])

    /// The second half of a wide character.
    static func continuation(of cell: Cell) -> Cell {
      Cell(character: " ", width: 0, style: cell.style, owner: cell.owner, part: cell.part)
    }
  }

  /// What a cell means, for renderers that have more than characters.
  public struct Style: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let title = Style(rawValue: 1 << 0)
    public static let headline = Style(rawValue: 1 << 1)
    public static let caption = Style(rawValue: 1 << 2)
    public static let code = Style(rawValue: 1 << 3)
    /// A text that stands for one that is not there, as a prompt or a note.
    public static let placeholder = Style(rawValue: 1 << 4)
    /// Something that can be used.
    public static let control = Style(rawValue: 1 << 5)
    public static let disabled = Style(rawValue: 1 << 6)
    /// Chosen, selected, or on.
    public static let selected = Style(rawValue: 1 << 7)
    public static let focused = Style(rawValue: 1 << 8)
    /// A line of a frame, or under a title.
    public static let rule = Style(rawValue: 1 << 9)
    public static let accent = Style(rawValue: 1 << 10)
    public static let success = Style(rawValue: 1 << 11)
    public static let warning = Style(rawValue: 1 << 12)
    public static let danger = Style(rawValue: 1 << 13)
    public static let secondary = Style(rawValue: 1 << 14)

    /// The style of a `tone`.
    static func tone(_ word: String?) -> Style {
      switch word {
      case "accent": .accent
      case "success": .success
      case "warning": .warning
      case "danger": .danger
      case "secondary": .secondary
      default: []
      }
    }
  }

  /// The number of columns.
  public let width: Int
  /// From the top. A line ends with the last cell that was drawn.
  public private(set) var lines: [[Cell]] = []
  /// The paths of the nodes that drew cells.
  public private(set) var owners: [ViewPath] = []
  /// Where the caret of the edited field is: its column and line, from 0. Nil if no field is edited.
  public internal(set) var caret: Position?

  public struct Position: Sendable, Hashable {
    public var column: Int
    public var line: Int

    public init(column: Int, line: Int) {
      self.column = column
      self.line = line
    }
  }

  /// The widest drawing. A line over the whole width takes memory for each column.
  private static let mostColumns = 100_000

  /// An empty canvas of at least one column, and at most 100,000.
  public init(width: Int) { self.width = min(max(width, 1), Canvas.mostColumns) }

  /// The node that drew a cell, by its column and line from 0; nil if there is none. O(1).
  public func owner(column: Int, line: Int) -> ViewPath? {
    guard lines.indices.contains(line), lines[line].indices.contains(column) else { return nil }
    let index = Int(lines[line][column].owner)
    return owners.indices.contains(index) ? owners[index] : nil
  }

  /// The drawing as text: lines without blanks at their end.
  public var text: String {
    var text = ""
    for (index, line) in lines.enumerated() {
      if index > 0 { text.append("\n") }
      let end = line.lastIndex { $0.character != " " } ?? -1
      for cell in line[...end] where cell.width > 0 { text.append(cell.character) }
    }
    return text
  }

  /// The cells of one line of text, which is made visible as any text of a state.
  package static func cells(of text: String, _ style: Style = []) -> [Cell] {
    StyledText(text, style).lines[0]
  }

  // MARK: Drawing

  /// Registers the owner of cells that are drawn next.
  mutating func owner(_ path: ViewPath) -> Int32 {
    if owners.last != path { owners.append(path) }
    return Int32(truncatingIfNeeded: owners.count - 1)
  }

  /// Draws cells from a column on. Where a wide character would not fit, a blank is left.
  mutating func draw(_ cells: some Sequence<Cell>, x: Int, y: Int, owner: Int32) {
    extend(toLine: y)
    var x = x
    for var cell in cells {
      let cellWidth = Int(cell.width)
      guard x >= 0, x + cellWidth <= width else { return }
      cell.owner = owner
      while lines[y].count < x + cellWidth { lines[y].append(.blank) }
      lines[y][x] = cell
      if cellWidth == 2 { lines[y][x + 1] = .continuation(of: cell) }
      x += cellWidth
    }
  }

  /// Makes room for lines up to this one.
  mutating func extend(toLine y: Int) {
    while lines.count <= y { lines.append([]) }
  }
}

extension Sequence<Canvas.Cell> {
  /// The columns that the cells take.
  package var columns: Int { reduce(0) { $0 + Int($1.width) } }
}
