import ScriptValue

extension ViewNode {
  /// The errors of all views of this tree that raised, from outside in. O(nodes).
  public var failures: [ViewFailure] {
    var failures: [ViewFailure] = []
    collectFailures(into: &failures)
    return failures
  }

  private func collectFailures(into failures: inout [ViewFailure]) {
    if let failure { failures.append(failure) }
    for child in children { ViewNode(child).collectFailures(into: &failures) }
    guard case .object(let object) = value else { return }
    for name in ViewElement.presentations {
      if let child = object[name] { ViewNode(child).collectFailures(into: &failures) }
    }
  }
}
