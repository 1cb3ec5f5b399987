import ScriptValue

/// A run of a view in Swift. What the view has read may outlive the run, and then even the VM.
final class RecordedRun {
  /// The memory of the VM while the view runs; nil afterwards.
  private var memory: UnsafeMutablePointer<DraftArena>?
  /// The record in which values may be read.
  private let generation: UInt64

  init(_ arena: UnsafeMutablePointer<DraftArena>) {
    memory = arena
    generation = arena.pointee.core.pointee.drafts.valid.generation
  }

  /// The arena in which the values may be read now; nil if they may not.
  var arena: UnsafeMutablePointer<DraftArena>? {
    guard let memory, memory.pointee.core.pointee.drafts.valid.generation == generation else {
      return nil
    }
    return memory
  }

  func end() { memory = nil }
}

/// A value that a view in Swift reads, with its number in the record of reads.
package struct RecordedValue {
  /// Borrowed (+0) from the arguments of the view, or a scalar.
  private let slot: Slot
  private let number: UInt32
  private let run: RecordedRun

  init(_ slot: Slot, _ number: UInt32, _ run: RecordedRun) {
    self.slot = slot
    self.number = number
    self.run = run
  }

  private var nothing: RecordedValue { RecordedValue(.null, 0, run) }

  package var isContainer: Bool { slot.isContainer }

  package func value(under key: String) -> RecordedValue {
    guard let arena = run.arena, slot.isContainer else { return nothing }
    var number = number
    let found = key.withUTF8Bytes { arena.pointee.read($0, of: slot, number: &number) }
    return RecordedValue(found, number, run)
  }

  package func value(at index: Int) -> RecordedValue {
    guard let arena = run.arena, slot.isContainer, index >= 0 else { return nothing }
    var number = number
    let found = arena.pointee.read(index, of: slot, number: &number)
    return RecordedValue(found, number, run)
  }

  package var count: Int {
    guard let arena = run.arena, slot.isContainer else { return 0 }
    if number != 0 { arena.pointee.views.trace.readLength(number) }
    return PersistentList.count(slot)
  }

  package var whole: Value {
    guard let arena = run.arena else { return .null }
    if number != 0, slot.isContainer { arena.pointee.views.trace.readWhole(number) }
    return Value(borrowing: slot)
  }
}

extension LuaVM {
  /// Runs a view in Swift on the recorded arguments. Otherwise as ``runView(_:on:kinds:limit:id:reusing:)``.
  package func runHostView(
    _ arguments: ViewArguments, kinds: NodeKinds, limit: Int, id: Slot, reusing old: Slot,
    _ body: (RecordedValue, RecordedValue) throws(ScriptError) -> Value
  ) throws(ScriptError) -> ViewOutput {
    let run = RecordedRun(arena)
    defer { run.end() }
    let value = try body(
      RecordedValue(arguments.state, ReadTrace.state, run),
      RecordedValue(arguments.environment, ReadTrace.environment, run))
    let nodes = value.ownedSlot()
    defer { nodes.release() }
    var writer = NodeWriter(core: core)
    writer.add(node: nodes)
    guard writer.isComplete else { throw ScriptError("not enough memory", kind: .memory) }
    var reader = NodeReader(
      self, kinds, bound: (arguments.state, ReadTrace.state), limit: limit)
    return try reader.read(id: id, reusing: old)
  }
}
