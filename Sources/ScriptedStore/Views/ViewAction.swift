import LuaBridge

/// Actions of nodes, as scripts write them.
enum ViewAction {
  /// The action of a node at a place whose path of actions is `place`; nil if it is none.
  static func lifted(_ action: Value, to place: String) -> Action? {
    guard let own = self.action(from: action) else { return nil }
    guard !place.isEmpty else { return own }
    guard let path = try? ActionPath(place) else { return nil }
    var value = own.value
    for segment in path.segments.reversed() {
      let id: Value? = if case .value(let id)? = segment.id { id } else { nil }
      guard let outer = Value.nesting(value, type: segment.name, id: id) else { return nil }
      value = outer
    }
    return Action(trusted: value)
  }

  /// A path, `{ path, payload }`, or an action's table.
  private static func action(from value: Value) -> Action? {
    switch value {
    case .string(let path): return try? Action(path: path)
    case .array(let list):
      guard let path = list.first?.string else { return nil }
      return try? Action(path: path, payload: list.count > 1 ? list[1] : nil)
    case .object: return try? Action(value)
    default: return nil
    }
  }
}
