/// Blocks in rows and columns: a grid or a table.
struct GridBlock: Block {
  typealias Alignment = ModifiedBlock.Alignment

  struct Column {
    var title: TextBlock?
    var grows = false
    var alignment = Alignment.start
  }

  /// What stands at the left of a row, as the mark of a selected one.
  private let markers: [TextBlock?]
  private let rows: [[any Block]]
  private let columns: [Column]
  /// The natural and the least width of each column.
  private let natural: [Int]
  private let minimum: [Int]
  private let owner: ViewPath
  static let spacing = 2
  let isApart: Bool

  /// - Parameter rows: Rows may have fewer cells than there are columns; what is more is left out.
  init(
    _ rows: [[any Block]], columns: [Column], markers: [TextBlock?] = [], owner: ViewPath,
    isApart: Bool
  ) {
    self.rows = rows
    self.columns = columns
    self.markers = markers
    self.owner = owner
    self.isApart = isApart
    var natural = columns.map { $0.title?.naturalWidth ?? 0 }
    var minimum = columns.map { $0.title?.minimumWidth ?? 0 }
    for row in rows {
      for (index, cell) in row.prefix(columns.count).enumerated() {
        natural[index] = max(natural[index], cell.naturalWidth)
        minimum[index] = max(minimum[index], cell.minimumWidth)
      }
    }
    self.natural = natural
    self.minimum = minimum
  }

  private var gaps: Int { GridBlock.spacing * max(columns.count - 1, 0) + gutter }
  private var gutter: Int { markers.isEmpty ? 0 : 2 }
  var naturalWidth: Int { natural.reduce(gaps, +) }
  var minimumWidth: Int { min(minimum.reduce(gaps, +), 40) }
  var grows: Bool { columns.contains { $0.grows } }

  func draw(on canvas: inout Canvas, x: Int, y: Int, width: Int) -> Int {
    let widths = widths(in: width)
    var height = 0
    if columns.contains(where: { $0.title != nil }) {
      height += drawLine(columns.map(\.title), on: &canvas, x, y, widths)
      let rule = widths.reduce(gaps - gutter, +)
      height += RuleBlock(owner: owner).draw(
        on: &canvas, x: x + gutter, y: y + height, width: min(rule, width - gutter))
    }
    for (index, row) in rows.enumerated() {
      var drawn = drawLine(row, on: &canvas, x, y + height, widths)
      if markers.indices.contains(index), let marker = markers[index] {
        drawn = max(drawn, marker.draw(on: &canvas, x: x, y: y + height, width: gutter))
      }
      height += drawn
    }
    return height
  }

  private func drawLine(
    _ cells: [(any Block)?], on canvas: inout Canvas, _ x: Int, _ y: Int, _ widths: [Int]
  ) -> Int {
    var height = 0
    var x = x + gutter
    for (index, width) in widths.enumerated() {
      if cells.indices.contains(index), let cell = cells[index] {
        let aligned = ModifiedBlock(cell, alignment: columns[index].alignment)
        height = max(height, aligned.draw(on: &canvas, x: x, y: y, width: width))
      }
      x += width + GridBlock.spacing
    }
    return height
  }

  /// The width of each column. What is missing is taken from the columns in proportion to their
  /// width.
  private func widths(in width: Int) -> [Int] {
    let room = max(width - gaps, columns.count)
    let total = natural.reduce(0, +)
    guard total > room else { return natural.growing(columns.map(\.grows), by: room - total) }
    let least = zip(natural, minimum).map { min($0, $1, max(room / columns.count, 1)) }
    let spare = room - least.reduce(0, +)
    let wanted = total - least.reduce(0, +)
    return zip(natural, least).map { natural, least in
      least + (wanted > 0 ? (natural - least) * spare / wanted : 0)
    }
  }
}
