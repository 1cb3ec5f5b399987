import CLua
import ScriptValue

// How the memory of an action counts.
//
// Values that scripts assign count when they are read from the tape (DraftArena+Tape.swift). This file
// counts the rest of what an action makes Swift retain until it ends: copies of containers that others
// hold too, keys and elements that are added, the keys that loops follow, and the values that views of
// shared fields show.
//
// The bytes that the arena holds (`held`) may become fewer again. What counts as memory of the VM is the
// most that it has held in this action (`counted`), so that a script which adds and removes one key again
// and again does not run out of memory.

/// The bytes that an action holds, and those of the values that it has read.
struct DraftMemory: ~Copyable {
  /// Bytes that the arena holds, and the most that it has held in this action.
  fileprivate(set) var held = 0
  fileprivate(set) var counted = 0
  /// Bytes that a change has copied; 0 between changes.
  let copied: CopiedBytes
  /// Bytes of all values that this action has read, if ``LuaLimits/stateSize`` is set.
  var read = 0
  /// Bytes of all values that actions have read so far. Without ``LuaLimits/stateSize``, short strings do not count.
  var allRead = 0
  /// Bytes that the value being read from a tape may still take, if ``LuaLimits/stateSize`` is set.
  var remainingSize = Int.max
  /// Bytes that reading that value has copied. They count as memory of the VM.
  var readCopied = 0
  /// Commits since the size of the state was last measured.
  private var commitsSinceMeasure = 0

  init() {
    copied = .allocate(capacity: 1)
    copied.initialize(to: 0)
  }

  deinit { copied.deallocate() }

  /// Begins to count for the next action.
  @inline(__always)
  mutating func reset() {
    (held, counted) = (0, 0)
    read = 0
  }

  /// Whether the size of the state is to be measured. Measuring visits the whole state, so it happens only after an action
  /// that has read more than 4096 bytes, and after every 64th commit.
  mutating func isMeasureDue() -> Bool {
    commitsSinceMeasure += 1
    return read > 4096 || commitsSinceMeasure >= 64
  }

  mutating func noteMeasure() { commitsSinceMeasure = 0 }
}

extension DraftArena {
  /// ``DraftMemory/read`` and ``DraftMemory/allRead`` for other modules.
  package var bytesRead: Int { memory.read }
  package var allBytesRead: Int { memory.allRead }

  /// Records that the arena holds that many bytes more. C then stops scripts that use too much.
  @inline(__always)
  mutating func hold(_ bytes: Int) {
    memory.held += bytes
    if memory.held > memory.counted { countHeld() }
  }

  @inline(never)
  private mutating func countHeld() {
    sl_add_temporary_memory(core, memory.held - memory.counted)
    memory.counted = memory.held
  }

  /// Records that the arena no longer holds bytes that it has held.
  @inline(__always)
  mutating func letGo(_ bytes: Int) { memory.held = max(0, memory.held - bytes) }

  /// Records the bytes that a change has copied.
  @inline(__always)
  mutating func holdCopies() {
    if memory.copied.pointee == 0 { return }
    hold(memory.copied.pointee)
    memory.copied.pointee = 0
  }

  /// The bytes of a slot (+0) that did not count when it was read from the tape.
  @inline(__always)
  static func uncountedSize(of slot: Slot) -> Int {
    guard slot.tag == .string else { return 0 }
    let count = slot.stringBytes.count
    return count < longString ? stringNode + count : 0
  }

  /// The bytes of a key of this length that is added.
  @inline(__always)
  static func sizeOfKey(_ length: Int) -> Int { stringNode + length }

  /// The bytes of an element or a key that is added, with a value (+0).
  @inline(__always)
  static func sizeOfEntry(_ value: Slot) -> Int {
    MemoryLayout<Slot>.stride + uncountedSize(of: value)
  }
}
