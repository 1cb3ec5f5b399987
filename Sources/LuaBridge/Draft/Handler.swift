import CLua
import ScriptValue

/// An argument of a handler. Callers pass no more arguments than the handler declares.
package enum HandlerArgument {
  /// A draft of the running action, by its index in the arena.
  case draft(Int32)
  /// A read-only value (+0), which the caller retains during the call.
  case view(Slot)
  /// A scalar or nil (+0).
  case scalar(Slot)
  /// A plain table of scalars (+0) with the indices 1 … n.
  case list([Slot])
  /// A Lua value by its registry reference.
  case reference(LuaReference)
}

/// The result of a handler.
package enum HandlerResult {
  case none
  /// A Swift object in a box of kind `SL_BOX_EFFECT` (a ``BoxedEffect``).
  case effect(AnyObject)
  /// The result of `effect.run`.
  case run(ScriptRun)
  /// Any other value, by the name of its type.
  case other(String)

  /// The name of the type, for messages; nil for nothing.
  var typeName: String? {
    switch self {
    case .none: nil
    case .effect, .run: "effect"
    case .other(let type): type
    }
  }
}

/// A script function that the store calls with drafts, and where it is defined.
package final class Handler {
  package let function: LuaFunction
  /// The number of declared parameters; nil for a function with `...`.
  package let parameters: Int?
  package let script: String
  package let line: Int
  let slot: Int32

  package init(_ function: LuaFunction) {
    self.function = function
    slot = function.slot
    let definition = function.definition()
    parameters = definition.map(\.parameters) ?? nil
    script = definition?.script ?? "?"
    line = definition?.line ?? 0
  }

  /// Whether the handler declares an n-th parameter, from 1.
  @inline(__always)
  package func takes(_ position: Int) -> Bool { parameters.map { $0 >= position } ?? true }
}

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
      return try withUnsafePointer(to: &arguments) { (arguments) throws(ScriptError) in
        try arguments.withMemoryRebound(to: sl_value.self, capacity: 3) {
          (arguments) throws(ScriptError) in try handle(handler.slot, arguments, count)
        }
      }
    }
  }

  /// Calls a handler with any arguments. See ``call(_:draft:action:dependencies:owner:)``.
  package func call(
    _ handler: Handler, _ arguments: [HandlerArgument], owner: UInt16
  ) throws(ScriptError) -> HandlerResult {
    try withDrafts(owner: owner) { () throws(ScriptError) in
      try tape(arguments).withUnsafeBufferPointer { (tape) throws(ScriptError) in
        try handle(handler.slot, tape.baseAddress, Int32(arguments.count))
      }
    }
  }

  @inline(__always)
  private func handle(
    _ function: Int32, _ arguments: UnsafePointer<sl_value>?, _ count: Int32
  ) throws(ScriptError) -> HandlerResult {
    var result = sl_value()
    let status = sl_handle(core, core.pointee.L, function, arguments, count, &result)
    if status != LUA_OK { throw ScriptError(status: status, in: self) }
    return read(result)
  }

  /// Calls a function with drafts and returns its first result as state (+1), absent for nil.
  package func evaluate(
    _ handler: Handler, _ arguments: [HandlerArgument], owner: UInt16
  ) throws(ScriptError) -> Slot {
    try withDrafts(owner: owner) { () throws(ScriptError) in
      let tape = tape(arguments)
      let status = tape.withUnsafeBufferPointer {
        sl_call(
          core, core.pointee.L, handler.slot, $0.baseAddress, Int32(arguments.count), true)
      }
      if status != LUA_OK { throw ScriptError(status: status, in: self) }
      guard core.pointee.tapes.to_swift.count > 0 else { return .absent }
      var at = UnsafePointer(core.pointee.tapes.to_swift.items)
      // Functions among the results came as registry references, which nothing else releases.
      defer {
        var rest = TapeReader(vm: self, items: core.pointee.tapes.to_swift.items)
        rest.releaseRest()
      }
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
    sl_exchange_draft_cache(&core.pointee.drafts, try reference { sl_new_table(core, &$0) })
  }

  private func popCache(_ outer: Int32) {
    sl_release(core, sl_exchange_draft_cache(&core.pointee.drafts, outer))
  }

  /// Decodes the result of `sl_handle`, whose box, if it is one, is owned (+1).
  func read(_ result: sl_value) -> HandlerResult {
    switch Int32(result.tag) {
    case SL_TAG_ABSENT: return .none
    case SL_TAG_RUN:
      var reader = TapeReader(vm: self, items: core.pointee.tapes.to_swift.items)
      return reader.nextRun().map { .run($0) } ?? .none
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
    let returned = try withDrafts(owner: owner, keepingViews: true) { () throws(ScriptError) in
      var argument = sl_value()
      arena.pointee.putDraft(0, into: &argument)
      let result = try handle(function.slot, &argument, 1)
      if case .run(let run) = result { release(run.functions) }
      return result.typeName
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
