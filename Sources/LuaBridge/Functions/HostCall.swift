import CLua
import ScriptValue

/// One call of a host function by a script: its arguments, which are still on the tape, and how its
/// results are written.
struct HostCall {
  private var tape: TapeReader
  /// How many arguments are on the tape, from the next one on.
  private(set) var count: Int

  var vm: LuaVM { tape.vm }

  init(vm: LuaVM, tape: UnsafePointer<sl_value>?, count: Int) {
    self.tape = TapeReader(vm: vm, items: tape)
    self.count = count
  }

  // MARK: Arguments

  /// Reads all arguments.
  mutating func values() throws(ScriptError) -> [LuaValue] {
    var values: [LuaValue] = []
    values.reserveCapacity(count)
    while count > 0 { values.append(try next()) }
    return values
  }

  /// Reads the next argument; nil if there is none.
  @discardableResult
  mutating func next() throws(ScriptError) -> LuaValue {
    guard count > 0 else { return .nil }
    count -= 1
    return try tape.next()
  }

  /// Reads the next argument, for a parameter whose type is a scalar's or an optional scalar's.
  @inline(__always)
  mutating func scalar<A: Decodable>(_ type: A.Type, at position: Int) throws -> A {
    if position < count, let scalar = tape.nextScalar(type) { return scalar }
    return try converted(type, at: position)
  }

  private mutating func converted<A: Decodable>(_ type: A.Type, at position: Int) throws -> A {
    let value = position < count ? try tape.next() : .nil
    // Copying a table would use the tape, from which the next arguments are still to be read.
    if case .table = value {
      throw ArgumentError(position: position, reason: .unsuited(value.typeName))
    }
    return try LuaConversion.argument(value, as: type, at: position, named: "argument")
  }

  /// Releases the references among the arguments that have not been read. The VM must not have been
  /// used since the call began.
  func releaseRest() { tape.releaseRest() }

  // MARK: Results

  /// Releases collected objects and references, as a script that calls host functions in a loop
  /// would let them pile up. Called when the arguments are no longer on the tape, because a `deinit`
  /// may call the VM.
  func releaseDeferred() {
    vm.releaseDeferred()
    vm.releasePending()
  }

  /// Writes the results of the function, which must not use the VM any more. Returns what the
  /// trampoline expects.
  func finish(_ results: [LuaValue]) -> Int32 {
    if let problem = vm.writeResults(results) { return vm.refuse(problem) }
    return Int32(results.count)
  }

  /// Suspends the calling coroutine, which gives these values to the host.
  func yield(_ results: [LuaValue]) -> Int32 {
    if let problem = vm.writeResults(results) { return vm.refuse(problem) }
    sl_set_yielded(&vm.core.pointee.tapes, Int32(results.count))
    return SL_YIELD
  }

  /// Writes one result of any type.
  func finish<R: Encodable>(_ result: R) throws -> Int32 {
    if vm.writeScalar(result) { return 1 }
    return finish(try LuaConversion.results(result))
  }
}

extension TapeReader {
  /// The next value, if it is a scalar of exactly that type.
  @inline(__always)
  mutating func nextScalar<A>(_ type: A.Type) -> A? {
    guard let entry = at else { return nil }
    let scalar: A
    switch Int32(entry.pointee.tag) {
    case SL_TAG_INTEGER where A.self == Int.self:
      scalar = unsafeBitCast(Int(entry.pointee.as.integer), to: A.self)
    case SL_TAG_INTEGER where A.self == Double.self:
      guard let number = Double(exactly: entry.pointee.as.integer) else { return nil }
      scalar = unsafeBitCast(number, to: A.self)
    case SL_TAG_FLOAT where A.self == Double.self:
      scalar = unsafeBitCast(entry.pointee.as.number, to: A.self)
    case SL_TAG_BOOLEAN where A.self == Bool.self:
      scalar = unsafeBitCast(entry.pointee.as.integer != 0, to: A.self)
    case SL_TAG_STRING where A.self == String.self:
      let text = String(decoding: entry.pointee.stringBytes, as: UTF8.self)
      sl_add_temporary_memory(vm.core, text.utf8.count)
      scalar = unsafeBitCast(text, to: A.self)
    default: return nil
    }
    at = entry + 1
    return scalar
  }
}

extension LuaVM {
  /// Writes a host function's only result, if it is a scalar. False if it is something else, or if
  /// the tape cannot take it.
  @inline(__always)
  func writeScalar<R>(_ result: R) -> Bool {
    var entry = sl_value()
    if R.self == Int.self {
      entry.tag = UInt8(SL_TAG_INTEGER)
      entry.as.integer = Int64(unsafeBitCast(result, to: Int.self))
    } else if R.self == Double.self {
      entry.tag = UInt8(SL_TAG_FLOAT)
      entry.as.number = unsafeBitCast(result, to: Double.self)
    } else if R.self == Bool.self {
      entry.tag = UInt8(SL_TAG_BOOLEAN)
      entry.as.integer = unsafeBitCast(result, to: Bool.self) ? 1 : 0
    } else {
      return false
    }
    sl_begin_tape_to_lua(&core.pointee.tapes)
    guard let slot = sl_tape_add(&core.pointee.tapes.to_lua) else { return false }
    slot.pointee = entry
    return true
  }
}
