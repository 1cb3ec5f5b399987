import CLua
import ScriptValue

extension LuaVM {
  /// Calls a handler for an action. The drafts and views that it gets are invalid when it returns.
  /// Every action takes this path, so it avoids an array of arguments.
  ///
  /// - Parameters:
  ///   - dependencies: `deps`; nil for a handler that does not take it.
  ///   - owner: the feature that the drafts are named after in messages, from
  ///     ``DraftArena/owner(named:)``.
  package func call(
    _ handler: Handler, draft: Int32, action: Slot, dependencies: LuaReference? = nil, owner: UInt16
  ) throws(ScriptError) -> HandlerResult {
    try withDrafts(owner: owner) { () throws(ScriptError) in
      let generation = core.pointee.drafts.valid.generation
      var arguments = (sl_value(), sl_value(), sl_value())
      arena.pointee.putDraft(draft, into: &arguments.0)
      arguments.0.flag = UInt8(SL_FLAG_SOLE)
      DraftArena.putView(action, generation: generation, into: &arguments.1)
      var count: Int32 = handler.takes(2) ? 2 : 1
      if let dependencies {
        LuaVM.put(dependencies, into: &arguments.2)
        count = 3
      }
      var result = sl_value()
      let status = withUnsafePointer(to: &arguments) {
        $0.withMemoryRebound(to: sl_value.self, capacity: 3) {
          sl_handle(core, core.pointee.L, handler.slot, $0, count, &result)
        }
      }
      if status != LUA_OK { throw ScriptError(status: status, in: self) }
      return read(result)
    }
  }

  /// Calls a handler with any arguments. See ``call(_:draft:action:dependencies:owner:)``.
  package func call(
    _ handler: Handler, _ arguments: [HandlerArgument], owner: UInt16
  ) throws(ScriptError) -> HandlerResult {
    try withDrafts(owner: owner) { () throws(ScriptError) in
      let tape = tape(arguments)
      var result = sl_value()
      let status = tape.withUnsafeBufferPointer {
        sl_handle(
          core, core.pointee.L, handler.slot, $0.baseAddress, Int32(arguments.count), &result)
      }
      if status != LUA_OK { throw ScriptError(status: status, in: self) }
      return read(result)
    }
  }

  /// Calls a function with drafts and returns its first result as state (+1), absent for nil.
  package func evaluate(
    _ handler: Handler, _ arguments: [HandlerArgument], owner: UInt16
  ) throws(ScriptError) -> Slot {
    try withDrafts(owner: owner) { () throws(ScriptError) in
      let tape = tape(arguments)
      var count: Int32 = 0
      let status = tape.withUnsafeBufferPointer {
        sl_call(
          core, core.pointee.L, handler.slot, $0.baseAddress, Int32(arguments.count), true, &count)
      }
      if status != LUA_OK { throw ScriptError(status: status, in: self) }
      guard count > 0 else { return .absent }
      var at = UnsafePointer(core.pointee.tapes.to_swift.items)
      // Functions among the results came as registry references, which nothing else releases.
      defer { TapeReader(vm: self, items: core.pointee.tapes.to_swift.items).releaseRest() }
      do throws(DraftError) {
        return try arena.pointee.readChecked(&at)
      } catch {
        throw ScriptError(error.message)
      }
    }
  }

  /// Makes new drafts and views valid while `body` runs. Afterwards those of an enclosing call are
  /// valid again.
  ///
  /// - Parameter keepingViews: views that are valid now stay valid, and `body` makes no views of
  ///   its own.
  @inline(__always)
  func withDrafts<R>(
    owner: UInt16, keepingViews: Bool = false, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    forgetCause()
    // An enclosing call keeps its cache of userdata, so that one draft stays one userdata, for `==`
    // and as a key of tables.
    let outerCache = core.pointee.drafts.valid.generation == 0 ? nil : try pushCache()
    let outer = sl_begin_drafts(&core.pointee.drafts, owner, keepingViews)
    defer {
      sl_end_drafts(&core.pointee.drafts, outer)
      if let outerCache { popCache(outerCache) }
    }
    return try body()
  }

  private func pushCache() throws(ScriptError) -> Int32 {
    var cache: Int32 = 0
    try check(sl_new_table(core, &cache))
    return sl_exchange_draft_cache(&core.pointee.drafts, cache)
  }

  private func popCache(_ outer: Int32) {
    sl_release(core, sl_exchange_draft_cache(&core.pointee.drafts, outer))
  }

  /// Decodes the result of `sl_handle`, whose box, if it is one, is owned (+1).
  func read(_ result: sl_value) -> HandlerResult {
    switch Int32(result.tag) {
    case SL_TAG_ABSENT: return .none
    case SL_TAG_RUN: return takeRun().map { .run($0) } ?? .none
    case SL_TAG_BOX:
      let object = Unmanaged<AnyObject>.fromOpaque(result.as.object).takeRetainedValue()
      return Int32(result.slot) == SL_BOX_EFFECT ? .effect(object) : .other("userdata")
    default: return .other(String(cString: result.as.bytes))
    }
  }

  /// Encodes the arguments for C, which borrows all they refer to during the call.
  private func tape(_ arguments: [HandlerArgument]) -> [sl_value] {
    var tape: [sl_value] = []
    for argument in arguments {
      var value = sl_value()
      switch argument {
      case .draft(let draft): arena.pointee.putDraft(draft, into: &value)
      case .view(let slot) where slot.isContainer:
        let generation = core.pointee.drafts.valid.generation
        DraftArena.putView(slot, generation: generation, into: &value)
      case .view(let slot), .scalar(let slot): DraftArena.putScalar(slot, into: &value)
      case .reference(let reference): LuaVM.put(reference, into: &value)
      case .list(let slots):
        value.tag = UInt8(SL_TAG_SEQUENCE)
        value.slot = UInt32(slots.count)
        tape.append(value)
        for slot in slots {
          var element = sl_value()
          DraftArena.putScalar(slot, into: &element)
          tape.append(element)
        }
        continue
      }
      tape.append(value)
    }
    return tape
  }

  private static func put(_ reference: LuaReference, into value: inout sl_value) {
    value.tag = UInt8(SL_TAG_OTHER)
    value.slot = UInt32(reference.slot)
  }
}
