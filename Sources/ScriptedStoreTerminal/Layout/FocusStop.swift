import ScriptView

/// Something on a screen that can have the focus: what acts, what one enters, tabs, rows of lists,
/// and the way back.
struct FocusStop: Sendable {
  /// What stays the same when the screen changes.
  struct ID: Hashable, Sendable {
    let path: ViewPath
    /// The number of an option in an opened picker, from 1; 0 for all else.
    var option = 0
  }

  let kind: ControlKind
  let location: ViewLocation
  let id: ID

  init(_ kind: ControlKind, _ location: ViewLocation, option: Int = 0) {
    self.kind = kind
    self.location = location
    id = ID(path: location.path, option: option)
  }

  /// Whether letters that are typed belong to it.
  var takesText: Bool {
    switch kind {
    case .field, .editor, .date, .file: true
    default: false
    }
  }

  /// Whether its text is entered as a whole, because a part of it is no value.
  var isDraft: Bool { kind == .date || kind == .file }
}

extension FocusStop {
  /// The stops of a layer, in the order of the screen. O(shown nodes).
  static func stops(of layer: ViewScreen.Layer) -> [FocusStop] {
    var stops: [FocusStop] = []
    if layer.content.isTransparent {
      collectChildren(of: layer.content, in: nil, into: &stops)
    } else {
      collect(layer.content, in: nil, into: &stops)
    }
    for toast in layer.content.toasts where toast.disabled == nil && toast.node["action"] != nil {
      stops.append(FocusStop(.button, toast))
    }
    return stops
  }

  /// The stops of a menu or a picker that is open.
  static func stops(opened location: ViewLocation) -> [FocusStop] {
    var stops: [FocusStop] = []
    if location.node.elementKind == .picker {
      return location.node.options.indices.map { FocusStop(.option, location, option: $0 + 1) }
    }
    collectChildren(of: location, in: nil, into: &stops)
    return stops
  }

  /// A list or table whose rows may have the focus.
  private struct RowList {
    let location: ViewLocation
    let canBeSelected: Bool
    /// Whether keys delete or move its rows.
    let hasKeys: Bool

    init(_ location: ViewLocation) {
      let node = location.node
      self.location = location
      canBeSelected = node["selection"] != nil
      hasKeys = node["onDelete"] != nil || node["onMove"] != nil || !location.dropTargets.isEmpty
    }
  }

  /// - Parameter list: the list or table whose rows are among the children.
  private static func collectChildren(
    of location: ViewLocation, in list: RowList?, into stops: inout [FocusStop]
  ) {
    for child in location.shownChildren {
      if let back = child.wayBack, stops.last?.id.path != back.navigation.path {
        stops.append(FocusStop(.back, back.navigation))
      }
      collect(child, in: list, into: &stops)
    }
  }

  private static func collect(
    _ location: ViewLocation, in list: RowList?, into stops: inout [FocusStop]
  ) {
    let node = location.node
    if let list, node.elementKind != .section, node.elementKind != .empty {
      return collectRow(location, in: list, into: &stops)
    }
    if let kind = node.control {
      if location.disabled == nil { stops.append(FocusStop(kind, location)) }
      // What a menu holds is reached when it is open.
      if kind == .menu { return }
    }
    let inside = node.elementKind == .empty ? nil : list
    collectChildren(of: location, in: location.isList ? RowList(location) : inside, into: &stops)
  }

  /// A row can have the focus itself if it can be selected, or if nothing in it can that leaves the
  /// keys to the row.
  private static func collectRow(
    _ row: ViewLocation, in list: RowList, into stops: inout [FocusStop]
  ) {
    var inside: [FocusStop] = []
    collect(row, in: nil, into: &inside)
    let isNeeded = list.canBeSelected || list.hasKeys && inside.allSatisfy { $0.takesText }
    if isNeeded, list.location.disabled == nil, !inside.contains(where: { $0.id.path == row.path })
    {
      stops.append(FocusStop(.row, row))
    }
    stops += inside
  }
}
