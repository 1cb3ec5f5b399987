import LuaBridge

/// What a test says about shared values.
extension StoreSharing {
  /// The key of the value behind a field of the state, and the part that the field shows; nil if it is not shared.
  ///
  /// - Parameter path: the keys that lead to the field, none of which is an element of a list.
  func key(at path: [String]) -> (kind: SharedKey.Kind, name: String, part: [Value])? {
    guard let field = path.last,
      let target = fields.container(at: path.dropLast()).target(named: field),
      let colon = target.value.firstIndex(of: ":"),
      let kind = SharedKey.Kind(rawValue: String(target.value[..<colon]))
    else { return nil }
    let name = String(target.value[target.value.index(after: colon)...])
    return (kind, name, Array(target.path.dropFirst()))
  }

  /// A state that a test expects, in which all fields of one shared value agree: with the fields that the
  /// test has changed, else with the state from before. Fields of children that are new are there too.
  /// Throws if the test has changed one value in different ways.
  ///
  /// - Parameters:
  ///   - expected: what the test made of `before`.
  ///   - before: a state of the store.
  ///   - choices: what stands behind the chosen fields in both; the others of these are not shared.
  func agreed(
    _ expected: Value, before: Value, _ choices: SharedFields.Choices, _ context: ReduceContext
  ) throws(ScriptError) -> Value {
    try showing(only: choices) { () throws(ScriptError) in
      try agreed(expected, before: before, context)
    }
  }

  private func agreed(
    _ expected: Value, before: Value, _ context: ReduceContext
  ) throws(ScriptError) -> Value {
    var values = Value.object(shown.values)
    var known: [String: Value?] = [:]
    fields.visitValues(of: before) { place, target, value in
      known[place] = .some(value)
      values.set(value, at: target.path[...])
    }
    let unchanged = values
    var last = ""
    try fields.visitValues(of: expected) { (place, target, value) throws(ScriptError) in
      // A child that is new has no field before, and need not have one.
      let old = known[place] ?? value.map { _ in unchanged.part(at: target.path[...]) } ?? value
      guard value != old else { return }
      var changed = unchanged
      changed.set(value, at: target.path[...])
      let merge = ValueMerge(ours: values, theirs: changed, base: unchanged)
      guard !merge.hasConflict, let merged = merge.value else {
        throw ScriptError(
          "`state\(last)` and `state\(place)` show one shared value, and the test expects another one in each; expect it in one place"
        )
      }
      (values, last) = (merged, place)
    }
    let (slot, shared) = (expected.ownedSlot(), values.ownedSlot())
    defer {
      slot.release()
      shared.release()
    }
    return Value(owning: try grafted(slot, with: shared, context))
  }
}

extension Value {
  /// The part at a path of keys and ids; nil if there is none.
  func part(at path: ArraySlice<Value>) -> Value? {
    guard let step = path.first else { return self }
    return child(step)?.part(at: path.dropFirst())
  }

  private func child(_ step: Value) -> Value? {
    if let list = array { return list.first { $0.object?["id"] == step } }
    return object?[step.string ?? "\(step)"]
  }

  /// Replaces the part at a path of keys and ids; nil removes it. Does nothing if there is no container
  /// for it.
  mutating func set(_ value: Value?, at path: ArraySlice<Value>) {
    guard let step = path.first else {
      self = value ?? .null
      return
    }
    if var list = array, !list.isEmpty {
      guard let index = list.firstIndex(where: { $0.object?["id"] == step }) else { return }
      if path.count > 1 {
        list[index].set(value, at: path.dropFirst())
      } else if let value {
        list[index] = value
      } else {
        list.remove(at: index)
      }
      self = .array(list)
      return
    }
    guard var object = object ?? (self == [:] ? Object() : nil) else { return }
    let key = step.string ?? "\(step)"
    if path.count == 1 {
      object[key] = value
    } else if var below = object[key] {
      below.set(value, at: path.dropFirst())
      object[key] = below
    }
    self = .object(object)
  }
}
