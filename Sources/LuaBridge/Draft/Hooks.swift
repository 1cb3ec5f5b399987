import CLua

/// The value of `sl_vm.context`, which every hook gets. The VM and the memory of `arena` outlive the
/// C side, whose hooks use them.
struct HookContext: ~Copyable {
  let vm: Unmanaged<LuaVM>
  let arena: UnsafeMutablePointer<DraftArena>
  let released: DeferredReleases
}

// `unsafelyUnwrapped` in this file: C passes the context that it was made with, and pointers to its
// own variables. It never passes null where hooks.h does not say so.

@inline(__always)
private func arena(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<DraftArena> {
  context.unsafelyUnwrapped.assumingMemoryBound(to: HookContext.self).pointee.arena
}

/// Calls `body` with the VM without counting a reference. Safe because the caller that entered Lua
/// retains the VM.
@inline(__always)
private func withVM<R>(_ context: UnsafeMutableRawPointer?, _ body: (LuaVM) -> R) -> R {
  context.unsafelyUnwrapped.assumingMemoryBound(to: HookContext.self)
    .pointee.vm._withUnsafeGuaranteedRef(body)
}

extension LuaVM {
  fileprivate func refuseEffects() -> Int32 {
    setError("this VM has no store that could run effects")
    return SL_RAISE
  }
}

/// Calls `body` with the arena. If it throws, stores the message for C to raise. Returns the status for C.
@inline(__always)
private func withArena(
  _ context: UnsafeMutableRawPointer?,
  _ body: (UnsafeMutablePointer<DraftArena>) throws(DraftError) -> Void
) -> Int32 {
  let arena = arena(context)
  do throws(DraftError) {
    try body(arena)
    return SL_OK
  } catch {
    arena.pointee.core.setError(error.message)
    return SL_RAISE
  }
}

extension sl_hooks {
  /// The functions that C calls. None raises or yields; see `sl_hooks` in hooks.h.
  static let forSwift = sl_hooks(
    get: { context, ref, key, out in
      arena(context).pointee.get(
        ref.unsafelyUnwrapped, key.unsafelyUnwrapped, out.unsafelyUnwrapped)
    },
    set: { context, ref, key, tape in
      withArena(context) { (arena) throws(DraftError) in
        try arena.pointee.set(ref.unsafelyUnwrapped, key.unsafelyUnwrapped, tape)
      }
    },
    length: { context, ref in Int64(arena(context).pointee.length(ref.unsafelyUnwrapped)) },
    next: { context, ref, cursor, key, outKey, out in
      withArena(context) { (arena) throws(DraftError) in
        try arena.pointee.next(
          ref.unsafelyUnwrapped, cursor: cursor, after: key,
          outKey.unsafelyUnwrapped, out.unsafelyUnwrapped)
      }
    },
    open_cursor: { context, ref in arena(context).pointee.openCursor(ref.unsafelyUnwrapped) },
    close_cursor: { arena($0).pointee.closeCursor($1) },
    insert: { context, ref, position, tape in
      withArena(context) { (arena) throws(DraftError) in
        try arena.pointee.insert(ref.unsafelyUnwrapped, position, tape)
      }
    },
    remove: { context, ref, position, out in
      withArena(context) { (arena) throws(DraftError) in
        try arena.pointee.remove(
          ref.unsafelyUnwrapped, position, out.unsafelyUnwrapped)
      }
    },
    rearrange: { context, ref, tape in
      withArena(context) { (arena) throws(DraftError) in
        try arena.pointee.rearrange(ref.unsafelyUnwrapped, tape.unsafelyUnwrapped)
      }
    },
    find: { context, ref, key, tape, out in
      withArena(context) { (arena) throws(DraftError) in
        out.unsafelyUnwrapped.pointee = try arena.pointee.find(
          ref.unsafelyUnwrapped, key.unsafelyUnwrapped, tape)
      }
    },
    replace: { context, ref, tape in
      withArena(context) { (arena) throws(DraftError) in
        try arena.pointee.replace(ref.unsafelyUnwrapped, tape)
      }
    },
    describe: { context, ref, key in
      let arena = arena(context)
      let ref = ref.unsafelyUnwrapped
      guard Int32(ref.pointee.kind) == SL_TAG_DRAFT else {
        return arena.pointee.core.setError("a read-only value")
      }
      let draft = Int32(ref.pointee.slot)
      arena.pointee.core.setError(
        key.map { arena.pointee.path(of: draft, $0) } ?? arena.pointee.path(of: draft))
    },
    describe_dead: { context, ref in
      let ref = ref.unsafelyUnwrapped.pointee
      let name = arena(context).pointee.ownerName(ref.owner)
      let what =
        Int32(ref.kind) == SL_TAG_DRAFT ? "the draft of \(name) state" : "a value of \(name) action"
      arena(context).pointee.core.setError(
        what + " is used after its handler returned; copy what you need first, "
          + "or use scripted.snapshot")
    },
    show: { context, tape in
      withVM(context) { vm in
        var reader = TapeReader(vm: vm, items: tape)
        guard let value = try? reader.nextValue() else { return SL_RAISE }
        // Indented, a table may have many times its own bytes; and a longer text would be refused.
        let limit = vm.core.pointee.limits.string
        vm.setError(LuaLayout(most: limit > 0 ? Int(limit) : .max).text(of: value))
        return SL_OK
      }
    },
    call: { context, function, tape, arguments in
      withVM(context) { vm in
        // The closure in Lua that is being called retains the function.
        Unmanaged<HostFunction>.fromOpaque(function.unsafelyUnwrapped)._withUnsafeGuaranteedRef {
          vm.call($0, tape: tape, arguments: Int(arguments))
        }
      }
    },
    retain: { _ = Unmanaged<AnyObject>.fromOpaque($0.unsafelyUnwrapped).retain() },
    release: { context, object in
      let context = context.unsafelyUnwrapped.assumingMemoryBound(to: HookContext.self)
      context.pointee.released.add(.fromOpaque(object.unsafelyUnwrapped))
    },
    effect: { context, name, tape, out in
      withVM(context) { vm in
        var arguments = EffectArguments(vm: vm, items: tape)
        guard let effects = vm.effects else {
          arguments.releaseRest()
          return vm.refuseEffects()
        }
        do throws(ScriptError) {
          let name = String(cString: name.unsafelyUnwrapped)
          let effect = try effects.makeEffect(name, &arguments)
          // `effect.none:map(f)`, for example, has not read its function. Later something else may be on the tape.
          arguments.releaseRest()
          out.unsafelyUnwrapped.pointee = Unmanaged.passRetained(effect).toOpaque()
          // Releases collected effects now, as a script that makes effects in a loop would let them
          // pile up. Not for a run: C makes its box while a tape is being written.
          if name != "run" { vm.releaseDeferredEffects() }
          return SL_OK
        } catch {
          arguments.releaseRest()
          vm.setError(error.message)
          return SL_RAISE
        }
      }
    },
    send: { context, body, effect, tape, waits in
      withVM(context) { vm in
        guard let effects = vm.effects else { return vm.refuseEffects() }
        do throws(ScriptError) {
          let mustWait: Bool
          if let effect {
            let boxed = Unmanaged<BoxedEffect>.fromOpaque(effect)
            mustWait = try effects.send(from: body, boxed, waits: waits)
          } else {
            var arguments = EffectArguments(vm: vm, items: tape)
            mustWait = try effects.send(from: body, &arguments, waits: waits)
          }
          return mustWait ? SL_YIELD : SL_OK
        } catch {
          vm.setError(error)
          return SL_RAISE
        }
      }
    },
    sleep: { context, clock, seconds, until in
      let clock = clock.map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
      return withVM(context) { $0.effects?.sleep(seconds, until: until, on: clock) == true }
        ? SL_YIELD : SL_RAISE
    },
    compare: { context, ref in arena(context).pointee.readWhole(ref.unsafelyUnwrapped) },
    captured: { context, ref in
      let number = ref.unsafelyUnwrapped.pointee.slot
      let arena = arena(context)
      return arena.pointee.views.trace.has(number) && arena.pointee.views.trace.capture(number)
    },
    remembers_matches: { context, ref, known in
      let arena = arena(context)
      guard arena.pointee.views.counts.remember(arena.pointee.view(ref.unsafelyUnwrapped)) else {
        return false
      }
      known?.pointee = arena.pointee.views.counts.knownPredicate
      return true
    },
    begin_matches: { context, ref, predicate, isSame in
      let ref = ref.unsafelyUnwrapped
      withVM(context) { vm in
        vm.arena.pointee.readWhole(ref)
        vm.arena.pointee.views.counts.begin(
          vm.arena.pointee.view(ref), LuaFunction(vm: vm, slot: predicate), isSame: isSame)
      }
    },
    candidate: { context, matches, element in
      arena(context).pointee.putCandidate(after: matches, into: element.unsafelyUnwrapped)
    },
    end_matches: { Int64(arena($0).pointee.views.counts.end(isComplete: $1)) }
  )
}
