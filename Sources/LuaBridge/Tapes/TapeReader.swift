// Decoding and encoding of tapes: rows of `sl_value` in prefix order, in which values cross between
// Lua and Swift. The tags are in values.h.
//
// Invariants:
// 1. A registry reference on a tape from Lua belongs to Swift. It must be wrapped in an object that
//    releases it, or be released with ``TapeReader/releaseRest()``.
// 2. Objects on a tape are borrowed (+0) both ways. C retains those that it stores.
// 3. Strings on a tape from Lua are borrowed, and are valid only until Lua runs or collects
//    garbage. Strings on a tape to Lua are copied to `sl_vm.tapes.text`.
// 4. The end of a tape from Lua is that of `sl_vm.tapes.to_swift`. So ``TapeReader/isAtEnd`` and ``TapeReader/releaseRest()``
//    are for readers of that tape, and only until something else is written on it: a call of the VM, or a `deinit` that makes
//    one.

import CLua
import ScriptValue

/// Decodes a tape from Lua. Values that become state are decoded in DraftArena+Tape.swift.
struct TapeReader {
  /// The VM, unretained. Proof: a reader exists only during a call of its VM, whose caller retains
  /// it; and in a function that Lua has called, for which the caller that entered Lua retains it.
  let owner: Unmanaged<LuaVM>
  private(set) var at: UnsafePointer<sl_value>?

  init(vm: LuaVM, items: UnsafePointer<sl_value>?) {
    owner = .passUnretained(vm)
    at = items
  }

  var vm: LuaVM { owner.takeUnretainedValue() }

  /// The next value. Throws, and releases the rest, for a draft of a list with holes, and for an object that Lua holds weakly
  /// and that is gone.
  mutating func next() throws(ScriptError) -> LuaValue {
    guard let entry = at?.pointee else { return .nil }
    switch Int32(entry.tag) {
    case SL_TAG_FUNCTION: return step(.function(LuaFunction(vm: vm, slot: Int32(entry.slot))))
    case SL_TAG_TABLE: return step(.table(LuaTable(vm: vm, slot: Int32(entry.slot))))
    case SL_TAG_OTHER: return step(.other(LuaReference(vm: vm, slot: Int32(entry.slot))))
    case SL_TAG_BOX:
      let object = try object(entry)
      return step(.object(object))
    case SL_TAG_ABSENT: return step(.nil)
    case SL_TAG_BOOLEAN: return step(.boolean(entry.as.integer != 0))
    case SL_TAG_INTEGER: return step(.integer(entry.as.integer))
    case SL_TAG_FLOAT: return step(.float(entry.as.number))
    case SL_TAG_STRING:
      sl_add_temporary_memory(vm.core, entry.stringBytes.count)
      return step(LuaValue(bytes: entry.stringBytes))
    default: return LuaValue(try nextValue())
    }
  }

  /// The object in a box. Throws, and releases the rest, if Lua holds it weakly and it is gone.
  private mutating func object(_ entry: sl_value) throws(ScriptError) -> AnyObject {
    guard Int32(entry.slot) == SL_BOX_WEAK else {
      return Unmanaged<AnyObject>.fromOpaque(entry.as.object).takeUnretainedValue()
    }
    // Only ``TapeWriter`` makes boxes of this kind, and only around a `WeakHolder`.
    let holder = Unmanaged<WeakHolder>.fromOpaque(entry.as.object).takeUnretainedValue()
    guard let object = holder.object else {
      releaseRest()
      throw ScriptError("this \(holder.type) is gone; the host has released it")
    }
    return object
  }

  /// The next value, if it is an object. Throws, and releases the rest, if Lua holds it weakly and it is gone.
  mutating func nextObject() throws(ScriptError) -> AnyObject? {
    guard let entry = at, Int32(entry.pointee.tag) == SL_TAG_BOX else { return nil }
    let object = try object(entry.pointee)
    at = entry + 1
    return object
  }

  /// The next value as the result of `effect.run`; nil for any other value. The caller owns its
  /// references.
  mutating func nextRun() -> ScriptRun? {
    guard let head = take(), Int32(head.tag) == SL_TAG_RUN, let function = take(),
      let catching = take()
    else { return nil }
    let functions = RunFunctions(
      function: Int32(bitPattern: function.slot),
      catching: Int32(catching.tag) == SL_TAG_FUNCTION
        ? Int32(bitPattern: catching.slot) : LUA_NOREF)
    // C has checked that the id is absent or a scalar, which is read without an error.
    let id = (try? next()).flatMap { Value($0) }
    return ScriptRun(functions: functions, id: id, cancelInFlight: head.flag != 0)
  }

  /// The next entry, which must exist.
  @inline(__always)
  mutating func takeEntry() -> sl_value {
    let entry = at.unsafelyUnwrapped
    at = entry + 1
    return entry.pointee
  }

  /// The next entry; nil if there is no tape. Like ``takeEntry()`` it does not look for the end: C
  /// has written as many entries as are read.
  mutating func take() -> sl_value? {
    defer { at = at.map { $0 + 1 } }
    return at?.pointee
  }

  /// Whether everything on `sl_vm.tapes.to_swift` has been read.
  var isAtEnd: Bool { at == end }

  private var end: UnsafePointer<sl_value>? {
    let tape = vm.core.pointee.tapes.to_swift
    return tape.items.map { UnsafePointer($0) + tape.count }
  }

  /// Passes the rest of the tape, and releases the registry references on it.
  mutating func releaseRest() {
    guard var at, let end else { return }
    while at < end {
      switch Int32(at.pointee.tag) {
      case SL_TAG_FUNCTION, SL_TAG_TABLE, SL_TAG_OTHER: vm.releaseLater(Int32(at.pointee.slot))
      default: break
      }
      at += 1
    }
    self.at = at
  }

  private mutating func step(_ value: LuaValue) -> LuaValue {
    at = at.map { $0 + 1 }
    return value
  }

  /// The next value as state. C has checked that it can be state. Throws, and releases the rest, for a draft of a list with
  /// holes, and for a value that is too large or nested too deeply.
  mutating func nextValue() throws(ScriptError) -> Value {
    if let entry = at?.pointee, Int32(entry.tag) == SL_TAG_STRING {
      at = at.map { $0 + 1 }
      sl_add_temporary_memory(vm.core, entry.stringBytes.count)
      return .string(String(decoding: entry.stringBytes, as: UTF8.self))
    }
    do throws(DraftError) {
      return Value(owning: try vm.arena.pointee.readChecked(&at))
    } catch {
      releaseRest()
      throw ScriptError(error.message)
    }
  }
}

extension sl_value {
  /// The borrowed bytes of a string on a tape from Lua.
  @inline(__always)
  var stringBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: self.as.bytes, count: Int(length))
  }
}
