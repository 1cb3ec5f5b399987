import LuaBridge

/// A state, borrowed (+0), that must have its case as the only key. Used for messages.
struct TaggedStateReport {
  private let state: Slot
  private let ignored: [UInt8]?

  /// - Parameter ignored: the key that may stand beside the case.
  init(_ state: Slot, ignoring ignored: [UInt8]?) {
    self.state = state
    self.ignored = ignored
  }

  /// The keys of the state that may be a case.
  var keys: [String] {
    guard state.isObject else { return [] }
    var keys: [String] = []
    ObjectTree(borrowing: state).visit { key, _ in
      if ignored?.elementsEqual(key.stringBytes) != true { keys.append(key.text) }
    }
    return keys
  }

  /// The error for a state that is not tagged as it must be.
  ///
  /// - Parameter cases: the cases that the state may be in; nil if any case will do.
  func refusal(origin: String, cases: [String]? = nil) -> ScriptError {
    let keys = keys
    let one = cases.map { "one of \($0.joined(separator: ", "))" } ?? "a case"
    guard keys.count == 1, let key = keys.first else {
      let found =
        keys.isEmpty
        ? "has none" : "has \(keys.prefix(8).map { "'\($0)'" }.joined(separator: " and "))"
      return ScriptError(
        "\(origin): a tagged state has exactly one key, \(one), when an action ends; this one \(found). "
          + "To switch cases assign a new table, as in state.destination = { edit = { … } }")
    }
    let hint = cases.flatMap { Suggestion.nearest(to: key, in: $0) }
    return ScriptError(
      "\(origin): there is no case '\(key)'; a tagged state has \(one)"
        + (hint.map { "; did you mean '\($0)'?" } ?? ""))
  }
}

extension TaggedStateReport {
  /// The error for a value that is no object, as the name of a case alone.
  static func refusal(of value: Value, origin: String, _ outline: NodeOutline) -> ScriptError {
    let cases = outline.children.compactMap(\.name) + outline.actions
    let example = cases.first { .string($0) == value } ?? cases.first ?? "edit"
    return ScriptError(
      "\(origin): a tagged state is an object with one key, as { \(example) = … }; this one is \(value)"
    )
  }
}

extension ReduceContext {
  /// Warns of an action for a case that the state is not in.
  @inline(never)
  func warnOtherCase(_ name: String, _ state: TaggedStateReport, origin: String) {
    let keys = state.keys
    let now = keys.isEmpty ? "has no case" : "is in the case '\(keys.joined(separator: "', '"))'"
    warn(
      .otherCase,
      """
      \(origin): the action \"\(actionPath ?? name)\" was sent to the case '\(name)', but the state \(now). Either \
      a parent changed the case before the child's reducer ran (let the child's run first), or an effect of the old \
      case was still in flight, or the action was sent by something that outlived the case
      """, origin: origin)
  }
}
