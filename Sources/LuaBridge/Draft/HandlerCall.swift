import CLua

/// What a handler gets, in order; it is handed no more than it names.
package enum HandlerArgument {
  /// A draft of the running action.
  case draft(Int32)
  /// A read-only value (+0); who calls keeps it alive.
  case view(Slot)
  /// A scalar or nil (+0).
  case scalar(Slot)
  /// A plain table of scalars (+0), 1 … n.
  case list([Slot])
  /// Something that lives in the VM.
  case reference(LuaReference)
}

/// What a handler returned.
package enum HandlerResult {
  case none
  /// A boxed Swift object of kind effect.
  case effect(AnyObject)
  /// What `effect.run` made.
  case run(ScriptRun)
  /// Something else, by its type's name.
  case other(String)
}

/// A script function that the store calls with drafts, and what is known of it.
package final class Handler {
  package let function: LuaFunction
  /// Parameters that it names; nil for any number.
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

  /// Whether it looks at its n-th argument, from 1.
  @inline(__always)
  package func takes(_ position: Int) -> Bool { parameters.map { $0 >= position } ?? true }
}

extension LuaVM {
  /// Calls a handler; the drafts and views that it gets die when it returns. This is the way of every
  /// action.
  ///
  /// - Parameters:
  ///   - dependencies: `deps`, nil for a handler that does not take it.
  ///   - owner: whose drafts they are, from ``DraftArena/owner(named:)``.
  package func call(
    _ handler: Handler, draft: Int32, action: Slot, dependencies: LuaReference? = nil, owner: UInt16
  ) throws(ScriptError) -> HandlerResult {
    try withDrafts(owner: owner) { () throws(ScriptError) in
      let generation = core.pointee.generation
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

  /// The same with any arguments.
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
      var at = UnsafePointer(core.pointee.tape.items)
      // A function among the results, which is no state, has a reference that nobody wants.
      defer { TapeReader(vm: self, items: core.pointee.tape.items).forgetRest() }
      do throws(DraftError) {
        return try arena.pointee.readChecked(&at)
      } catch {
        throw ScriptError(error.message)
      }
    }
  }

  /// Makes new drafts and views valid for the time of `body`, and those of an enclosing call again
  /// afterwards.
  ///
  /// - Parameter keepingViews: leaves those valid that are; there are no new ones then.
  @inline(__always)
  func withDrafts<R>(
    owner: UInt16, keepingViews: Bool = false, _ body: () throws(ScriptError) -> R
  ) throws(ScriptError) -> R {
    forgetCause()
    let outer = (core.pointee.generation, core.pointee.view_generation, core.pointee.owner)
    // The drafts of an enclosing call keep their userdata, for `==` and as keys of tables.
    let outerCache = outer.0 == 0 ? nil : try pushCache()
    core.pointee.last_generation += 1
    core.pointee.generation = core.pointee.last_generation
    if !keepingViews { core.pointee.view_generation = core.pointee.last_generation }
    core.pointee.owner = owner
    defer {
      (core.pointee.generation, core.pointee.view_generation, core.pointee.owner) = outer
      if let outerCache { popCache(outerCache) }
    }
    return try body()
  }

  private func pushCache() throws(ScriptError) -> Int32 {
    var cache: Int32 = 0
    try check(sl_new_table(core, &cache))
    let outer = core.pointee.refs_cache
    core.pointee.refs_cache = cache
    return outer
  }

  private func popCache(_ outer: Int32) {
    sl_release(core, core.pointee.refs_cache)
    core.pointee.refs_cache = outer
  }

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

  private func tape(_ arguments: [HandlerArgument]) -> [sl_value] {
    var tape: [sl_value] = []
    for argument in arguments {
      var value = sl_value()
      switch argument {
      case .draft(let draft): arena.pointee.putDraft(draft, into: &value)
      case .view(let slot) where slot.isContainer:
        DraftArena.putView(slot, generation: core.pointee.generation, into: &value)
      case .view(let slot), .scalar(let slot): LuaVM.put(slot, into: &value)
      case .reference(let reference): LuaVM.put(reference, into: &value)
      case .list(let slots):
        value.tag = UInt8(SL_TAG_SEQUENCE)
        value.slot = UInt32(slots.count)
        tape.append(value)
        for slot in slots {
          var element = sl_value()
          LuaVM.put(slot, into: &element)
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

  private static func put(_ scalar: Slot, into value: inout sl_value) {
    value.tag = scalar.tag.rawValue
    value.as.bits = scalar.bits
    guard scalar.tag == .string else { return }
    let bytes = scalar.stringBytes
    value.length = UInt64(bytes.count)
    value.as.bytes = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
  }
}

// MARK: - For reducers in Swift

/// What a reducer finds under a key of its state.
package enum DraftChild {
  case absent
  /// A number, string, boolean or null.
  case scalar
  case draft(Int32)
}

extension DraftArena {
  /// The draft of what stands under `key`.
  package mutating func child(of draft: Int32, key: borrowing FieldKey) -> DraftChild {
    let position = key.position(in: drafts[Int(draft)].container)
    return position < 0 ? .absent : child(of: draft, at: position)
  }

  /// The draft of what stands under `key`.
  package mutating func child(of draft: Int32, key: UnsafeRawBufferPointer) -> DraftChild {
    let container = drafts[Int(draft)].container
    switch container.tag {
    case .object:
      let position = ObjectNode.withShape(of: container.address) { $0.position(of: key) }
      return position.map { child(of: draft, at: $0) } ?? .absent
    case .dictionary:
      let position = ObjectTree(borrowing: container).position(of: key)
      return position.map { child(of: draft, at: $0) } ?? .absent
    default: return .absent
    }
  }

  /// The draft of the element at `position`, from 0, of a list, or at a position of an object.
  @inline(__always)
  package mutating func child(of draft: Int32, at position: Int) -> DraftChild {
    let element = DraftArena.element(of: drafts[Int(draft)].container, at: position)
    if element.isContainer { return .draft(child(of: draft, at: position, element)) }
    return element.isAbsent ? .absent : .scalar
  }

  /// The value (+0) of a place with everything that was written to it so far.
  package mutating func current(_ draft: Int32) throws(DraftError) -> Slot {
    try synchronize(draft)
    return drafts[Int(draft)].container
  }

  /// The container (+0) of a place; descendants that were written to may be newer.
  @inlinable @inline(__always)
  package func peek(_ draft: Int32) -> Slot { drafts[Int(draft)].container }

  /// Replaces the value of a place by an owned container (+1), unless that is too deep there.
  package mutating func replace(_ draft: Int32, by owned: Slot) throws(DraftError) {
    guard owned.fits(below: depth(of: draft) - 1) else {
      throw tooDeep(owned, at: path(of: draft))
    }
    assign(owned, to: draft)
  }

  /// A place outside the state, for a child whose state a function computes. Takes over the container
  /// (+1).
  package mutating func addDetached(_ owned: Slot) -> Int32 {
    add(Draft(container: owned, isOwned: true))
  }
}
