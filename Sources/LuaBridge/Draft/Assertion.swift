import CLua

/// What a test does with states outside of any handler: it reads them for as long as it runs, and says by a draft
/// what it expects one to be.
extension LuaVM {
  /// Begins a time for which views from ``makeView(of:)`` are valid; those of an earlier one are not any more.
  package func beginViews() {
    core.pointee.last_generation += 1
    core.pointee.view_generation = core.pointee.last_generation
  }

  /// A value as scripts can read and not change it, valid until the next ``beginViews()``; who calls keeps the
  /// value for as long. O(1).
  package func makeView(of value: Value) throws(ScriptError) -> LuaValue {
    let slot = value.ownedSlot()
    defer { slot.release() }
    guard slot.isContainer else { return LuaValue(value) }
    var view = sl_value()
    DraftArena.putView(slot, generation: core.pointee.view_generation, into: &view)
    var reference: Int32 = 0
    try check(sl_new_reference(core, &view, &reference))
    return .other(LuaReference(vm: self, slot: reference))
  }

  /// What a function makes of a state by writing to a draft of it. O(1), plus what the function does.
  package func edit(
    _ state: Value, with function: LuaFunction, owner: UInt16
  ) throws(ScriptError) -> Value {
    let slot = state.ownedSlot()
    defer { slot.release() }
    arena.pointee.begin(slot)
    defer { arena.pointee.reset() }
    var argument = sl_value()
    try withDrafts(owner: owner, keepingViews: true) { () throws(ScriptError) in
      arena.pointee.putDraft(0, into: &argument)
      var result = sl_value()
      let status = sl_handle(core, core.pointee.L, function.slot, &argument, 1, &result)
      try check(status) { _ = read(result) }
    }
    do throws(DraftError) {
      let new = try arena.pointee.commit()
      defer { new.release() }
      return Value(borrowing: new)
    } catch {
      throw ScriptError(error.message)
    }
  }

  /// Whether a function returns something true for an argument.
  package func isTrue(_ function: LuaFunction, of argument: LuaValue) throws(ScriptError) -> Bool {
    switch try function.call([argument]).first ?? .nil {
    case .nil, .boolean(false): false
    default: true
    }
  }
}
