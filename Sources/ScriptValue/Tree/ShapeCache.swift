/// A number for each shape, such as the position of a key in it.
///
/// The cache is direct-mapped: each shape has one entry, and a new shape replaces the previous one.
///
/// It is `package` because another module destroys the ``KeyMatcher``s that contain it.
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
