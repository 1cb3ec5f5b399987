import LuaBridge
import ScriptValue

/// The state is edited by a person with a tool. Going back in the history undoes it.
extension StoreHistory {
  /// Sets the store's state on behalf of a tool. The history gets an entry with the source `edit`.
  package func edit(_ state: Value) throws(HistoryError) {
    try change(movesInTime: false) { (core, _, engine) throws(HistoryError) in
      try core.edit(checking: state, engine)
    }
  }

  /// Puts a value at a place of the state, both as people write them: `"Milk"` at `todos[1].title`. The place may be new. No
  /// place is the whole state, and the value `nil` removes what is there.
  ///
  /// - Throws: ``HistoryError`` that names the place, if the text is no value, or if the value does not fit there.
  package func set(_ text: String, at place: String) throws(HistoryError) {
    let path: ValuePath
    let value: Value?
    do {
      path = try ValuePath(lua: place)
    } catch {
      throw HistoryError("\(error)")
    }
    do {
      value = try Value.typed(text)
    } catch {
      throw HistoryError(place.isEmpty ? error.message : "\(place): \(error.message)")
    }
    try change(movesInTime: false) { (core, _, engine) throws(HistoryError) in
      try core.edit(checking: core.state.edited(value, at: path), engine)
    }
  }
}

extension StoreCore {
  fileprivate func edit(checking state: Value, _ engine: Engine) throws(HistoryError) {
    guard state.array != nil || state.object != nil else {
      throw HistoryError("the state of a store must be a table, not \(state)")
    }
    let new: Slot
    do throws(HistoryError) {
      new = try finalForm(of: state, engine)
    } catch {
      // What does not fit already stands in the way of no other edit.
      if let old = try? finalForm(of: self.state, engine) {
        old.release()
        indexes.stacks.rollBack()
        throw error
      }
      new = state.ownedSlot()
    }
    defer { new.release() }
    do throws(ScriptError) {
      try requireUsable(edited: state, engine)
    } catch {
      indexes.stacks.rollBack()
      throw HistoryError(error.message)
    }
    edit(new, engine)
  }

  /// A state as a store has it that begins with it, owned (+1). Throws with the place if the code cannot run on it. The ids that
  /// elements of stacks get are pending.
  private func finalForm(
    of state: Value, _ engine: Engine
  ) throws(HistoryError) -> Slot {
    if let (value, place, origin) = domain.givenState.misfit(in: state) {
      let preview = ValuePreview.text(of: value, width: 60)
      throw HistoryError(
        "\(place.luaDescription): \(origin) runs on it, so it must be a table, not \(preview)")
    }
    let (slot, context) = (state.ownedSlot(), engine.context)
    defer { slot.release() }
    do throws(ScriptError) {
      return try context.vm.loading(limits) { () throws(ScriptError) in
        context.begin(.absent, indexes, .passUnretained(dependencies))
        return try domain.root.finalForm(of: slot, context)
      }
    } catch {
      indexes.stacks.rollBack()
      throw HistoryError(error.message)
    }
  }
}

extension Value {
  /// This state with a value at a path, or without one.
  fileprivate func edited(_ new: Value?, at path: ValuePath) throws(HistoryError) -> Value {
    var state = self
    guard let new else {
      guard state.remove(at: path) != nil else {
        throw HistoryError(
          path.components.isEmpty
            ? "the whole state cannot be removed"
            : "there is nothing at \(path.luaDescription) to remove")
      }
      return state
    }
    try checkWay(to: path)
    do {
      try state.set(new, at: path)
    } catch {
      throw HistoryError("\(path.luaDescription): \(error.reason)")
    }
    return state
  }

  /// Throws if a path leads through what has no such members, with the place and its indices as people write them.
  private func checkWay(to path: ValuePath) throws(HistoryError) {
    for (count, component) in path.components.enumerated() {
      let parent = ValuePath(Array(path.components[..<count]))
      guard let value = get(parent), !value.isNull else { return }
      let place = count == 0 ? "the state" : parent.luaDescription
      switch (component, value) {
      case (.key, .object): continue
      case (.index(let index), .array(let list)):
        guard index <= list.count else {
          let size = list.count == 1 ? "1 element" : "\(list.count) elements"
          throw HistoryError(
            "\(path.luaDescription): \(place) has \(size), so an element can be put at [\(list.count + 1)], not at [\(index &+ 1)]"
          )
        }
      case (.key, .array(let list)) where list.isEmpty: continue
      case (.index, .object(let object)) where object.isEmpty: continue
      default:
        let lack =
          if case .key(let key) = component { "no field '\(key)'" } else { "no elements" }
        throw HistoryError(
          "\(path.luaDescription): \(place) is \(ValuePreview.text(of: value, width: 60)), which has \(lack)"
        )
      }
    }
  }
}
