/// Blocks one below the other.
struct ColumnBlock: Block {
  private let blocks: [any Block]
  /// The blank lines between two blocks.
  private let spacing: Int
  let naturalWidth: Int
  let minimumWidth: Int
  let isApart: Bool

  init(_ blocks: [any Block], spacing: Int = 0, isApart: Bool = false) {
    self.blocks = blocks
    self.spacing = spacing
    self.isApart = isApart
    naturalWidth = blocks.reduce(0) { max($0, $1.naturalWidth) }
    minimumWidth = blocks.reduce(0) { max($0, $1.minimumWidth) }
  }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    var height = 0
    var previous: (any Block)?
    for block in blocks {
      var gap = 0
      if let previous, height > 0 {
        gap = max(spacing, previous.isApart || block.isApart ? 1 : 0)
      }
      let drawn = block.draw(on: &canvas, x: x, y: y + height + gap, width: width)
      // What draws nothing leaves no gap, either.
      guard drawn > 0 else { continue }
      height += gap + drawn
      previous = block
    }
    return height
  }
}

/// A block that is moved to the right, as long as there is room.
struct IndentBlock: Block {
  private let block: any Block
  /// Drawn at the left of the first line.
  private let marker: TextBlock?

  init(_ block: any Block, marker: TextBlock? = nil) {
    self.block = block
    self.marker = marker
  }

  var naturalWidth: Int { block.naturalWidth + IndentBlock.indent }
  var minimumWidth: Int { block.minimumWidth + IndentBlock.indent }
  var isApart: Bool { block.isApart }
  var grows: Bool { block.grows }

  /// In columns.
  private static let indent = 2
  /// A narrower block is not indented any more, so that deep trees stay on the canvas.
  private static let leastWidth = 16

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let indent = IndentBlock.indent
    let offset = marker != nil || width - indent >= IndentBlock.leastWidth ? indent : 0
    let height = block.draw(on: &canvas, x: x + offset, y: y, width: max(width - offset, 1))
    guard let marker, height > 0 else { return height }
    return max(height, marker.draw(on: &canvas, x: x, y: y, width: indent))
  }
}

/// A block in a frame with a title.
struct FrameBlock: Block {
  let title: StyledText
  let content: any Block
  let owner: ViewPath

  /// The title with a blank at each side.
  private var titleWidth: Int { title.lastWidth + 2 }

  var naturalWidth: Int { max(content.naturalWidth + 4, titleWidth + 3) }
  var minimumWidth: Int { max(content.minimumWidth, 8) + 4 }
  var isApart: Bool { true }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let width = min(width, naturalWidth)
    let inner = max(width - 4, 1)
    let height = content.draw(on: &canvas, x: x + 2, y: y + 1, width: inner)
    let owner = canvas.owner(owner)
    func line(_ left: Character, _ right: Character, _ y: Int) {
      let cells =
        [left] + Array(repeating: "─" as Character, count: max(width - 2, 0)) + [right]
      canvas.draw(cells.map { cell($0) }, x: x, y: y, owner: owner)
    }
    func cell(_ character: Character) -> Canvas.Cell {
      Canvas.Cell(character: character, width: 1, style: .rule)
    }
    line("┌", "┐", y)
    if titleWidth + 2 <= width {
      canvas.draw([.blank] + title.lines[0] + [.blank], x: x + 1, y: y, owner: owner)
    }
    for offset in 1..<height + 1 {
      canvas.draw([cell("│")], x: x, y: y + offset, owner: owner)
      canvas.draw([cell("│")], x: x + width - 1, y: y + offset, owner: owner)
    }
    line("└", "┘", y + height + 1)
    return height + 2
  }
}
