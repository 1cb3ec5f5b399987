import Synchronization

/// The ordered keys of flat objects. Rows that were built alike share one shape, so that a key's
/// position found in one row holds for the next.
///
/// Shapes are interned, in a bounded table: two objects with the same keys in the same order
/// usually, not always, have the same shape, so a mismatch of addresses proves nothing. The first
/// thousand are permanent, which saves the atomic counting in each object that is made of one. Those
/// with long keys are not interned, so that the table holds little text.
///
/// `@unchecked Sendable`: every field is set in `init` and never again; the memory behind the
/// pointers is freed in `deinit` only.
package final class Shape: @unchecked Sendable {
  /// An object with more keys is a ``DictionaryNode``.
  package static let maximumCount = 32
  private static let linearCount = 8

  package let count: Int
  /// The keys' nodes, each with a reference of this shape's.
  private let keys: UnsafeMutablePointer<NodeAddress>
  /// Open addressing, position + 1 by hash; nil up to `linearCount` keys.
  private let table: UnsafeMutablePointer<UInt8>?
  /// Of the keys in order.
  private let hash: UInt64
  /// Never freed, so that objects need not count their references to it.
  private let isPermanent: Bool

  private static let tableMask: UInt64 = 63

  /// Takes references of its own to the keys.
  private init(_ nodes: UnsafeBufferPointer<NodeAddress>, hash: UInt64, isPermanent: Bool) {
    count = nodes.count
    self.isPermanent = isPermanent
    self.hash = hash
    keys = .allocate(capacity: max(nodes.count, 1))
    for (index, node) in nodes.enumerated() {
      Node.retain(node)
      (keys + index).initialize(to: node)
    }
    guard nodes.count > Shape.linearCount else {
      table = nil
      return
    }
    let table = UnsafeMutablePointer<UInt8>.allocate(capacity: Int(Shape.tableMask) + 1)
    table.initialize(repeating: 0, count: Int(Shape.tableMask) + 1)
    for (index, node) in nodes.enumerated() {
      var place = UTF8Text.hash(StringNode.bytes(of: node)) & Shape.tableMask
      while table[Int(place)] != 0 { place = (place + 1) & Shape.tableMask }
      table[Int(place)] = UInt8(index + 1)
    }
    self.table = table
  }

  deinit {
    for index in 0..<count { Node.release(keys[index]) }
    keys.deallocate()
    table?.deallocate()
  }

  /// The position of the key with these bytes. Compares up to eight keys in turn, hashes beyond.
  package func position(of key: UnsafeRawBufferPointer) -> Int? {
    guard let table else {
      for index in 0..<count where StringNode.equals(keys[index], key) { return index }
      return nil
    }
    var place = UTF8Text.hash(key) & Shape.tableMask
    while true {
      let entry = table[Int(place)]
      if entry == 0 { return nil }
      if StringNode.equals(keys[Int(entry) - 1], key) { return Int(entry) - 1 }
      place = (place + 1) & Shape.tableMask
    }
  }

  /// The key's node (+0, lives as long as the shape).
  @inline(__always)
  package func keyAddress(at position: Int) -> NodeAddress {
    assert(position < count)
    return keys[position]
  }

  /// The key's bytes; valid while the shape lives.
  @inline(__always)
  package func keyBytes(at position: Int) -> UnsafeRawBufferPointer {
    StringNode.bytes(of: keyAddress(at: position))
  }

  /// The key's node, as a strong reference of the caller's.
  package func key(at position: Int) -> StringNode {
    Unmanaged<StringNode>.fromOpaque(keyAddress(at: position)).takeUnretainedValue()
  }

  // MARK: Interning

  private struct Interned {
    var table: [UInt64: [Shape]] = [:]
    /// The first ones, which a program keeps using: they stay for good.
    var permanent: [Shape] = []

    mutating func empty() {
      table.removeAll(keepingCapacity: true)
      for shape in permanent { table[shape.hash, default: []].append(shape) }
    }
  }

  private static let interned = Mutex(Interned())
  private static let permanentLimit = 1024
  private static let internedLimit = 4096
  private static let bucketLimit = 8
  /// Bytes of all keys of a shape that is interned.
  private static let longestInterned = 2048

  /// The shape of an object without keys; only a place to start from.
  package static let none = Shape(
    UnsafeBufferPointer(start: nil, count: 0), hash: 0, isPermanent: true)

  /// The shape with these keys (+0; distinct, at most ``maximumCount``) in this order.
  package static func of(_ keys: UnsafeBufferPointer<NodeAddress>) -> Shape {
    precondition(keys.count <= maximumCount)
    if keys.isEmpty { return none }
    var hash: UInt64 = 0
    var length = 0
    for key in keys {
      let bytes = StringNode.bytes(of: key)
      hash = UTF8Text.mix(hash, UTF8Text.hash(bytes))
      length += bytes.count
    }
    if length > longestInterned { return Shape(keys, hash: hash, isPermanent: false) }
    return interned.withLock { interned in
      if let found = interned.table[hash]?.first(where: { $0.has(keys) }) { return found }
      if interned.table.count >= internedLimit { interned.empty() }
      let isPermanent = interned.permanent.count < permanentLimit
      let shape = Shape(keys, hash: hash, isPermanent: isPermanent)
      if isPermanent { interned.permanent.append(shape) }
      // Chosen keys may have one hash; they must not grow a bucket without bound either.
      if interned.table[hash, default: []].count >= bucketLimit { interned.table[hash] = [] }
      interned.table[hash, default: []].append(shape)
      return shape
    }
  }

  /// Counts an object's reference, where that is needed.
  @inline(__always)
  static func retain(_ shape: NodeAddress) {
    if !isPermanent(shape) { Node.retain(shape) }
  }

  /// Gives up an object's reference, where they are counted.
  @inline(__always)
  static func release(_ shape: NodeAddress) {
    if !isPermanent(shape) { Node.release(shape) }
  }

  @inline(__always)
  private static func isPermanent(_ shape: NodeAddress) -> Bool {
    Unmanaged<Shape>.fromOpaque(shape)._withUnsafeGuaranteedRef { $0.isPermanent }
  }

  /// The shape with these keys (distinct, at most ``maximumCount``) in this order.
  package static func of(_ keys: [StringNode]) -> Shape {
    withExtendedLifetime(keys) {
      let addresses = keys.map { Unmanaged.passUnretained($0).toOpaque() }
      return addresses.withUnsafeBufferPointer { of($0) }
    }
  }

  /// This shape and one more key (+0; not in it yet) at its end.
  package func appending(_ key: NodeAddress) -> Shape {
    withUnsafeTemporaryAllocation(of: NodeAddress.self, capacity: count + 1) { buffer in
      for index in 0..<count { buffer[index] = keys[index] }
      buffer[count] = key
      return Shape.of(UnsafeBufferPointer(buffer))
    }
  }

  /// This shape without the key at `position`.
  package func removing(at position: Int) -> Shape {
    withUnsafeTemporaryAllocation(of: NodeAddress.self, capacity: count) { buffer in
      for index in 0..<position { buffer[index] = keys[index] }
      for index in position + 1..<count { buffer[index - 1] = keys[index] }
      return Shape.of(UnsafeBufferPointer(rebasing: buffer[..<(count - 1)]))
    }
  }

  private func has(_ other: UnsafeBufferPointer<NodeAddress>) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count
    where keys[index] != other[index]
      && !StringNode.equals(keys[index], StringNode.bytes(of: other[index]))
    {
      return false
    }
    return true
  }
}
