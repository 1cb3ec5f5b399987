import ScriptValue

/// A key of a plain table (borrowed bytes) and its owned value (+1).
struct RecordEntry {
  var key: UnsafeRawBufferPointer
  var value: Slot
}

/// Makes objects of plain tables, whose keys come from Lua in no defined order. Keys are sorted,
/// and shapes are cached by the hash of their keys, so that only the first of many similar tables
/// copies its keys.
struct RecordShapes: ~Copyable {
  /// The shapes that were used last, each at the last bits of the hash of its keys.
  private var shapes: [Shape?] = Array(repeating: nil, count: size)
  private static let size = 1024

  /// The object (+1) of the entries. Consumes their values, and sorts them.
  mutating func object(_ entries: UnsafeMutableBufferPointer<RecordEntry>) -> Slot {
    var entries = entries
    // The order of bytes, which for UTF-8 is that of code points.
    entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
    guard entries.count <= Shape.maximumCount else {
      var builder = ObjectTree.Builder()
      for entry in entries {
        builder.append(key: StringNode.allocate(trustedUTF8: entry.key), entry.value)
      }
      return builder.finish().ownedSlot()
    }
    let shape = shape(of: entries)
    return withUnsafeTemporaryAllocation(of: Slot.self, capacity: entries.count) { slots in
      for (index, entry) in entries.enumerated() { slots[index] = entry.value }
      guard let first = slots.baseAddress else { return .empty(.table) }
      return Slot(tag: .object, address: ObjectNode.make(shape: shape, owning: first))
    }
  }

  private mutating func shape(of entries: UnsafeMutableBufferPointer<RecordEntry>) -> Shape {
    var hash: UInt64 = 0
    for entry in entries { hash = UTF8Text.mix(hash, UTF8Text.hash(entry.key)) }
    let index = Int(truncatingIfNeeded: hash ^ hash >> 32) & (RecordShapes.size - 1)
    if let known = shapes[index], known.count == entries.count,
      entries.indices.allSatisfy({
        UTF8Text.equals(known.keyBytes(at: $0), entries[$0].key)
      })
    {
      return known
    }
    let shape = Shape.of(entries.map { StringNode.make(trustedUTF8: $0.key) })
    shapes[index] = shape
    return shape
  }
}
