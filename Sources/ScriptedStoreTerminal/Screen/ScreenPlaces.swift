import ScriptView

/// Where the person has left the screens of stacks.
struct ScreenPlaces {
  struct Place {
    let focus: FocusStop.ID?
    let scroll: Int
  }

  /// The paths of the uppermost screens of the stacks of each layer.
  private var shown: [LayerDrawing.ID: [ViewPath]] = [:]
  private var left: [[ViewPath]: Place] = [:]

  /// Takes what a layer shows now. Returns nil if that is what it has shown before, and otherwise
  /// where the person has left it, which is nil for what is new.
  ///
  /// - Parameter place: where the person is in what the layer has shown before.
  mutating func show(
    _ content: ViewLocation, _ layer: LayerDrawing.ID, leaving place: Place
  ) -> Place?? {
    let new = content.visible.filter { $0.node.elementKind == .navigation }
      .compactMap { $0.visibleChildren.first?.path }
    let old = shown.updateValue(new, forKey: layer)
    guard let old, old != new else { return nil }
    left[old] = place
    let root = ([content] + content.ancestors).last ?? content
    left = left.filter { $0.key.allSatisfy { root.descending($0) != nil } }
    return .some(left[new])
  }

  mutating func forget(except layers: Set<LayerDrawing.ID>) {
    shown = shown.filter { layers.contains($0.key) }
  }
}
