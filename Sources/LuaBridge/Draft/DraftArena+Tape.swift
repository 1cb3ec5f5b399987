// Decodes values that C has put on a tape into nodes of the state tree.
//
// A tape holds values in prefix order: SL_TAG_SEQUENCE is followed by its elements, SL_TAG_RECORD
// by keys and values in turn. Functions here advance `at` past the value that they read. C has
// checked that each value can be stored in state, except for holes in drafts of lists and for the
// depth of drafts and views inside plain tables.

import CLua
import ScriptValue

extension DraftArena {
  /// Reads the next value (+1), for use by Swift. C checks the nesting of plain tables only; drafts
  /// and views inside them may add to it, so the whole depth is checked here.
  mutating func readChecked(_ at: inout UnsafePointer<sl_value>?) throws(DraftError) -> Slot {
    let value = try read(&at)
    guard value.fits(below: 0) else { throw tooDeep(value, at: "value") }
    return value
  }

  /// Reads the next value (+1). A draft gives its current value; that is O(1) if nothing below it
  /// changed and sizes have no limit. A plain table is copied.
  mutating func read(_ at: inout UnsafePointer<sl_value>?) throws(DraftError) -> Slot {
    let limit = Int(core.pointee.limits.state)
    memory.remainingSize = limit > 0 ? limit : .max
    memory.readCopied = 0
    let value = try readNext(&at)
    if limit > 0 { memory.read += limit - memory.remainingSize }
    memory.allRead += limit > 0 ? limit - memory.remainingSize : memory.readCopied
    // A script may assign a short string a million times, and the state still holds only one. Where it
    // takes more memory than the value of before, that counts (DraftArena+Memory.swift).
    if memory.readCopied > 0 && DraftArena.uncountedSize(of: value) == 0 {
      sl_add_temporary_memory(core, memory.readCopied)
    }
    return value
  }

  /// Bytes of a container without its elements, approximately.
  private static let container = 64
  /// Bytes of a string without its text.
  static var stringNode: Int { 32 }
  /// Shorter strings do not count by themselves.
  static var longString: Int { 256 }

  /// Subtracts `bytes` from `remainingSize`. Throws, so that reading ends, if the
  /// value is larger than ``LuaLimits/stateSize``.
  @inline(__always)
  private mutating func charge(_ bytes: UInt64) throws(DraftError) {
    guard memory.remainingSize != .max else { return }
    memory.remainingSize -= Int(truncatingIfNeeded: bytes)
    if memory.remainingSize < 0 { throw tooLarge() }
  }

  /// Subtracts the size of an existing container (+0) from `remainingSize`.
  private mutating func charge(_ container: Slot) throws(DraftError) {
    guard memory.remainingSize != .max else { return }
    container.subtractSize(from: &memory.remainingSize)
    if memory.remainingSize < 0 { throw tooLarge() }
  }

  private mutating func readNext(
    _ at: inout UnsafePointer<sl_value>?
  ) throws(DraftError) -> Slot {
    guard let entry = at else { return .absent }
    at = entry + 1
    let value = entry.pointee
    try charge(16)
    switch Int32(value.tag) {
    case SL_TAG_NULL: return .null
    case SL_TAG_BOOLEAN, SL_TAG_INTEGER, SL_TAG_FLOAT, SL_TAG_EMPTY:
      return Slot(tag: Tag(rawValue: value.tag) ?? .absent, bits: value.as.bits)
    case SL_TAG_STRING:
      try charge(value.length)
      memory.readCopied += DraftArena.stringNode + Int(value.length)
      return .string(trustedUTF8: value.stringBytes)
    case SL_TAG_DRAFT:
      let container = try current(Int32(value.slot))
      try charge(container)
      return container.retained()
    case SL_TAG_VIEW:
      let container = Slot(tag: Tag(rawValue: value.flag) ?? .absent, bits: value.as.bits)
      if views.trace.has(value.slot) { views.trace.readWhole(value.slot) }
      try charge(container)
      return container.retained()
    case SL_TAG_SEQUENCE:
      memory.readCopied += DraftArena.container + 16 * Int(value.slot)
      var builder = PersistentList.Builder()
      for _ in 0..<value.slot { builder.append(try readNext(&at)) }
      return builder.finish().ownedSlot()
    case SL_TAG_RECORD:
      let count = Int(value.slot)
      memory.readCopied +=
        count > Shape.maximumCount
        ? DictionaryNode.size(count: count) : DraftArena.container + 16 * count
      return try readRecord(&at, count: count)
    default: return .absent
    }
  }

  private mutating func readRecord(
    _ at: inout UnsafePointer<sl_value>?, count: Int
  ) throws(DraftError) -> Slot {
    var entries: [RecordEntry] = []
    entries.reserveCapacity(count)
    do {
      for _ in 0..<count {
        guard let key = at?.pointee else { break }
        at = at.map { $0 + 1 }
        entries.append(RecordEntry(key: key.stringBytes, value: try readNext(&at)))
        try charge(key.length)
      }
    } catch {
      for entry in entries { entry.value.release() }
      throw error
    }
    return entries.withUnsafeMutableBufferPointer { records.object($0) }
  }
}
