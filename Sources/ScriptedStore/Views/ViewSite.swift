import LuaBridge

/// A domain as views see it: its view, what may be placed in it, and what all its places have in common.
///
/// The domain owns it, and each ``PlacedView`` of it retains the domain.
final class ViewSite {
  unowned let domain: Domain
  /// The view; nil if the domain has none.
  let view: ViewFunction?
  /// What runs of the view have read, the latest first. Most runs read the same as one before.
  private(set) var shapes: [ReadShape] = []
  /// The shape of a view that reads nothing.
  let nothing = ReadShape()
  /// The actions and bindings that were checked already.
  private var checked: Set<Value> = []
  private static let mostShapes = 4
  private static let mostChecked = 1024

  init(_ domain: Domain) {
    self.domain = domain
    view = domain.root.view
  }

  func record(_ shape: ReadShape) {
    if shapes.first === shape { return }
    shapes.removeAll { $0 === shape }
    shapes.insert(shape, at: 0)
    if shapes.count > ViewSite.mostShapes { shapes.removeLast() }
  }

  /// Warns of actions that no reducer of the domain handles, once for each action. Those of placed children are not sent, and
  /// a child that is not there is an error.
  func check(_ actions: [Slot], beside places: [ViewOutput.Place], _ screen: Screen) {
    for slot in actions {
      let action = Value(borrowing: slot)
      guard isNew(action), !places.contains(where: { $0.fields["action"] == action }) else {
        continue
      }
      check(action, in: "the view of \(name)", at: [], screen)
    }
  }

  /// Warns of the action of a button that the state of an alert or a dialog has, as of those of nodes. `place` is the path of
  /// its actions, as `destination.alert`.
  func check(buttonAction action: Value, at place: String, _ screen: Screen) {
    guard isNew(.array([.string("button"), .string(place), action])),
      let path = try? ActionPath(place)
    else { return }
    check(action, in: "a button of \"\(place)\" in the view of \(name)", at: path.segments, screen)
  }

  private func check(
    _ action: Value, in sender: String, at place: [ActionPath.Segment], _ screen: Screen
  ) {
    guard let path = ViewSite.path(of: action) else {
      return screen.warn(.malformedAction, "\(described(action)) in \(sender) is no action", self)
    }
    guard let unknown = domain.vocabulary.unhandled((place + path.segments)[...]) else { return }
    let otherwise = place.isEmpty ? "" : "; a button that only closes has the action \"dismiss\""
    let remedy = unknown.nearest.map { "; did you mean \"\($0)\"?" } ?? otherwise
    screen.warn(
      .unknownAction,
      "\(sender) sends \(described(action)), but no reducer there handles \"\(unknown.name)\"\(remedy)",
      self)
  }

  /// Warns of bindings whose key neither the state nor its defaults have, once for each.
  ///
  /// - Parameter list: the path of the list whose row's fields the keys are; nil for keys of the state.
  func check(absentBindings keys: [String], inRowsOf list: String?, _ screen: Screen) {
    for key in keys where isNew(.array([.string("binding"), .string(key)])) {
      if domain.defaults.have(path(of: key, inRowsOf: list)) { continue }
      screen.warn(
        .unknownBindingKey,
        """
        the view of \(name) binds "\(key)", which its state does not have; give the field a default, or check the \
        key: bind takes the name of a field, not its value
        """, self)
    }
  }

  private func path(of key: String, inRowsOf list: String?) -> [String] {
    (list.map { "\($0).\(key)" } ?? key).splitAtDots()
  }

  /// Makes keys known that the state lacks while nothing is selected, focused or entered.
  ///
  /// - Parameter list: the path of the list whose row's fields the keys are; nil for keys of the state.
  func add(optionalBindings keys: [String], inRowsOf list: String?) {
    for key in keys { domain.defaults.add(optional: path(of: key, inRowsOf: list)) }
  }

  private func isNew(_ value: Value) -> Bool {
    if checked.count > ViewSite.mostChecked { checked.removeAll() }
    return checked.insert(value).inserted
  }

  private func described(_ action: Value) -> String {
    action.string.map { "\"\($0)\"" } ?? "\(action)"
  }

  var name: String { view?.feature ?? domain.name }
  var origin: String { view?.origin ?? domain.root.origin }

  private static func path(of action: Value) -> ActionPath? {
    switch action {
    case .string(let text): return try? ActionPath(text)
    case .array(let list) where list.count <= 2:
      return list.first?.string.flatMap { try? ActionPath($0) }
    case .object: return (try? Action(action)).flatMap { try? ActionPath($0.path) }
    default: return nil
    }
  }
}
