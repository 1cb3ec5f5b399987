import ScriptValue

/// A value that a view in Swift reads, with its number in the record of reads.
package struct RecordedValue {
  /// Borrowed (+0) from the arguments of the view, or a scalar.
  private let slot: Slot
  private let number: UInt32
  private let arena: UnsafeMutablePointer<DraftArena>
  /// The record in which the value may be read.
  private let generation: UInt64

  init(
    _ slot: Slot, _ number: UInt32, _ arena: UnsafeMutablePointer<DraftArena>,
    _ generation: UInt64
  ) {
    self.slot = slot
    self.number = number
    self.arena = arena
    self.generation = generation
  }

  private var isAlive: Bool { arena.pointee.core.pointee.drafts.valid.generation == generation }

  private var nothing: RecordedValue { RecordedValue(.null, 0, arena, generation) }

  package var isContainer: Bool { slot.isContainer }

  package func value(under key: String) -> RecordedValue {
    guard isAlive, slot.isContainer else { return nothing }
    var key = key
    var number = number
    let found = key.withUTF8 {
      arena.pointee.read(UnsafeRawBufferPointer($0), of: slot, number: &number)
    }
    return RecordedValue(found, number, arena, generation)
  }

  package func value(at index: Int) -> RecordedValue {
    guard isAlive, slot.isContainer, index >= 0 else { return nothing }
    var number = number
    let found = arena.pointee.read(index, of: slot, number: &number)
    return RecordedValue(found, number, arena, generation)
  }

  package var count: Int {
    guard isAlive, slot.isContainer else { return 0 }
    if number != 0 { arena.pointee.trace.readLength(number) }
    return PersistentList.count(slot)
  }

  package var whole: Value {
    guard isAlive else { return .null }
    if number != 0, slot.isContainer { arena.pointee.trace.readWhole(number) }
    return Value(borrowing: slot)
  }
}

extension LuaVM {
  /// Runs a view in Swift on the recorded arguments. Otherwise as ``runView(_:on:kinds:limit:id:)``.
  package func runHostView(
    _ arguments: ViewArguments, kinds: NodeKinds, limit: Int, id: Slot, reusing old: Slot,
    _ body: (RecordedValue, RecordedValue) throws(ScriptError) -> Value
  ) throws(ScriptError) -> ViewOutput {
    let generation = core.pointee.drafts.valid.generation
    let value = try body(
      RecordedValue(arguments.state, ReadTrace.state, arena, generation),
      RecordedValue(arguments.environment, ReadTrace.environment, arena, generation))
    var reader = HostNodeReader(self, kinds, bound: arguments.state, limit: limit)
    return try reader.read(value, id: id, reusing: old)
  }
}
