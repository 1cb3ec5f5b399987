import ScriptValue

/// Decides whether a received action is the one that a test expects.
package struct ActionMatcher {
  private enum Kind {
    case exactly(Action)
    case pattern(String, ActionPath)
    case predicate((Action) throws -> Bool)
  }

  private let kind: Kind

  package init(_ action: Action) { kind = .exactly(action) }

  package init(_ predicate: @escaping (Action) throws -> Bool) { kind = .predicate(predicate) }

  /// Matches a pattern as in a feature's `on`, whatever the payload is.
  package init(pattern: String) throws(ActionError) {
    kind = .pattern(pattern, try ActionPath(pattern))
  }

  /// Matches what a script expects: a pattern; or exactly one action, given by its path and
  /// payload, or as a table.
  init(what: Value?, payload: Value?) throws(ActionError) {
    if case .string(let pattern)? = what, payload == nil {
      try self.init(pattern: pattern)
    } else {
      self.init(try Action(fromScript: what, payload: payload))
    }
  }

  package func matches(_ action: Action) throws -> Bool {
    switch kind {
    case .exactly(let other): return other == action
    case .predicate(let predicate): return try predicate(action)
    case .pattern(_, let path):
      guard let first = path.segments.first else { return false }
      let type = action.slot.field("type")
      guard type.tag == .string, type.stringBytes.elementsEqual(first.name.utf8) else {
        return false
      }
      var branch = PatternBranch()
      branch.add(first.id, path.segments.dropFirst(), nil)
      return PatternMatch.best(branch, action.slot) != nil
    }
  }

  /// The difference as text; nil unless this matcher expects exactly one action, of the same path.
  func difference(from action: Action) -> String? {
    guard case .exactly(let expected) = kind, expected.path == action.path else { return nil }
    return LuaDiff().text(from: expected.value, to: action.value)
  }
}

extension ActionMatcher: CustomStringConvertible {
  package var description: String {
    switch kind {
    case .exactly(let action): "the action \(action)"
    case .pattern(let pattern, _): "an action \"\(pattern)\""
    case .predicate: "an action for which the function returns true"
    }
  }
}
