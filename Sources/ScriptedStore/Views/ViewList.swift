import LuaBridge
import ScriptView

/// A `list` or `table` among the nodes of a view, of which a window is shown if it is long.
struct ViewList {
  /// The child positions, from 0, on the way to the list's node.
  let position: [Int]
  private let hasWindow: Bool
  /// What ``ViewPlace/selected`` is for its rows.
  private let selected: Value?
  /// What is shown of the list.
  var shown = ShownRows()
  private let parts: [Part]

  private enum Part {
    /// A child that is a row of its own, by the child positions on the way to it.
    case row([Int])
    /// A placed child, whose rows are known when it has been updated.
    case child(ViewPlace)
    case rows(ViewPlace)

    /// The number of rows. O(1) for those of a list that is known.
    func count(_ screen: Screen, _ state: Slot) -> Int {
      switch self {
      case .row: 1
      case .child(let place), .rows(let place):
        min(place.rowCount(screen, state), ViewWindow.mostRows)
      }
    }
  }

  /// Longer lists have a window.
  static let longest = 200

  var treePosition: [ViewPath.Step] { position.map { .child($0 + 1) } }

  /// The lists among these nodes that have places with rows.
  static func all(in nodes: Value, _ places: [ViewPlace]) -> [ViewList] {
    guard places.contains(where: { $0.kind == "forEach" }) else { return [] }
    let rows = Dictionary(
      places.filter(isRows).map { ($0.position, $0) }, uniquingKeysWith: { first, _ in first })
    var lists: [ViewList] = []
    var known: Set<[Int]> = []
    for place in places where place.kind == "forEach" {
      for count in stride(from: place.position.count - 1, through: 0, by: -1) {
        let position = Array(place.position.prefix(count))
        guard let node = NodeEditing.node(at: position[...], in: nodes),
          ["list", "table"].contains(node["kind"]?.string)
        else { continue }
        if known.insert(position).inserted { lists.append(ViewList(node, at: position, rows)) }
        break
      }
    }
    return lists
  }

  /// Tells the places of a content in which of its lists they stand. Rows that are in no list are all shown.
  static func enter(_ lists: [ViewList], _ places: [ViewPlace]) {
    var others = Set(places.map(ObjectIdentifier.init))
    for list in lists {
      for case .rows(let place) in list.parts {
        place.selected = list.selected
        others.remove(ObjectIdentifier(place))
      }
    }
    for place in places where others.contains(ObjectIdentifier(place)) {
      place.shownRows = 0..<Int.max
      place.selected = .none
    }
  }

  /// - Parameter places: those with rows, by their positions.
  private init(_ node: Value.Object, at position: [Int], _ places: [[Int]: ViewPlace]) {
    self.position = position
    hasWindow = node["window"]?.bool != false
    var parts: [Part] = []
    ViewList.collect(node, position, places, &parts)
    self.parts = parts
    selected = node["selection"]?.string == nil ? Value?.none : node["selected"] ?? .null
  }

  /// Adds the rows of a list, in their order. A section is no row; those in it are.
  private static func collect(
    _ node: Value.Object, _ position: [Int], _ places: [[Int]: ViewPlace], _ parts: inout [Part]
  ) {
    for (index, child) in (node["children"]?.array ?? []).enumerated() {
      guard case .object(let child) = child, let kind = child["kind"]?.string else { continue }
      let here = position + [index]
      if kind == "section" {
        collect(child, here, places, &parts)
      } else if kind == "empty" {
        // Stands in place of the rows, and is none.
        continue
      } else if let place = places[here] {
        parts.append(place.kind == "child" ? .child(place) : .rows(place))
      } else {
        parts.append(.row(here))
      }
    }
  }

  private static func isRows(_ place: ViewPlace) -> Bool {
    place.kind == "forEach" || place.kind == "child"
  }

  /// Tells the places of the list which of their rows are shown. Returns what is shown of the list.
  func assign(_ screen: Screen, _ state: Slot, at path: () -> [ViewPath.Step]) -> ShownRows {
    var total = 0
    let parts = parts.map { part in
      let first = total
      total = min(first + part.count(screen, state), ViewWindow.mostRows)
      return (part: part, rows: first..<total)
    }
    guard hasWindow, total > ViewList.longest else {
      for case (.rows(let place), _) in parts { place.shownRows = 0..<Int.max }
      return ShownRows()
    }
    let path = path()
    if !screen.hasNewWindows && screen.windows.isScrolled(path) {
      follow(path, parts, screen, state)
    }
    let asked = screen.windows.window(at: path, of: total)
    var window = asked
    // A placed child is shown whole.
    for case (.child, let rows) in parts where rows.overlaps(asked) {
      window = min(window.lowerBound, rows.lowerBound)..<max(window.upperBound, rows.upperBound)
    }
    var shown = ShownRows()
    shown.window = ViewWindow(first: window.lowerBound + 1, count: window.count, total: total)
    for (part, rows) in parts {
      let seen = window.clamped(to: rows)
      switch part {
      case .rows(let place):
        place.shownRows = seen.lowerBound - rows.lowerBound..<seen.upperBound - rows.lowerBound
      case .row(let position): if seen.isEmpty { shown.hidden.append(position) }
      case .child(let place):
        if seen.isEmpty && !rows.isEmpty { shown.hidden.append(place.position) }
      }
    }
    return shown
  }

  /// Moves a window with the element of its first row, so that what somebody looks at stays where it is when rows above come
  /// and go.
  private func follow(
    _ path: [ViewPath.Step], _ parts: [(part: Part, rows: Range<Int>)], _ screen: Screen,
    _ state: Slot
  ) {
    for case (.rows(let place), let rows) in parts
    where place.shownRows.lowerBound > 0 && !place.shownRows.isEmpty {
      guard let row = place.rowOfFirstShown(screen, state) else { return }
      return screen.windows.move(path, first: rows.lowerBound + row)
    }
  }
}

/// What is shown of a list.
struct ShownRows: Equatable {
  /// Nil for a list that is shown whole.
  var window: ViewWindow?
  /// The children that are rows of their own and outside of the window, by the child positions on the way to them. The tree
  /// has none of them, so that it has the rows that `window` says.
  var hidden: [[Int]] = []

  /// The property `window` of the list's node; nil for none.
  var node: Value? {
    window.map { window in
      [
        "first": .integer(Int64(window.first)), "count": .integer(Int64(window.count)),
        "total": .integer(Int64(window.total)),
      ]
    }
  }
}

/// Which rows are shown of the long lists of a screen, by the paths of the lists.
struct ListWindows: Hashable {
  /// What is shown of a list that nobody has scrolled.
  static let usual = 60

  private var windows: [[ViewPath.Step]: Range<Int>] = [:]

  /// The rows, from 0, that are shown of a list with so many.
  func window(at path: [ViewPath.Step], of total: Int) -> Range<Int> {
    let window = windows[path] ?? 0..<ListWindows.usual
    let start = min(window.lowerBound, max(total - window.count, 0))
    return start..<min(start + window.count, total)
  }

  /// Whether other rows than the first ones are shown of a list.
  func isScrolled(_ path: [ViewPath.Step]) -> Bool { (windows[path]?.lowerBound ?? 0) > 0 }

  /// The window of a list begins with another row, from 0.
  mutating func move(_ path: [ViewPath.Step], first: Int) {
    guard let window = windows[path], window.lowerBound != first else { return }
    windows[path] = first..<first + window.count
  }

  /// Shows other rows of a list, from 0.
  mutating func show(_ path: [ViewPath.Step], first: Int, count: Int) {
    let first = min(max(first, 0), ViewWindow.mostRows)
    windows[path] = first..<first + min(max(count, 1), ViewList.longest)
  }
}
