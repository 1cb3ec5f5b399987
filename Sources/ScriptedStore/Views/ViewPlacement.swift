import LuaBridge

/// How a view places a child.
package enum ViewPlacement: Sendable, Hashable {
  case child
  /// `ui.forEach` with the action name of an attached `forEach`.
  case rows
  /// `ui.navigation`.
  case stack
  /// A property that presents, as `sheet`.
  case presented(String)

  /// The function or the property in the view.
  var name: String {
    switch self {
    case .child: "ui.child"
    case .rows: "ui.forEach"
    case .stack: "ui.navigation"
    case .presented(let property): property
    }
  }

  func described(at path: String) -> String { path.isEmpty ? name : "\(name) \"\(path)\"" }
}

/// Why a view cannot place a child.
package struct PlacementFailure: Sendable, Hashable {
  package let message: String
  package let remedy: String
  /// Whether the child is there, and has no view.
  package var isMissingView = false
}

extension Domain {
  /// Why a view of this domain cannot place the child at a path of action types, whatever the state
  /// is; nil if it can. Makes lazy children.
  func placementFailure(
    _ placement: ViewPlacement, at path: String
  ) throws(ScriptError) -> PlacementFailure? {
    switch placement {
    case .child, .presented: return try childFailure(placement, path)
    case .rows, .stack: return try listFailure(placement, path)
    }
  }

  /// Why no child has actions of a type, at a path that begins with it; nil if one has. An empty type is
  /// the present case.
  func unattached(
    _ action: String, of placement: String, at path: String
  ) -> PlacementFailure? {
    guard root.placed(as: action) == nil else { return nil }
    guard !action.isEmpty else {
      return PlacementFailure(
        message: "\(placement) without a name shows the present case, and \(name) has no cases",
        remedy: "give it the action name of a child, as ui.child \"settings\"")
    }
    return PlacementFailure(
      message: "\(placement) \"\(path)\": \(name) has no child with the action \"\(action)\"",
      remedy: Suggestion.nearest(to: action, in: root.placedNames).map { "did you mean \"\($0)\"?" }
        ?? "attach it by an operator, as scope, ifLet or forEach")
  }

  private func listFailure(
    _ placement: ViewPlacement, _ path: String
  ) throws(ScriptError) -> PlacementFailure? {
    let place = placement.described(at: path)
    guard let node = root.placed(as: path) else {
      return unattached(path, of: placement.name, at: path)
    }
    guard let rows = node as? ForEachNode else {
      return PlacementFailure(
        message: "\(place): \(name) has one child under this action",
        remedy: "place it by ui.child \"\(path)\"")
    }
    if case .stack = placement, !(node is StackNode) {
      return PlacementFailure(
        message: "\(place): \"\(path)\" is no stack",
        remedy: "place its rows by ui.forEach \"\(path)\"")
    }
    return try rows.elements.domain.domain().missingView(of: place)
  }

  private func childFailure(
    _ placement: ViewPlacement, _ path: String
  ) throws(ScriptError) -> PlacementFailure? {
    let place = placement.described(at: path)
    var domain = self
    // An empty path is the present case.
    for step in path.isEmpty ? [""] : path.split(separator: ".").map(String.init) {
      guard let node = domain.root.placed(as: step) else {
        return domain.unattached(step, of: placement.name, at: path)
      }
      if let failure = domain.severalChildren(step, at: place) { return failure }
      if step.isEmpty { break }
      guard let child = try node.placedDomain(step) else { return placement.ofValue(place) }
      domain = child
    }
    return try domain.missingView(of: place)
  }

  /// Why a list or a stack is not placed as one child; nil for another child.
  func severalChildren(_ action: String, at place: String) -> PlacementFailure? {
    guard let node = root.placed(as: action) as? ForEachNode else { return nil }
    return PlacementFailure(
      message: "\(place): \"\(action)\" is a list of \(name), not one child",
      remedy: node is StackNode
        ? "place it by ui.navigation { path = \"\(action)\", … }"
        : "place its rows by ui.forEach \"\(action)\"")
  }

  private func missingView(of place: String) throws(ScriptError) -> PlacementFailure? {
    guard let name = try nameWithoutView(depth: 0) else { return nil }
    return PlacementFailure(
      message: "\(place) shows \(name), which has no view",
      remedy: "give it `view = function(state) … end`", isMissingView: true)
  }

  /// The name of this domain if it has no view, or of one of its cases; nil if they have.
  private func nameWithoutView(depth: Int) throws(ScriptError) -> String? {
    guard root.view == nil else { return nil }
    guard let cases = root.placed(as: "") else { return name }
    // Cases of cases, of a feature that may contain itself.
    guard depth < 8 else { return nil }
    for (_, child) in cases.outline.children {
      let domain = try child.domain()
      guard !(domain.root is IgnoredNode) else { continue }
      if let name = try domain.nameWithoutView(depth: depth + 1) { return name }
    }
    return nil
  }
}

extension ReducerNode {
  /// The domain of the child with this action; nil for a value that no reducer runs on.
  fileprivate func placedDomain(_ action: String) throws(ScriptError) -> Domain? {
    let children = outline.children
    let child = children.first { $0.name == action } ?? children.first { $0.name == nil }
    guard let domain = try child?.domain.domain(), !(domain.root is IgnoredNode) else { return nil }
    return domain
  }
}

extension ViewPlacement {
  /// The failure for a value that no reducer runs on. An alert or a dialog draws it.
  fileprivate func ofValue(_ place: String) -> PlacementFailure? {
    switch self {
    case .presented("alert"), .presented("dialog"): nil
    default:
      PlacementFailure(
        message: "\(place) is a value that no reducer runs on, so it has no view",
        remedy: "present it as an alert or a dialog")
    }
  }
}

/// A child as views see it: its state, and how it is drawn.
struct ViewChild {
  /// Owned (+1): the receiver releases it.
  let state: Slot
  /// Nil for a value that no reducer runs on, as of `ignored` and `ephemeral`.
  let domain: Domain?
  /// The type of the child's actions.
  let action: String
}

extension Domain {
  /// The child at a dotted path of action types, as `destination.add`; nil if it is not there. An empty path is the
  /// present case.
  func viewChild(
    at path: ArraySlice<Substring>, in state: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> ViewChild? {
    let name = String(path.first ?? "")
    guard let node = root.placed(as: name),
      let child = try node.viewChild(name, in: state, context)
    else { return nil }
    let rest = path.dropFirst()
    if rest.isEmpty { return child }
    defer { child.state.release() }
    guard let below = try child.domain?.viewChild(at: rest, in: child.state, context) else {
      return nil
    }
    return ViewChild(
      state: below.state, domain: below.domain, action: "\(child.action).\(below.action)")
  }

  /// Throws if no child has actions of the first type in `path`.
  func requireChild(at path: ArraySlice<Substring>, of placement: String) throws(ScriptError) {
    let name = String(path.first ?? "")
    guard let failure = unattached(name, of: placement, at: path.joined(separator: ".")) else {
      return
    }
    throw ScriptError("\(failure.message); \(failure.remedy)")
  }
}
