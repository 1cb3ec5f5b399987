/// Blocks one beside the other.
///
/// If they do not fit, those that can be narrower get narrower, in proportion to what they can
/// spare. If they still do not fit, or the row wraps, they are placed in as many lines as it takes.
struct RowBlock: Block {
  private let blocks: [any Block]
  /// The columns between two blocks.
  private let spacing: Int
  private let wraps: Bool
  let naturalWidth: Int
  let minimumWidth: Int
  let isApart: Bool
  let grows: Bool

  init(_ blocks: [any Block], spacing: Int = 1, wraps: Bool = false, isApart: Bool = false) {
    self.blocks = blocks
    self.spacing = spacing
    self.wraps = wraps
    self.isApart = isApart
    let gaps = spacing * max(blocks.count - 1, 0)
    naturalWidth = blocks.reduce(gaps) { $0 + $1.naturalWidth }
    // At the least, one block stands in each line.
    minimumWidth = blocks.reduce(0) { max($0, $1.minimumWidth) }
    grows = blocks.contains { $0.grows }
  }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    guard let widths = widths(in: width) else {
      return drawLines(on: &canvas, x: x, y: y, width: width)
    }
    var x = x
    var height = 0
    for (block, width) in zip(blocks, widths) {
      height = max(height, block.draw(on: &canvas, x: x, y: y, width: width))
      x += width + spacing
    }
    return height
  }

  /// The width of each block in one line; nil if there is not enough room.
  private func widths(in width: Int) -> [Int]? {
    let gaps = spacing * max(blocks.count - 1, 0)
    let room = width - gaps
    let natural = naturalWidth - gaps
    if natural <= room {
      return blocks.map { $0.naturalWidth }.growing(blocks.map { $0.grows }, by: room - natural)
    }
    let minimum = blocks.reduce(0) { $0 + $1.minimumWidth }
    guard !wraps, minimum <= room else { return nil }
    // All can be as narrow as they need; the rest is shared in proportion.
    let spare = room - minimum
    let wanted = natural - minimum
    var given = 0
    var wantedSoFar = 0
    return blocks.map { block in
      wantedSoFar += block.naturalWidth - block.minimumWidth
      let share = wanted > 0 ? wantedSoFar * spare / wanted : 0
      defer { given = share }
      return block.minimumWidth + share - given
    }
  }

  private func drawLines(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    var height = 0
    var lineHeight = 0
    var used = 0
    for block in blocks {
      let blockWidth = min(block.naturalWidth, width)
      if used > 0, used + spacing + blockWidth > width {
        height += lineHeight
        (lineHeight, used) = (0, 0)
      }
      let offset = used > 0 ? used + spacing : 0
      let drawn = block.draw(on: &canvas, x: x + offset, y: y + height, width: blockWidth)
      lineHeight = max(lineHeight, drawn)
      used = offset + blockWidth
    }
    return height + lineHeight
  }
}

extension [Int] {
  /// The widths with what is left over, which those that grow share.
  func growing(_ grows: [Bool], by rest: Int) -> [Int] {
    var growing = grows.count { $0 }
    var rest = rest
    return zip(self, grows).map { width, grows in
      guard grows else { return width }
      let share = rest / growing
      rest -= share
      growing -= 1
      return width + share
    }
  }
}
