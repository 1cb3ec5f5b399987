/// A key that is looked up in object after object. Where it stands in the shapes that it met is
/// remembered, so that the next object of one of them needs no look at its keys.
///
/// Used by one thread at a time: what holds it belongs to a VM.
package struct FieldKey: ~Copyable {
  /// What is known of a shape, which the entry holds (+1): its address is not used again while the
  /// entry is there.
  private struct Seen {
    var shape: NodeAddress?
    /// -1: the shape does not have the key.
    var position: Int
  }

  package let bytes: UnsafeRawBufferPointer
  private let seen: UnsafeMutablePointer<Seen>
  private let sizeBits: UInt64

  /// - Parameter sizeBits: the binary logarithm of how many shapes are remembered; more where objects of all kinds are
  ///   asked.
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

  /// The value of the key (+0); absent where there is none, and in what is no object.
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

  /// The key's position in an object, -1 if it is not there.
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

  // Apart, so that the way above needs no frame.

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
