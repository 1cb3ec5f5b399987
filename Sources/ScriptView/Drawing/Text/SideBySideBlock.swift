/// Blocks in columns beside each other, of one width or with a narrow first one, or below each other where there is no room for
/// that.
struct SideBySideBlock: Block {
  private let blocks: [any Block]
  /// The blank cells between two columns.
  private let gap: Int
  private let stacked: ColumnBlock
  let naturalWidth: Int
  /// The least width of each column.
  private let least: Int
  /// The width of the first column; nil if it is that of the others.
  private let first: Int?

  /// The width of a first column that is narrow.
  private static let sidebarWidth = 24

  /// - Parameters:
  ///   - lines: the blank lines between blocks that are below each other.
  ///   - isSidebar: whether the first column is narrow.
  init(_ blocks: [any Block], gap: Int, lines: Int, isSidebar: Bool) {
    self.blocks = blocks
    self.gap = gap
    stacked = ColumnBlock(blocks, spacing: lines)
    let isSidebar = isSidebar && blocks.count > 1
    first = isSidebar ? max(SideBySideBlock.sidebarWidth, blocks[0].minimumWidth) : nil
    let even = isSidebar ? blocks[1...] : blocks[...]
    least = even.reduce(0) { max($0, $1.minimumWidth) }
    let widest = even.reduce(0) { max($0, $1.naturalWidth) }
    naturalWidth = (first ?? 0) + even.count * widest + gap * max(blocks.count - 1, 0)
  }

  var minimumWidth: Int { stacked.minimumWidth }
  var isApart: Bool { blocks.contains { $0.isApart } }
  var grows: Bool { true }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let room = width - gap * max(blocks.count - 1, 0) - (first ?? 0)
    let count = blocks.count - (first == nil ? 0 : 1)
    guard width >= ViewScreen.leastRegularWidth, blocks.count > 1, room / count >= least else {
      return stacked.draw(on: &canvas, x: x, y: y, width: width)
    }
    var height = 0
    var x = x
    for (index, block) in blocks.enumerated() {
      // What is left over goes to the first columns, a cell each.
      let number = index - (blocks.count - count)
      let width = number < 0 ? first ?? 0 : room / count + (number < room % count ? 1 : 0)
      height = max(height, block.draw(on: &canvas, x: x, y: y, width: width))
      x += width + gap
    }
    return height
  }
}
