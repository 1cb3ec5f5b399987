import LuaBridge

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
