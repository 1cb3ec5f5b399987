import ScriptValue
import ScriptView

/// Which stop of each layer has the focus.
struct ScreenFocus {
  /// Nil for a layer in which nothing has it, because the state took it away.
  private var stops: [LayerDrawing.ID: FocusStop.ID?] = [:]
  /// By the path of a container with `focus`, the name of the field that the state wants to have it.
  private var wanted: [ViewPath: Value] = [:]

  subscript(layer: LayerDrawing.ID) -> FocusStop.ID? {
    get { stops[layer] ?? nil }
    set { stops[layer] = .some(newValue) }
  }

  /// Gives the focus to the field that the state names, if it names another one than before. Returns
  /// whether the focus moved.
  mutating func follow(
    _ layer: ViewScreen.Layer, _ id: LayerDrawing.ID, _ stops: [FocusStop]
  ) -> Bool {
    let before = self[id]
    var containers: [ViewPath: Value] = [:]
    for location in layer.content.visible where location.node.string("focus") != nil {
      containers[location.path] = location.node["focused"] ?? .null
    }
    for (path, value) in containers where wanted[path] != value {
      let known = wanted[path]
      let inside = stops.filter { $0.location.focusContainer?.path == path }
      if let name = value.string {
        // A name that no field has is that of one that is not on the screen now.
        guard let stop = inside.first(where: { $0.location.node.string("name") == name })
        else { continue }
        self[id] = stop.id
      } else if let name = known?.string,
        let stop = inside.first(where: { $0.location.node.string("name") == name }),
        stop.id == before
      {
        self[id] = nil
      }
    }
    let others = wanted.filter { containers[$0.key] == nil && !$0.key.isInside(layer.content.path) }
    wanted = containers.merging(others) { $1 }
    return self[id] != before
  }

  /// Keeps the focus at the node that has it, when others come or go before that. Gives it to a
  /// neighbour of a stop that has gone, and to the first one of a new layer. Returns whether the layer
  /// is new. A stop may also go because the list around it is scrolled, which is not to scroll back.
  mutating func settle(
    _ layer: LayerDrawing.ID, _ present: [FocusStop], before: [FocusStop]
  ) -> Bool {
    let ids = Set(present.map(\.id))
    if let known = stops[layer] {
      guard let id = known else { return false }
      if let moved = ScreenFocus.moved(id, from: before, to: present) {
        stops[layer] = .some(moved)
        return false
      }
      guard !ids.contains(id) else { return false }
      let index = before.firstIndex { $0.id == id } ?? 0
      let near =
        before[min(index, before.count)...] + before[..<min(index, before.count)].reversed()
      // With no stop left it is as in a new layer.
      stops[layer] = (near.first { ids.contains($0.id) } ?? ScreenFocus.first(of: present))
        .map { .some($0.id) }
      return false
    }
    guard let first = ScreenFocus.first(of: present) else { return false }
    self[layer] = first.id
    return true
  }

  /// Where a stop is now, if another one has its place, or none. Nil for one whose place is the same,
  /// or that has gone.
  private static func moved(
    _ id: FocusStop.ID, from before: [FocusStop], to present: [FocusStop]
  ) -> FocusStop.ID? {
    // A row has a key, by which it is known anyway.
    guard let old = before.first(where: { $0.id == id }), let identity = old.location.identity,
      case .child? = old.location.path.steps.last,
      present.first(where: { $0.id == id })?.location.identity != identity
    else { return nil }
    let same = present.filter {
      $0.kind == old.kind && $0.id.option == id.option && $0.location.identity == identity
    }
    return same.count == 1 ? same[0].id : nil
  }

  /// What has the focus when a layer appears. It is told to no state: only a person, or the state
  /// itself, gives the focus to a field by name.
  ///
  /// A presentation whose fields have names opens on the first one that can be typed into.
  private static func first(of stops: [FocusStop]) -> FocusStop? {
    let free = stops.filter {
      $0.kind != .back
        && ($0.location.node.string("name") == nil || $0.location.focusContainer == nil)
    }
    if let step = stops.first?.location.layerContent.step, step == .presentation("alert") {
      return free.first { $0.location.node.word("role") == "primary" }
        ?? free.first { $0.location.node.word("role") != "destructive" } ?? free.first
    }
    let isPresented = stops.first?.location.layerContent.isPresented == true
    if isPresented,
      let field = stops.first(where: { $0.takesText && $0.location.focusContainer != nil })
    {
      return field
    }
    return free.first { stop in
      guard stop.kind == .option else { return true }
      let options = stop.location.node.options
      return options.indices.contains(stop.id.option - 1)
        && stop.location.node.isChosen(options[stop.id.option - 1])
    } ?? free.first ?? stops.first { isPresented || $0.kind == .back }
  }

  mutating func forget(except layers: Set<LayerDrawing.ID>) {
    stops = stops.filter { layers.contains($0.key) }
  }
}
