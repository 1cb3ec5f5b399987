/// A key that is looked up in many objects. It caches the key's position by shape, so that the next
/// object of a cached shape needs no search.
///
/// Not thread-safe: a VM owns it, and one thread at a time runs in the VM.
@usableFromInline
package struct FieldKey: ~Copyable {
  package let bytes: UnsafeRawBufferPointer
  /// The key's position, or -1 if a shape does not have the key.
  @usableFromInline let positions: ShapeCache

  /// - Parameter sizeBits: The binary logarithm of the number of cache entries. Use more for a key
  ///   that is looked up in objects of many shapes.
  package init(_ key: String, sizeBits: Int = 3) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: key.utf8.count, alignment: 1)
    copy.copyBytes(from: key.utf8)
    bytes = UnsafeRawBufferPointer(copy)
    positions = ShapeCache(sizeBits: sizeBits)
  }

  deinit { bytes.deallocate() }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the value of the key (+0), or absent if `object` is not an object or does not have the
  /// key.
  package func value(in object: Slot) -> Slot {
    if object.tag == .object {
      let entry = positions.entry(for: ObjectNode.shapeAddress(of: object.address))
      if entry.pointee.shape == ObjectNode.shapeAddress(of: object.address) {
        let position = entry.pointee.number
        return position < 0 ? .absent : ObjectNode.slot(of: object.address, at: position)
      }
    }
    return find(in: object)
  }

  /// Returns the position of the key, or -1 if `object` is not an object or does not have the key.
  @inlinable @inline(__always)
  package func position(in object: Slot) -> Int {
    if object.tag == .object {
      let entry = positions.entry(for: ObjectNode.shapeAddress(of: object.address))
      if entry.pointee.shape == ObjectNode.shapeAddress(of: object.address) {
        return entry.pointee.number
      }
    }
    return findPosition(in: object)
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

  @inline(never) @usableFromInline
  func findPosition(in object: Slot) -> Int {
    switch object.tag {
    case .object:
      let position = ObjectNode.withShape(of: object.address) { $0.position(of: bytes) } ?? -1
      positions.store(position, for: ObjectNode.shapeAddress(of: object.address))
      return position
    case .dictionary: return ObjectTree(borrowing: object).position(of: bytes) ?? -1
    default: return -1
    }
  }
}

/// A number for each shape, such as the position of a key in it.
///
/// The cache is direct-mapped: each shape has one entry, and a new shape replaces the previous one.
///
/// It is `package` because other modules destroy the ``FieldKey``s that contain it.
@usableFromInline
package struct ShapeCache: ~Copyable {
  /// An entry retains its shape (+1), so that the shape's address cannot be reused for another
  /// shape while the entry exists.
  @usableFromInline
  struct Entry {
    @usableFromInline fileprivate(set) var shape: NodeAddress?
    @usableFromInline fileprivate(set) var number: Int
  }

  @usableFromInline let entries: UnsafeMutablePointer<Entry>
  @usableFromInline let sizeBits: UInt64

  /// - Parameter sizeBits: The binary logarithm of the number of entries.
  init(sizeBits: Int) {
    self.sizeBits = UInt64(sizeBits)
    entries = .allocate(capacity: 1 << sizeBits)
    entries.initialize(repeating: Entry(shape: nil, number: -1), count: 1 << sizeBits)
  }

  deinit {
    for index in 0..<1 << Int(sizeBits) {
      if let shape = entries[index].shape { Node.release(shape) }
    }
    entries.deallocate()
  }

  /// The entry that a shape has, if the entry's `shape` is this one.
  @inlinable @inline(__always)
  func entry(for shape: NodeAddress) -> UnsafeMutablePointer<Entry> {
    let mixed = UInt64(UInt(bitPattern: shape)) >> 4 &* 0x9E37_79B9_7F4A_7C15
    return entries + Int(truncatingIfNeeded: mixed >> (64 - sizeBits))
  }

  /// Stores the number of a shape (+0).
  func store(_ number: Int, for shape: NodeAddress) {
    let entry = entry(for: shape)
    Node.retain(shape)
    if let old = entry.pointee.shape { Node.release(old) }
    entry.pointee = Entry(shape: shape, number: number)
  }
}
