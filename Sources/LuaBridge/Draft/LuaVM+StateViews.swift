import CLua
import ScriptValue

/// Access to states for tests, outside of any handler: a test reads states through views, and
/// writes what it expects to a draft of a state.
extension LuaVM {
  /// Begins a period in which views from ``makeView(of:)`` are valid. Views of an earlier period
  /// become invalid.
  package func beginViews() {
    sl_begin_views(&core.pointee.drafts)
  }

  /// A read-only view of `value`, valid until the next ``beginViews()``. A scalar is returned as it
  /// is. The caller must retain `value` for as long as the view is valid. O(1).
  package func makeView(of value: Value) throws(ScriptError) -> LuaValue {
    let slot = value.ownedSlot()
    defer { slot.release() }
    guard slot.isContainer else { return LuaValue(value) }
    var view = sl_value()
    let generation = core.pointee.drafts.valid.view_generation
    DraftArena.putView(slot, generation: generation, into: &view)
    return .other(
      LuaReference(vm: self, slot: try reference { sl_new_reference(core, &view, &$0) }))
  }

  /// Calls `function` with a draft of `state`, and returns the state that results, and the type of
  /// what the function returned; nil for nothing. O(1), plus what the function does.
  package func edit(
    _ state: Value, with function: LuaFunction, owner: UInt16
  ) throws(ScriptError) -> (state: Value, returned: String?) {
    let slot = state.ownedSlot()
    defer { slot.release() }
    arena.pointee.begin(slot)
    defer { arena.pointee.reset() }
    var argument = sl_value()
    var returned: String?
    try withDrafts(owner: owner, keepingViews: true) { () throws(ScriptError) in
      arena.pointee.putDraft(0, into: &argument)
      var result = sl_value()
      let status = sl_handle(core, core.pointee.L, function.slot, &argument, 1, &result)
      try check(status) { returned = read(result).typeName }
    }
    do throws(DraftError) {
      return (Value(owning: try arena.pointee.commit()), returned)
    } catch {
      throw ScriptError(error.message)
    }
  }

  /// Whether `function` returns a true value (neither nil nor false) for `argument`.
  package func isTrue(_ function: LuaFunction, of argument: LuaValue) throws(ScriptError) -> Bool {
    switch try function.call([argument]).first ?? .nil {
    case .nil, .boolean(false): false
    default: true
    }
  }
}
