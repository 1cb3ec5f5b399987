import Synchronization

/// The ordered keys of flat objects. Objects that were built in the same way share one shape, so
/// that a key's position in one of them is valid for the others.
///
/// Shapes are interned in a bounded table. Invariants:
/// 1. The keys of a shape never change. They are distinct, and there are at most ``maximumCount``.
/// 2. Equal addresses mean equal keys in the same order. Different addresses mean nothing: two
///    objects with the same keys usually have one shape, but not always.
/// 3. The first 1024 interned shapes are permanent: they are never freed, so objects do not count
///    their references to them. That saves atomic operations when an object is created, copied or
///    freed.
/// 4. A shape with more than 2048 bytes of keys is not interned, so that the table holds little
///    text.
///
/// `@unchecked Sendable`. Proof: `init` sets every field once, and the memory behind the pointers
/// is only freed in `deinit`.
@usableFromInline
package final class Shape: @unchecked Sendable {
  /// An object with more keys is a ``DictionaryNode``.
  @inlinable package static var maximumCount: Int { 32 }

  @usableFromInline package let count: Int
  /// The keys' nodes, each retained (+1).
  @usableFromInline let keys: UnsafeMutablePointer<NodeAddress>
  /// The hash of the keys in their order, under which the shape is interned.
  private let hash: UInt64
  /// Invariant 3.
  @usableFromInline let isPermanent: Bool

  /// The bytes of the shape without its keys' nodes.
  var size: Int { Node.header + 64 + count * 8 }

  /// Retains the keys.
  private init(_ nodes: UnsafeBufferPointer<NodeAddress>, hash: UInt64, isPermanent: Bool) {
    count = nodes.count
    self.isPermanent = isPermanent
    self.hash = hash
    keys = .allocate(capacity: max(nodes.count, 1))
    for (index, node) in nodes.enumerated() {
      Node.retain(node)
      (keys + index).initialize(to: node)
    }
  }

  deinit {
    for index in 0..<count { Node.release(keys[index]) }
    keys.deallocate()
  }

  /// Returns the position of the key with these bytes. O(1): compares with up to ``maximumCount`` keys.
  @inlinable
  package func position(of key: UnsafeRawBufferPointer) -> Int? {
    for index in 0..<count where StringNode.equals(keys[index], key) { return index }
    return nil
  }

  /// The key's node (+0), which is alive as long as the shape.
  @inlinable @inline(__always)
  package func keyAddress(at position: Int) -> NodeAddress {
    assert(position < count)
    return keys[position]
  }

  /// The key's bytes. They are valid while the shape is alive.
  @inlinable @inline(__always)
  package func keyBytes(at position: Int) -> UnsafeRawBufferPointer {
    StringNode.bytes(of: keyAddress(at: position))
  }

  // MARK: Interning

  private struct Interned {
    var table: [UInt64: [Shape]] = [:]
    /// The first shapes of the process, which it is likely to use again (invariant 3).
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
  /// The maximum number of bytes in all keys of an interned shape (invariant 4).
  private static let longestInterned = 2048

  /// The shape without keys, from which ``appending(_:)`` starts. No object has it.
  package static let none = Shape(
    UnsafeBufferPointer(start: nil, count: 0), hash: 0, isPermanent: true)

  /// Returns the shape with these keys in this order. The keys are borrowed (+0), distinct, and at
  /// most ``maximumCount``.
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
      // An attacker can choose keys with one hash. A bucket must not grow without bound either.
      if interned.table[hash, default: []].count >= bucketLimit { interned.table[hash] = [] }
      interned.table[hash, default: []].append(shape)
      return shape
    }
  }

  /// Adds an object's reference, unless the shape is permanent.
  @inlinable @inline(__always)
  static func retain(_ shape: NodeAddress) {
    if !isPermanent(shape) { Node.retain(shape) }
  }

  /// Releases an object's reference, unless the shape is permanent.
  @inline(__always)
  static func release(_ shape: NodeAddress) {
    if !isPermanent(shape) { Node.release(shape) }
  }

  @inlinable @inline(__always)
  static func isPermanent(_ shape: NodeAddress) -> Bool {
    Unmanaged<Shape>.fromOpaque(shape)._withUnsafeGuaranteedRef { $0.isPermanent }
  }

  /// Returns the shape with these keys in this order. The keys are distinct, and at most
  /// ``maximumCount``.
  package static func of(_ keys: [StringNode]) -> Shape {
    withExtendedLifetime(keys) {
      let addresses = keys.map { Unmanaged.passUnretained($0).toOpaque() }
      return addresses.withUnsafeBufferPointer { of($0) }
    }
  }

  /// Returns the shape with one more key at the end. The key is borrowed (+0), and the shape does
  /// not have it yet.
  package func appending(_ key: NodeAddress) -> Shape {
    withUnsafeTemporaryAllocation(of: NodeAddress.self, capacity: count + 1) { buffer in
      for index in 0..<count { buffer[index] = keys[index] }
      buffer[count] = key
      return Shape.of(UnsafeBufferPointer(buffer))
    }
  }

  /// Returns the shape without the key at `position`.
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
