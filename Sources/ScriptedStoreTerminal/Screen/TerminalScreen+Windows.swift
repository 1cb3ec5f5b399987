import ScriptView

/// Long lists, of which only a window is in the tree.
extension TerminalScreen {
  /// The most rows of a list that are asked for.
  private static let longestWindow = 200
  private static let usualWindow = 60

  /// Asks for other rows of long lists that are seen near the end of their window. Returns whether
  /// any were asked for.
  func showMoreRows() -> Bool {
    guard let layer = layers.last(where: { !$0.isOpened }) else { return false }
    var asked = false
    for (list, window) in windowedLists(of: layer) {
      guard let seen = rowsSeen(of: list, in: layer) else { continue }
      let count = windowCount(layer)
      let spare = max(count - seen.count, 4)
      let last = window.first + window.count - 1
      let needsMore =
        window.behind > 0 && seen.upperBound > last - spare / 4
        || window.before > 0 && seen.lowerBound < window.first + spare / 4
      let first = max(seen.lowerBound - spare / 2, 1)
      guard needsMore, first != window.first || count > window.count else { continue }
      source.show(list.path, first: first, count: count)
      asked = true
    }
    return asked
  }

  /// Shows the last rows, or the first ones, of the long lists of the topmost layer.
  func showEnd(isLast: Bool) {
    guard !top.isOpened else { return }
    for (list, window) in windowedLists(of: top) {
      let count = windowCount(top)
      source.show(list.path, first: isLast ? max(window.total - count + 1, 1) : 1, count: count)
    }
    layOut()
  }

  func windowedLists(of layer: LayerDrawing) -> [(list: ViewLocation, window: ViewWindow)] {
    layer.location.visible.compactMap { location in
      guard let window = location.node.window, window.before + window.behind > 0 else { return nil }
      return (location, window)
    }
  }

  private func windowCount(_ layer: LayerDrawing) -> Int {
    min(max(layer.viewport.rows * 4, Self.usualWindow), Self.longestWindow)
  }

  /// The numbers of the rows of a list that are in the viewport.
  func rowsSeen(of list: ViewLocation, in layer: LayerDrawing) -> ClosedRange<Int>? {
    var numbers: [ViewPath: Int] = [:]
    for row in list.rows { numbers[row.location.path] = row.number }
    var seen: ClosedRange<Int>?
    for line in layer.scroll..<min(layer.scroll + layer.viewport.rows, layer.canvas.lines.count) {
      guard let cell = layer.canvas.lines[line].first(where: { $0.owner >= 0 }) else { continue }
      var path = layer.canvas.owners[Int(cell.owner)]
      while numbers[path] == nil, path.steps.popLast() != nil {}
      guard let number = numbers[path] else { continue }
      seen = min(seen?.lowerBound ?? number, number)...max(seen?.upperBound ?? number, number)
    }
    return seen
  }
}
