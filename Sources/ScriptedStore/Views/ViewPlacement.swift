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

  /// The types of actions in a path. An empty path is the present case.
  fileprivate func steps(of path: String) -> [String] {
    switch self {
    case .rows, .stack: [path]
    case .child, .presented: path.isEmpty ? [""] : path.splitAtDots()
    }
  }
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
    let place = placement.described(at: path)
    var domain = self
    for step in placement.steps(of: path) {
      if let failure = domain.attachmentFailure(placement, of: step, at: path) { return failure }
      guard let child = try domain.root.child(named: step)?.domain.domain() else { break }
      guard !child.root.isBareValue else {
        // An alert or a dialog draws a value.
        if [.presented("alert"), .presented("dialog")].contains(placement) { return nil }
        return PlacementFailure(
          message: "\(place) is a value that no reducer runs on, so it has no view",
          remedy: "present it as an alert or a dialog")
      }
      domain = child
    }
    return try domain.missingView(of: place)
  }

  /// Why this domain has no child with actions of the type `step` that can be placed so; nil if it has one.
  /// An empty type is the present case.
  ///
  /// - Parameter path: the whole path that is placed, for the message.
  func attachmentFailure(
    _ placement: ViewPlacement, of step: String, at path: String
  ) -> PlacementFailure? {
    let place = placement.described(at: path)
    let child = root.child(named: step)
    if step.isEmpty {
      guard root.cases != nil else {
        return PlacementFailure(
          message:
            "\(placement.name) without a name shows the present case, and \(name) has no cases",
          remedy: "give it the action name of a child, as ui.child \"settings\"")
      }
    } else if child == nil {
      let nearest = Suggestion.nearest(to: step, in: root.placedNames)
      return PlacementFailure(
        message: "\(placement.name) \"\(path)\": \(name) has no child with the action \"\(step)\"",
        remedy: nearest.map { "did you mean \"\($0)\"?" }
          ?? "attach it by an operator, as scope, ifLet or forEach")
    }
    let elements = child?.elements
    switch placement {
    case .child, .presented:
      guard let elements else { return nil }
      return PlacementFailure(
        message: "\(place): \"\(step)\" is a list of \(name), not one child",
        remedy: elements.presentation == .stacked
          ? "place it by ui.navigation { path = \"\(step)\", … }"
          : "place its rows by ui.forEach \"\(step)\"")
    case .rows, .stack:
      guard let elements else {
        return PlacementFailure(
          message: "\(place): \(name) has one child under this action",
          remedy: "place it by ui.child \"\(path)\"")
      }
      guard placement == .stack, elements.presentation != .stacked else { return nil }
      return PlacementFailure(
        message: "\(place): \"\(path)\" is no stack",
        remedy: "place its rows by ui.forEach \"\(path)\"")
    }
  }

  /// Throws the ``attachmentFailure(_:of:at:)`` of the first step of a path.
  func requireAttached(_ placement: ViewPlacement, at path: String) throws(ScriptError) {
    let step = placement.steps(of: path).first ?? ""
    guard let failure = attachmentFailure(placement, of: step, at: path) else { return }
    throw ScriptError("\(failure.message); \(failure.remedy)")
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
    guard let cases = root.cases else { return name }
    // Cases of cases, of a feature that may contain itself.
    guard depth < 8 else { return nil }
    for child in cases {
      let domain = try child.domain.domain()
      guard !domain.root.isBareValue else { continue }
      if let name = try domain.nameWithoutView(depth: depth + 1) { return name }
    }
    return nil
  }
}

extension Domain {
  /// The child at a dotted path of action types, as `destination.add`; nil if it is not there. An empty path is the
  /// present case.
  func viewChild(
    at path: ArraySlice<String>, in state: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> ViewChild? {
    guard let child = try viewChild(named: path.first ?? "", in: state, context) else {
      return nil
    }
    let rest = path.dropFirst()
    if rest.isEmpty { return child }
    defer { child.state.release() }
    guard let below = try child.domain?.viewChild(at: rest, in: child.state, context) else {
      return nil
    }
    return ViewChild(
      state: below.state, domain: below.domain, action: "\(child.action).\(below.action)")
  }

  /// The child with actions of this type. An empty type is that of the present case.
  private func viewChild(
    named action: String, in state: Slot, _ context: ReduceContext
  ) throws(ScriptError) -> ViewChild? {
    guard action.isEmpty else {
      return try root.child(named: action)?.viewChild(in: state, context)
    }
    for child in root.cases ?? [] {
      if let found = try child.viewChild(in: state, context) { return found }
    }
    return nil
  }
}
