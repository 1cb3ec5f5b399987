import LuaBridge
import ScriptView

/// The child of a `scope`, an `ifLet`, an `ifCaseLet` or of `cases`, where a view has placed it.
class PlacedChild: ViewPlace {
  /// The types of the actions on the way to the child; empty for the present case.
  fileprivate let steps: [String]
  /// What the view passes to the child; null for nothing.
  private var passed: OwnedSlot
  private var environment = ViewEnvironment()
  private var view: PlacedView?
  /// Why the child cannot be shown.
  private var error: ViewError?
  /// The type of the present child's actions, dotted for several steps.
  fileprivate var action: String
  /// The last result of ``rowCount(_:_:)``; nil before its first call.
  private var countedRows: Int?

  override init(_ place: ViewOutput.Place, in content: ViewContent) throws(ScriptError) {
    action = PlacedChild.action(of: place)
    steps = action.splitAtDots()
    passed = OwnedSlot(place.fields["env"])
    try super.init(place, in: content)
    try content.site.domain.requireAttached(kind == "child" ? .child : .presented(kind), at: action)
  }

  /// A presentation's field is the path itself.
  private static func action(of place: ViewOutput.Place) -> String {
    place.fields.string ?? place.fields["action"].string ?? ""
  }

  override func configure(_ place: ViewOutput.Place) throws(ScriptError) -> Bool {
    guard PlacedChild.action(of: place).splitAtDots() == steps else { return false }
    passed = OwnedSlot(place.fields["env"])
    return true
  }

  /// The rows as of the last update: the child's are in the tree when it is up to date. A new child counts as one.
  override func rowCount(_ screen: Screen, _ state: Slot) -> Int {
    let rows = shownRowCount
    countedRows = rows
    return rows
  }

  private var shownRowCount: Int {
    shown.map { ViewLocation(root: $0).rowsInside.count } ?? 1
  }

  override func update(_ screen: Screen, _ state: Slot, _ environment: Slot) -> Bool {
    guard updateChild(screen, state, environment) else { return false }
    if let countedRows, countedRows != shownRowCount { content.view?.hasOtherRows = true }
    return true
  }

  private func updateChild(_ screen: Screen, _ state: Slot, _ environment: Slot) -> Bool {
    do throws(ScriptError) {
      guard let child = try child(in: state, screen.context) else {
        endView(screen)
        error = nil
        return show(absentNode())
      }
      defer { child.state.release() }
      action = child.action
      guard let domain = child.domain else {
        endView(screen)
        let drawing = try drawing(of: Value(borrowing: child.state), screen)
        error = nil
        return show(node(around: drawing))
      }
      error = nil
      let view = view(of: domain, screen)
      let environment = self.environment.adding(passed.slot, to: environment)
      guard view.update(screen, to: child.state, environment) || shown == .none else {
        return false
      }
      return show(node(around: view.shown))
    } catch {
      endView(screen)
      let new = screen.record(error, at: content.site.origin, after: self.error)
      self.error = new
      return show(node(around: new.node()))
    }
  }

  /// The child that is shown in a state (+0); nil if there is none.
  fileprivate func child(
    in state: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> ViewChild? {
    try content.site.domain.viewChild(at: steps[...], in: state, context)
  }

  private func view(of domain: Domain, _ screen: Screen) -> PlacedView {
    if let view, view.site.domain === domain { return view }
    endView(screen)
    let new = PlacedView(domain.viewSite, in: self)
    view = new
    return new
  }

  private func endView(_ screen: Screen) {
    view?.end(screen)
    view = nil
  }

  /// The node for a child that no reducer runs on.
  func drawing(of state: Value, _ screen: Screen) throws(ScriptError) -> Value {
    throw ScriptError(
      "\(action) is a value that no reducer runs on, so it has no view; present it as an alert or a dialog"
    )
  }

  /// The node that is shown while there is no child; nil for none.
  func absentNode() -> Value? { node(around: .null) }

  /// The node of the place around that of the child.
  private func node(around child: Value) -> Value {
    var node: Value.Object = ["kind": "child", "action": .string(action)]
    if case .object = child { node["children"] = .array([child]) }
    return .object(node)
  }

  override func end(_ screen: Screen) { endView(screen) }

  override func path(of view: PlacedView) -> String { path(appending: action) }
  override func treePath(of view: PlacedView) -> [ViewPath.Step] { treePath + [.child(1)] }
}

/// A child that is presented: a sheet, a cover, a popover, a dialog or an alert.
final class PresentedChild: PlacedChild {
  /// If the node presents `destination.alert` for itself, `sheet = "destination"` shows nothing for that case.
  override fileprivate func child(
    in state: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> ViewChild? {
    guard let child = try super.child(in: state, context) else { return nil }
    do throws(ScriptError) {
      if try !isPresentedByAnother(child, context) { return child }
    } catch {
      child.state.release()
      throw error
    }
    child.state.release()
    return nil
  }

  private func isPresentedByAnother(
    _ child: ViewChild, _ context: ReduceContext
  ) throws(ScriptError) -> Bool {
    guard let domain = child.domain, domain.root.view == nil,
      let present = try domain.viewChild(at: [], in: child.state, context)
    else { return false }
    present.state.release()
    let path = "\(child.action).\(present.action)".splitAtDots()
    return content.places.contains { place in
      place.position == position && (place as? PresentedChild)?.steps == path
    }
  }

  /// The state of an alert or a dialog says what is shown: `{ title, message?, buttons }`.
  override func drawing(of state: Value, _ screen: Screen) throws(ScriptError) -> Value {
    guard kind == "alert" || kind == "dialog" else { return try super.drawing(of: state, screen) }
    var alert: Value.Object = ["kind": .string(kind), "title": state["title"]]
    if !state["message"].isNull { alert["message"] = state["message"] }
    var buttons = Value.List()
    for case .object(let button) in state["buttons"].array ?? [] {
      if let sent = button["action"], sent != PresentedChild.dismissal {
        content.site.check(buttonAction: sent, at: action, screen)
      }
      buttons.append(.object(PresentedChild.node(of: button)))
    }
    if buttons.isEmpty { buttons.append(.object(PresentedChild.node(of: [:]))) }
    alert["children"] = .array(buttons)
    return .object(alert)
  }

  /// The action of a button that closes the alert.
  private static let dismissal: Value = "dismiss"

  /// The node of a button of an alert. A button without an action closes the alert.
  private static func node(of button: Value.Object) -> Value.Object {
    var node: Value.Object = ["kind": "button", "text": button["label"] ?? "OK"]
    node["action"] = button["action"] ?? dismissal
    if button.isEmpty { node["role"] = "cancel" }
    for key in ["role", "animation"] {
      if let value = button[key] { node[key] = value }
    }
    return node
  }

  override func absentNode() -> Value? { .none }

  override func filled(in nodes: Value) -> Value {
    guard var presenting = NodeEditing.node(at: position[...], in: nodes) else { return nodes }
    presenting[kind] = shown
    return NodeEditing.replacing(in: nodes, at: position[...], by: .object(presenting))
  }

  override func treePath(of view: PlacedView) -> [ViewPath.Step] {
    treePath + [.presentation(kind), .child(1)]
  }
}
