import LuaBridge
import ScriptView

/// A `list` or `table` among the nodes of a view, of which a window is shown if it is long.
struct ViewList {
  /// The child positions, from 0, on the way to the list's node.
  let position: [Int]
  private let hasWindow: Bool
  /// The window that the list's node shows.
  var shownWindow: ShownWindow?
  private let parts: [Part]

  private enum Part {
    /// A child that is a row of its own.
    case row
    case rows(ViewPlace)
  }

  /// Longer lists have a window.
  static let longest = 200

  var treePosition: [ViewPath.Step] { position.map { .child($0 + 1) } }

  /// The lists among these nodes (+0) that have places with rows.
  static func all(in nodes: Slot, _ places: [ViewPlace]) -> [ViewList] {
    var lists: [ViewList] = []
    for place in places where place.kind == "forEach" {
      for count in stride(from: place.position.count - 1, through: 0, by: -1) {
        let position = Array(place.position.prefix(count))
        let node = NodeEditing.node(at: position[...], in: nodes)
        guard isList(node) else { continue }
        if !lists.contains(where: { $0.position == position }) {
          lists.append(ViewList(node, at: position, places))
        }
        break
      }
    }
    return lists
  }

  private static func isList(_ node: Slot) -> Bool {
    let kind = node.field("kind")
    return kind.tag == .string && (kind.isText("list") || kind.isText("table"))
  }

  private init(_ node: Slot, at position: [Int], _ places: [ViewPlace]) {
    self.position = position
    let window = node.field("window")
    hasWindow = !(window.tag == .boolean && !window.boolean)
    var parts: [Part] = []
    ViewList.collect(node, position, places, &parts)
    self.parts = parts
    let hasSelection = node.field("selection").tag == .string
    let selected = hasSelection ? Value(borrowing: node.field("selected")) : nil
    for case .rows(let place) in parts { (place as? PlacedList)?.selected = selected }
  }

  /// Adds the rows of a list, in their order. A section is no row; those in it are.
  private static func collect(
    _ node: Slot, _ position: [Int], _ places: [ViewPlace], _ parts: inout [Part]
  ) {
    let children = node.field("children")
    guard children.tag == .list else { return }
    for index in 0..<PersistentList.count(children) {
      let child = PersistentList(borrowing: children).borrow(index)
      let kind = child.field("kind")
      guard kind.tag == .string else { continue }
      let here = position + [index]
      if kind.isText("section") {
        collect(child, here, places, &parts)
      } else if let place = places.first(where: { $0.kind == "forEach" && $0.position == here }) {
        parts.append(.rows(place))
      } else {
        parts.append(.row)
      }
    }
  }

  /// Tells the places of the list which of their rows are shown. Returns nil for a list that is shown whole.
  func assign(_ run: ViewRun, _ state: Slot, at path: () -> [ViewPath.Step]) -> ShownWindow? {
    var total = 0
    for part in parts {
      switch part {
      case .row: total += 1
      case .rows(let place): total += place.rowCount(run, state)
      }
    }
    guard hasWindow, total > ViewList.longest else {
      for case .rows(let place) in parts { place.shownRows = 0..<Int.max }
      return nil
    }
    let path = path()
    if !run.hasNewWindows && run.windows.isScrolled(path) { follow(path, run, state) }
    let window = run.windows.window(at: path, of: total)
    var before = 0
    for part in parts {
      switch part {
      case .row: before += 1
      case .rows(let place):
        let count = place.rowCount(run, state)
        let first = min(max(window.lowerBound - before, 0), count)
        let end = min(max(window.upperBound - before, first), count)
        place.shownRows = first..<end
        before += count
      }
    }
    return ShownWindow(first: window.lowerBound + 1, count: window.count, total: total)
  }

  /// Moves a window with the element of its first row, so that what somebody looks at stays where it is when rows above come
  /// and go.
  private func follow(_ path: [ViewPath.Step], _ run: ViewRun, _ state: Slot) {
    var before = 0
    for part in parts {
      switch part {
      case .row: before += 1
      case .rows(let place):
        if place.shownRows.lowerBound > 0, !place.shownRows.isEmpty {
          guard let row = place.rowOfFirstShown(run, state) else { return }
          return run.windows.move(path, first: before + row)
        }
        before += place.rowCount(run, state)
      }
    }
  }
}

/// The rows that are shown of a long list: `count` of `total`, from `first` on, which counts from 1.
struct ShownWindow: Equatable {
  let first: Int
  let count: Int
  let total: Int

  /// The property `window` of the list's node (+1).
  var node: Slot {
    Value.object([
      "first": .integer(Int64(first)), "count": .integer(Int64(count)),
      "total": .integer(Int64(total)),
    ]).ownedSlot()
  }
}

/// Which rows are shown of the long lists of a screen, by the paths of the lists.
struct ListWindows: Hashable {
  /// What is shown of a list that nobody has scrolled.
  static let usual = 60

  private struct Window: Hashable {
    let first: Int
    let count: Int
  }

  private var windows: [[ViewPath.Step]: Window] = [:]

  /// The rows, from 0, that are shown of a list with so many.
  func window(at path: [ViewPath.Step], of total: Int) -> Range<Int> {
    let window = windows[path] ?? Window(first: 0, count: ListWindows.usual)
    let start = min(window.first, max(total - window.count, 0))
    return start..<min(start + window.count, total)
  }

  /// Whether other rows than the first ones are shown of a list.
  func isScrolled(_ path: [ViewPath.Step]) -> Bool { (windows[path]?.first ?? 0) > 0 }

  /// The window of a list begins with another row, from 0.
  mutating func move(_ path: [ViewPath.Step], first: Int) {
    guard let window = windows[path], window.first != first else { return }
    windows[path] = Window(first: first, count: window.count)
  }

  /// Shows other rows of a list, from 0.
  mutating func show(_ path: [ViewPath.Step], first: Int, count: Int) {
    windows[path] = Window(first: max(first, 0), count: min(max(count, 1), ViewList.longest))
  }
}
