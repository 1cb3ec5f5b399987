import CLua
import ScriptValue

/// One call of a host function by a script: its arguments, and how its results are written.
///
/// The arguments are on the tape, in their order. They are either read one after the other, with
/// ``next()`` and ``argument(_:)``, or all at once. As long as some are on the tape, nothing may
/// use the VM.
struct HostCall: ~Copyable {
  private var tape: TapeReader
  /// How many arguments are on the tape from the next one on.
  private(set) var count: Int
  /// The arguments of a typed function if they are no longer on the tape, one for each parameter.
  private var arranged: [LuaValue]?
  /// The position of the next argument of a typed function.
  private var position = 0

  private let core: UnsafeMutablePointer<sl_vm>

  var vm: LuaVM { tape.vm }

  init(vm: LuaVM, tape: UnsafePointer<sl_value>?, count: Int) {
    core = vm.core
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

  /// Reads the next argument if it is an object.
  mutating func nextObject() throws(ScriptError) -> AnyObject? {
    guard count > 0, let object = try tape.nextObject() else { return nil }
    count -= 1
    return object
  }

  /// Sets the arguments of a typed function, one for each parameter, when all have been read.
  mutating func replaceTape(by arguments: [LuaValue]) {
    arranged = arguments
    releaseDeferred()
  }

  /// The next argument of a typed function.
  @inline(__always)
  mutating func argument<A: Decodable>(_ type: A.Type) throws -> A {
    // The types of the fast path are compared, and not cast, because casts take longer than the
    // rest of the call. Proof for each `unsafeBitCast`: `A` is the type of the value, by the
    // comparison in the same case, so the cast changes nothing.
    if count > 0, let entry = tape.at {
      switch Int32(entry.pointee.tag) {
      case SL_TAG_INTEGER where A.self == Int.self:
        return unsafeBitCast(Int(takeScalar().as.integer), to: A.self)
      case SL_TAG_INTEGER where A.self == Double.self:
        if let number = Double(exactly: entry.pointee.as.integer) {
          _ = takeScalar()
          return unsafeBitCast(number, to: A.self)
        }
      case SL_TAG_FLOAT where A.self == Double.self:
        return unsafeBitCast(takeScalar().as.number, to: A.self)
      case SL_TAG_BOOLEAN where A.self == Bool.self:
        return unsafeBitCast(takeScalar().as.integer != 0, to: A.self)
      case SL_TAG_STRING where A.self == String.self:
        if let text = takeText() { return unsafeBitCast(text, to: A.self) }
      default: break
      }
    }
    return try converted(type)
  }

  @inline(__always)
  private mutating func takeScalar() -> sl_value {
    count -= 1
    position += 1
    return tape.takeEntry()
  }

  /// Takes the next argument, which is a string, if it is UTF-8.
  private mutating func takeText() -> String? {
    let bytes = tape.at.unsafelyUnwrapped.pointee.stringBytes
    guard let text = String(utf8: bytes) else { return nil }
    _ = takeScalar()
    sl_add_temporary_memory(core, bytes.count)
    return text
  }

  private mutating func converted<A: Decodable>(_ type: A.Type) throws -> A {
    defer { position += 1 }
    if let arranged {
      return try LuaConversion.argument(arranged[position], as: type, at: position)
    }
    do {
      let value = try next()
      // Copying a table would use the tape, from which the next arguments are still to be read.
      if case .table = value {
        throw ArgumentError(position: position, reason: .unsuited(value.typeName))
      }
      return try LuaConversion.argument(value, as: type, at: position)
    } catch {
      releaseRest()
      throw error
    }
  }

  /// Releases the references among the arguments on the tape.
  mutating func releaseRest() { if count > 0 { tape.releaseRest() } }

  // MARK: Results

  /// Releases collected objects and references, as a script that calls host functions in a loop
  /// would let them pile up. A `deinit` may use the VM.
  @inline(__always)
  func releaseDeferred() {
    // Without counting a reference to the VM.
    tape.owner._withUnsafeGuaranteedRef {
      $0.releaseDeferred()
      $0.releasePending()
    }
  }

  /// Writes the results of the function, which must not use the VM any more. Returns what C
  /// expects.
  func finish(_ results: [LuaValue]) -> Int32 {
    if let problem = vm.writeResults(results) { return vm.refuse(problem) }
    return Int32(results.count)
  }

  /// Suspends the calling coroutine, which gives these values to the host.
  func yield(_ results: [LuaValue]) -> Int32 {
    if let problem = vm.writeResults(results) { return vm.refuse(problem) }
    sl_set_yielded(&core.pointee.tapes, Int32(results.count))
    return SL_YIELD
  }

  /// Ends a call of a typed function, whose result is of any type.
  @inline(__always)
  func finish<R: Encodable>(typed result: R) throws -> Int32 {
    releaseDeferred()
    // Proof for each `unsafeBitCast`: `R` is the type that it casts to, by the comparison before it.
    if R.self == Int.self {
      return write(.init(integer: Int64(unsafeBitCast(result, to: Int.self))), SL_TAG_INTEGER)
    }
    if R.self == Double.self {
      return write(.init(number: unsafeBitCast(result, to: Double.self)), SL_TAG_FLOAT)
    }
    if R.self == Bool.self {
      return write(.init(integer: unsafeBitCast(result, to: Bool.self) ? 1 : 0), SL_TAG_BOOLEAN)
    }
    return finish(try LuaConversion.results(result))
  }

  /// Ends a call of a typed function without a result.
  @inline(__always)
  func finishTyped() -> Int32 {
    releaseDeferred()
    sl_begin_tape_to_lua(&core.pointee.tapes)
    return 0
  }

  /// Writes one scalar.
  @inline(__always)
  private func write(_ value: sl_value.__Unnamed_union_as, _ tag: Int32) -> Int32 {
    sl_begin_tape_to_lua(&core.pointee.tapes)
    guard let entry = sl_tape_add(&core.pointee.tapes.to_lua) else { return vm.refuse(.memory) }
    entry.pointee = sl_value()
    entry.pointee.tag = UInt8(tag)
    entry.pointee.as = value
    return 1
  }
}
