/// A part of a drawing that can be measured and then placed.
///
/// Widths are known from the start, because each block is made of blocks that know theirs. Heights
/// are known when a block is drawn, from top to bottom. So a drawing measures and places each node
/// once.
protocol Block {
  /// The columns that it takes if there is room enough.
  var naturalWidth: Int { get }
  /// The columns that it needs to be readable. With fewer, texts are broken within words.
  var minimumWidth: Int { get }
  /// Whether blank lines stand between it and its neighbours in a column.
  var isApart: Bool { get }
  /// Whether it takes room that is left in a row.
  var grows: Bool { get }

  /// Draws it with its upper left corner at a cell.
  ///
  /// - Returns: the number of lines.
  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int
}

extension Block {
  var isApart: Bool { false }
  var grows: Bool { false }
}

/// A block with other properties than those of the block itself.
struct ModifiedBlock: Block {
  enum Alignment: String { case start, center, end }

  let block: any Block
  var isApart: Bool
  var grows: Bool
  var alignment = Alignment.start
  /// The most columns that it takes.
  let widest: Int

  init(
    _ block: any Block, apart: Bool? = nil, grows: Bool? = nil, alignment: Alignment = .start,
    widest: Int = .max
  ) {
    self.block = block
    isApart = apart ?? block.isApart
    self.grows = grows ?? block.grows
    self.alignment = alignment
    self.widest = widest
  }

  var naturalWidth: Int { min(block.naturalWidth, widest) }
  var minimumWidth: Int { min(block.minimumWidth, widest) }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let width = min(width, widest)
    let room = max(width - block.naturalWidth, 0)
    let offset =
      switch alignment {
      case .start: 0
      case .center: room / 2
      case .end: room
      }
    return block.draw(on: &canvas, x: x + offset, y: y, width: width - offset)
  }
}

/// A line over the whole width.
struct RuleBlock: Block {
  var character: Character = "─"
  let owner: ViewPath

  var naturalWidth: Int { 1 }
  var minimumWidth: Int { 1 }
  var grows: Bool { true }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let cell = Canvas.Cell(character: character, width: 1, style: .rule)
    let owner = canvas.owner(owner)
    canvas.draw(repeatElement(cell, count: max(width, 0)), x: x, y: y, owner: owner)
    return 1
  }
}
