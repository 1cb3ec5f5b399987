import CLua
import ScriptValue

/// Encodes values for C to push, onto `sl_vm.tapes.to_lua`.
struct TapeWriter {
  let core: UnsafeMutablePointer<sl_vm>
  /// The first reason why the tape cannot be used, except that a lack of memory replaces it; nil if
  /// it can.
  private(set) var problem: Problem?

  enum Problem: String {
    case memory = "not enough memory"
    case foreign = "a table or function of another VM cannot be used here"
  }

  init(core: UnsafeMutablePointer<sl_vm>) { self.core = core }

  mutating func add(_ value: LuaValue) {
    switch value {
    case .nil: put(SL_TAG_ABSENT)
    case .boolean(let flag): put(SL_TAG_BOOLEAN) { $0.as.integer = flag ? 1 : 0 }
    case .integer(let number): put(SL_TAG_INTEGER) { $0.as.integer = number }
    case .float(let number): put(SL_TAG_FLOAT) { $0.as.number = number }
    case .string(var text):
      text.withUTF8 { add(bytes: UnsafeRawBufferPointer($0)) }
    case .bytes(let bytes): bytes.withUnsafeBytes { add(bytes: $0) }
    case .value(let value): value.withSlot { add($0) }
    case .table(let table): put(SL_TAG_TABLE, table)
    case .function(let function): put(SL_TAG_FUNCTION, function)
    case .other(let reference): put(SL_TAG_OTHER, reference)
    case .object(let object): add(object)
    }
  }

  private mutating func add(_ object: AnyObject) {
    let vm = core.pointee.context.assumingMemoryBound(to: HookContext.self).pointee.vm
      .takeUnretainedValue()
    if let type = vm.classes.entry(for: object) {
      var held = object
      if type.isWeak {
        held = vm.classes.holders.holder(of: object, type.name)
        vm.retainUntilPushed(held)
      }
      put(SL_TAG_BOX) {
        $0.as.object = Unmanaged.passUnretained(held).toOpaque()
        $0.slot = UInt32(type.isWeak ? SL_BOX_WEAK : SL_BOX_OBJECT)
        $0.length = UInt64(type.metatable)
      }
    } else {
      put(SL_TAG_BOX) {
        $0.as.object = Unmanaged.passUnretained(object).toOpaque()
        $0.slot = UInt32(object is BoxedEffect ? SL_BOX_EFFECT : SL_BOX_HOST)
      }
    }
  }

  /// Adds `effect.cancelled`.
  mutating func addCancelled() { put(SL_TAG_CANCELLED) }

  /// Adds a registry reference. It is only valid in its own VM, so a reference of another VM is
  /// refused.
  private mutating func put(_ tag: Int32, _ reference: LuaReference) {
    if reference.vm.core != core { problem = problem ?? .foreign }
    put(tag) { $0.slot = UInt32(reference.slot) }
  }

  /// Whether the tape may grow further. Its memory is not Lua's, so it is bounded here: a value
  /// that contains the same part a thousand times is small until it is encoded.
  private func fits() -> Bool {
    let results = core.pointee.tapes.to_lua
    let bytes = results.count * MemoryLayout<sl_value>.stride + core.pointee.tapes.text.count
    return sl_fits(core, bytes)
  }

  private mutating func put(_ tag: Int32, _ fill: (inout sl_value) -> Void = { _ in }) {
    guard fits(), let entry = sl_tape_add(&core.pointee.tapes.to_lua) else {
      problem = .memory
      return
    }
    entry.pointee = sl_value()
    entry.pointee.tag = UInt8(tag)
    fill(&entry.pointee)
  }

  /// Adds a string. Copies the bytes, since their owner may be released before C pushes them.
  private mutating func add(bytes: UnsafeRawBufferPointer) {
    let offset = core.pointee.tapes.text.count
    let text = bytes.assumingMemoryBound(to: CChar.self)
    if let start = text.baseAddress {
      if !sl_text_append(&core.pointee.tapes.text, start, text.count) { problem = .memory }
    }
    put(SL_TAG_STRING) {
      $0.flag = UInt8(SL_FLAG_IN_TEXT)
      $0.as.integer = Int64(offset)
      $0.length = UInt64(text.count)
    }
  }

  /// Adds a borrowed slot (+0) as plain Lua tables. O(n).
  mutating func add(_ slot: Slot) {
    if problem != nil { return }
    switch slot.tag {
    case .absent: put(SL_TAG_ABSENT)
    case .null: put(SL_TAG_NULL)
    case .boolean, .integer, .float, .empty:
      put(Int32(slot.tag.rawValue)) { $0.as.bits = slot.bits }
    case .string: add(bytes: slot.stringBytes)
    case .list:
      let list = PersistentList(borrowing: slot)
      put(SL_TAG_SEQUENCE) { $0.slot = UInt32(list.count) }
      list.visit { add($0) }
    case .object, .dictionary:
      let object = ObjectTree(borrowing: slot)
      put(SL_TAG_RECORD) { $0.slot = UInt32(object.count) }
      object.visit { key, value in
        add(key)
        add(value)
      }
    }
  }
}

/// Writes values for Lua to a tape, and reads those that Lua has left on one.
extension LuaVM {
  /// Calls `body`, which may run scripts, with a tape of `values`.
  func withTape(
    _ values: [LuaValue], _ body: (UnsafePointer<sl_value>?) -> Int32
  ) throws(ScriptError) -> Int32 {
    forgetCause()
    if let problem = write(values) {
      throw ScriptError(problem.rawValue, kind: problem == .memory ? .memory : .runtime)
    }
    return withExtendedLifetime(values) { body(core.pointee.tapes.to_lua.items) }
  }

  /// Writes `values` to `sl_vm.tapes.to_lua`. Returns the reason if they cannot be pushed.
  func write(_ values: [LuaValue]) -> TapeWriter.Problem? {
    sl_begin_tape_to_lua(&core.pointee.tapes)
    var writer = TapeWriter(core: core)
    for value in values { writer.add(value) }
    return writer.problem
  }

  /// Writes a host function's results to `sl_vm.tapes.to_lua`, where C takes them from.
  /// Returns the reason if they cannot be pushed. Must come after the function's last call of the
  /// VM, which writes there as well.
  func writeResults(_ values: [LuaValue]) -> TapeWriter.Problem? {
    for case .object(let object) in values { retainUntilPushed(object) }
    return write(values)
  }

  /// Decodes the values that a protected call has left on the tape.
  func readResults(after status: Int32) throws(ScriptError) -> [LuaValue] {
    try check(status) { () throws(ScriptError) in
      var reader = TapeReader(vm: self, items: core.pointee.tapes.to_swift.items)
      var values: [LuaValue] = []
      while !reader.isAtEnd { values.append(try reader.next()) }
      return values
    }
  }
}
