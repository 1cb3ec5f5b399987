/// A key that is looked up in many objects. It caches the key's position by shape, so that the next
/// object of a cached shape needs no search.
///
/// The cache is direct-mapped: each shape has one entry, and a new shape replaces the previous one.
///
/// Not thread-safe: a VM owns it, and one thread at a time runs in the VM.
package struct FieldKey: ~Copyable {
  /// A cache entry. It retains its shape (+1), so that the shape's address cannot be reused for
  /// another shape while the entry exists.
  private struct Seen {
    var shape: NodeAddress?
    /// -1 if the shape does not have the key.
    var position: Int
  }

  package let bytes: UnsafeRawBufferPointer
  private let seen: UnsafeMutablePointer<Seen>
  private let sizeBits: UInt64

  /// - Parameter sizeBits: The binary logarithm of the number of cache entries. Use more for a key
  ///   that is looked up in objects of many shapes.
  package init(_ key: String, sizeBits: Int = 3) {
    self.sizeBits = UInt64(sizeBits)
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: key.utf8.count, alignment: 1)
    copy.copyBytes(from: key.utf8)
    bytes = UnsafeRawBufferPointer(copy)
    seen = .allocate(capacity: 1 << sizeBits)
    seen.initialize(repeating: Seen(shape: nil, position: -1), count: 1 << sizeBits)
  }

  deinit {
    for index in 0..<1 << Int(sizeBits) {
      if let shape = seen[index].shape { Node.release(shape) }
    }
    seen.deallocate()
    bytes.deallocate()
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the value of the key (+0), or absent if `object` is not an object or does not have the
  /// key.
  package func value(in object: Slot) -> Slot {
    if object.tag == .object {
      let entry = entry(for: ObjectNode.shapeAddress(of: object.address))
      if entry.pointee.shape == ObjectNode.shapeAddress(of: object.address) {
        let position = entry.pointee.position
        return position < 0 ? .absent : ObjectNode.slot(of: object.address, at: position)
      }
    }
    return find(in: object)
  }

  /// Returns the position of the key, or -1 if `object` is not an object or does not have the key.
  @inline(__always)
  func position(in object: Slot) -> Int {
    if object.tag == .object {
      let entry = entry(for: ObjectNode.shapeAddress(of: object.address))
      if entry.pointee.shape == ObjectNode.shapeAddress(of: object.address) {
        return entry.pointee.position
      }
    }
    return findPosition(in: object)
  }

  @inline(__always)
  private func entry(for shape: NodeAddress) -> UnsafeMutablePointer<Seen> {
    let mixed = UInt64(UInt(bitPattern: shape)) >> 4 &* 0x9E37_79B9_7F4A_7C15
    return seen + Int(truncatingIfNeeded: mixed >> (64 - sizeBits))
  }

  // Not inlined, so that the fast path above needs no stack frame.

  @inline(never)
  private func find(in object: Slot) -> Slot {
    let position = findPosition(in: object)
    if position < 0 { return .absent }
    return object.tag == .object
      ? ObjectNode.slot(of: object.address, at: position)
      : ObjectTree(borrowing: object).borrow(position)
  }

  @inline(never)
  private func findPosition(in object: Slot) -> Int {
    switch object.tag {
    case .object:
      let shape = ObjectNode.shapeAddress(of: object.address)
      let position = ObjectNode.withShape(of: object.address) { $0.position(of: bytes) } ?? -1
      let entry = entry(for: shape)
      Node.retain(shape)
      if let old = entry.pointee.shape { Node.release(old) }
      entry.pointee = Seen(shape: shape, position: position)
      return position
    case .dictionary: return ObjectTree(borrowing: object).position(of: bytes) ?? -1
    default: return -1
    }
  }
}
