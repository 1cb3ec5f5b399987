import LuaBridge

/// A navigation stack: the root's nodes, and the entries' views above them.
final class PlacedStack: ViewPlace {
  private let entries: PlacedList
  private let action: String
  init(
    _ place: ViewOutput.Place, in site: ViewSite, _ content: ViewContent
  ) throws(ScriptError) {
    action = place.fields["action"].string ?? ""
    guard site.domain.root.placed(as: action) is StackNode else {
      try site.domain.requireChild(at: [Substring(action)], of: "ui.navigation")
      throw ScriptError("ui.navigation \"\(action)\": this is no stack; attach one by r:stack")
    }
    entries = try PlacedList(place, in: site, content, isStack: true)
    super.init(place, in: content)
  }

  override func configure(_ place: ViewOutput.Place) throws(ScriptError) -> Bool {
    try entries.configure(place)
  }

  override func update(_ run: ViewRun, _ state: Slot, _ environment: Slot) -> Bool {
    // A list without a window: each entry is kept, with the one that is shown at the end.
    _ = entries.rowCount(run, state)
    return entries.update(run, state, environment)
  }

  override func end(_ run: ViewRun) { entries.end(run) }

  /// The entries become the second child of the node, whose first one is the root.
  override func filled(in nodes: Slot) -> Slot {
    let node = NodeEditing.node(at: position[...], in: nodes)
    guard node.isContainer else { return nodes.retained() }
    let children = node.field("children")
    var list = children.tag == .list ? PersistentList(borrowing: children) : PersistentList()
    if list.isEmpty { list.append(.null) }
    if list.count == 1 {
      list.append(entries.shown.retained())
    } else {
      list.set(1, entries.shown.retained())
    }
    return NodeEditing.replacing(
      in: nodes, at: position[...],
      by: NodeEditing.setting("children", of: node, to: list.ownedSlot()))
  }
}
