import ScriptValue

/// Caches the position of a key in a shape, by the addresses of the shape and of the Lua string.
/// Direct-mapped: a new entry replaces the old one with the same hash.
///
/// Invariants:
/// 1. An entry owns its shape (+1), so the shape's address cannot be reused.
/// 2. Lua's anchor table holds the key of each entry, so the key's address cannot be reused. C
///    anchors a key after ``recordMiss(_:in:position:)`` and before ``cacheMiss()``.
/// 3. `pending` is not found by ``position(of:in:)``, since its key may not be anchored.
struct KeyCache: ~Copyable {
  private struct Entry {
    var shape: NodeAddress?
    var key: UnsafePointer<CChar>?
    /// -1: the shape does not have the key.
    var position: Int
  }

  private static let size = 256
  private let entries: UnsafeMutablePointer<Entry>
  /// The last miss; it becomes an entry when its key is anchored. Owns its shape (+1).
  private var pending = Entry(shape: nil, key: nil, position: 0)

  init() {
    entries = .allocate(capacity: KeyCache.size)
    entries.initialize(
      repeating: Entry(shape: nil, key: nil, position: 0), count: KeyCache.size)
  }

  deinit {
    for index in 0..<KeyCache.size {
      if let shape = entries[index].shape { Node.release(shape) }
    }
    if let shape = pending.shape { Node.release(shape) }
    entries.deallocate()
  }

  @inline(__always)
  private static func index(_ shape: NodeAddress, _ key: UnsafePointer<CChar>) -> Int {
    let mixed = UInt(bitPattern: shape) >> 5 ^ UInt(bitPattern: key) >> 4
    return Int(bitPattern: mixed ^ mixed >> 8) & (size - 1)
  }

  /// The position of the key, -1 if the shape does not have it, nil if it is not cached.
  @inline(__always)
  func position(of key: UnsafePointer<CChar>, in shape: NodeAddress) -> Int? {
    let entry = entries + KeyCache.index(shape, key)
    guard entry.pointee.shape == shape && entry.pointee.key == key else { return nil }
    return entry.pointee.position
  }

  /// Records a position (-1: none) that C can cache after it has anchored the key. Retains the
  /// shape.
  mutating func recordMiss(_ key: UnsafePointer<CChar>, in shape: NodeAddress, position: Int) {
    if let old = pending.shape { Node.release(old) }
    Node.retain(shape)
    pending = Entry(shape: shape, key: key, position: position)
  }

  /// Makes the last miss an entry. C has anchored its key.
  mutating func cacheMiss() {
    guard let shape = pending.shape, let key = pending.key else { return }
    let entry = entries + KeyCache.index(shape, key)
    if let old = entry.pointee.shape { Node.release(old) }
    entry.pointee = pending
    pending.shape = nil
  }

  /// Drops all entries. C calls it when it drops the anchor table.
  mutating func removeAll() {
    for index in 0..<KeyCache.size {
      if let shape = entries[index].shape { Node.release(shape) }
      entries[index].shape = nil
    }
  }
}
