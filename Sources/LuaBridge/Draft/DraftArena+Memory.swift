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

extension DraftArena {
  /// Records that the arena holds that many bytes more. C then stops scripts that use too much.
  @inline(__always)
  mutating func hold(_ bytes: Int) {
    held += bytes
    if held > counted { countHeld() }
  }

  @inline(never)
  private mutating func countHeld() {
    sl_add_temporary_memory(core, held - counted)
    counted = held
  }

  /// Records that the arena no longer holds bytes that it has held.
  @inline(__always)
  mutating func letGo(_ bytes: Int) { held = max(0, held - bytes) }

  /// Records the bytes that a change has copied.
  @inline(__always)
  mutating func holdCopies() {
    if copied.pointee == 0 { return }
    hold(copied.pointee)
    copied.pointee = 0
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
