import LuaBridge

/// What a test says of an action that it expects.
struct ActionMatcher {
  private enum Kind {
    case exactly(Action)
    case pattern(String, ActionPath)
    case predicate((Action) throws -> Bool)
  }

  private let kind: Kind

  init(_ action: Action) { kind = .exactly(action) }

  init(_ predicate: @escaping (Action) throws -> Bool) { kind = .predicate(predicate) }

  /// The action that is asked about when so many were before it; nil for none.
  init(position: Int?) {
    var asked = 0
    kind = .predicate { _ in
      defer { asked += 1 }
      return asked == position
    }
  }

  /// A pattern as the keys of `on` are, which matches whatever the payload is.
  init(pattern: String) throws(ActionError) { kind = .pattern(pattern, try ActionPath(pattern)) }

  /// What a script gives: a pattern, or with a payload an action by its path, or an action's table.
  init(what: Value?, payload: Value?) throws(ActionError) {
    if case .string(let pattern)? = what, payload == nil {
      try self.init(pattern: pattern)
    } else {
      self.init(try Action(what: what, payload: payload))
    }
  }

  func matches(_ action: Action) throws -> Bool {
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

  /// How it differs from an action, nil where that says nothing.
  func difference(from action: Action) -> String? {
    guard case .exactly(let expected) = kind, expected.path == action.path else { return nil }
    return LuaDiff().text(from: expected.value, to: action.value)
  }
}

extension ActionMatcher: CustomStringConvertible {
  var description: String {
    switch kind {
    case .exactly(let action): "the action \(action)"
    case .pattern(let pattern, _): "an action \"\(pattern)\""
    case .predicate: "an action for which the function returns true"
    }
  }
}
