/// A flat object of 1 to 32 keys: its shape, and a tag and a word for each key.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 16 | 8 | the shape's address, retained (+1) |
/// | 24 | 2 | count |
/// | 26 | 1 | depth, an upper bound |
/// | 27 | 1 | flags, unused |
/// | 28 | count | tags; the first four use space that padding would take otherwise |
/// | 32 or next multiple of 8 | 8 × count | words; a reference among them is retained (+1) |
///
/// A node may be changed in place only by the holder of its only reference. Two threads that share
/// a node therefore never see it change.
@usableFromInline
package final class ObjectNode: ManagedBuffer<ObjectNode.Header, UInt64> {
  @usableFromInline
  package struct Header {
    @usableFromInline var shape: NodeAddress
    @usableFromInline var rest: UInt64

    @inlinable @inline(__always)
    init(shape: NodeAddress, rest: UInt64) {
      self.shape = shape
      self.rest = rest
    }
  }

  @inlinable @inline(__always) static var shapeOffset: Int { 16 }
  @inlinable @inline(__always) static var countOffset: Int { 24 }
  @inlinable @inline(__always) static var depthOffset: Int { 26 }
  @inlinable @inline(__always) static var tagsOffset: Int { 28 }

  @inlinable @inline(__always)
  static func wordsOffset(count: Int) -> Int { max(32, (tagsOffset + count + 7) & ~7) }

  deinit {
    let address = Unmanaged.passUnretained(self).toOpaque()
    let count = ObjectNode.count(of: address)
    let words = address + ObjectNode.wordsOffset(count: count)
    for position in 0..<count {
      let tag = (address + ObjectNode.tagsOffset + position).load(as: Tag.self)
      Slot(tag: tag, bits: (words + position * 8).load(as: UInt64.self)).release()
    }
    Shape.release((address + ObjectNode.shapeOffset).load(as: NodeAddress.self))
  }

  /// Returns a new node (+1), which retains `shape`. Every tag is absent, and the words are
  /// uninitialized. The caller calls ``initialize(_:at:to:)`` for each position before anyone else
  /// reads the node.
  @inlinable @inline(__always)
  package static func allocate(shape: NodeAddress, count: Int) -> NodeAddress {
    let offset = wordsOffset(count: count)
    let node = ObjectNode.create(minimumCapacity: (offset - 32) / 8 + count) { _ in
      Header(shape: shape, rest: UInt64(truncatingIfNeeded: count) | 1 << 16)
    }
    Shape.retain(shape)
    let address = Unmanaged.passRetained(node).toOpaque()
    if count > 4 {
      (address + tagsOffset).initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }
    return address
  }

  /// Stores an owned slot (+1) at a position that has no value yet.
  @inlinable @inline(__always)
  package static func initialize(_ address: NodeAddress, at position: Int, to owned: Slot) {
    store(address, at: position, owned)
    raiseDepth(address, of: owned)
  }

  /// Returns a new node (+1) with the shape and the values, whose references it consumes (+1 each).
  /// `slots` has one value for each key; the shape has at least one key.
  @inlinable @inline(__always)
  package static func make(shape: Shape, owning slots: UnsafePointer<Slot>) -> NodeAddress {
    let count = shape.count
    let address = allocate(shape: Unmanaged.passUnretained(shape).toOpaque(), count: count)
    for position in 0..<count { initialize(address, at: position, to: slots[position]) }
    return address
  }

  /// The bytes of a node with this many keys.
  @inlinable @inline(__always)
  package static func size(count: Int) -> Int {
    Node.header + wordsOffset(count: count) + count * 8
  }

  @inlinable @inline(__always)
  package static func count(of address: NodeAddress) -> Int {
    Int((address + countOffset).load(as: UInt16.self))
  }

  @inlinable @inline(__always)
  package static func depth(of address: NodeAddress) -> Int {
    Int((address + depthOffset).load(as: UInt8.self))
  }

  /// The shape's address (+0), which identifies the shape in caches.
  @inlinable @inline(__always)
  package static func shapeAddress(of address: NodeAddress) -> NodeAddress {
    (address + shapeOffset).load(as: NodeAddress.self)
  }

  /// Calls `body` with the shape, without retaining it.
  @inlinable @inline(__always)
  package static func withShape<R>(of address: NodeAddress, _ body: (Shape) -> R) -> R {
    Unmanaged<Shape>.fromOpaque(shapeAddress(of: address))._withUnsafeGuaranteedRef(body)
  }

  /// The value at `position` (+0).
  @inlinable @inline(__always)
  package static func slot(of address: NodeAddress, at position: Int) -> Slot {
    let count = count(of: address)
    assert(position < count)
    let tag = (address + tagsOffset + position).load(as: Tag.self)
    let words = address + wordsOffset(count: count)
    return Slot(tag: tag, bits: (words + position * 8).load(as: UInt64.self))
  }

  /// Overwrites the value at `position` with an owned slot (+1). The caller must release the old
  /// value.
  @inlinable @inline(__always)
  static func store(_ address: NodeAddress, at position: Int, _ owned: Slot) {
    let count = count(of: address)
    assert(position < count)
    (address + tagsOffset + position).storeBytes(of: owned.tag, as: Tag.self)
    let words = address + wordsOffset(count: count)
    (words + position * 8).storeBytes(of: owned.bits, as: UInt64.self)
  }

  /// Raises the node's depth if `child` requires it.
  @inlinable @inline(__always)
  static func raiseDepth(_ address: NodeAddress, of child: Slot) {
    guard child.isContainer else { return }
    let old = (address + depthOffset).load(as: UInt8.self)
    (address + depthOffset).storeBytes(of: Node.depth(old, taking: child), as: UInt8.self)
  }

  /// Replaces a value by an owned slot (+1) and releases the old value. The node must be uniquely
  /// referenced.
  @inlinable @inline(__always)
  package static func replace(_ address: NodeAddress, at position: Int, by owned: Slot) {
    let old = slot(of: address, at: position)
    store(address, at: position, owned)
    raiseDepth(address, of: owned)
    old.release()
  }

  /// Returns a copy (+1) of the node with an owned slot (+1) at `position`.
  package static func copy(_ address: NodeAddress, replacing position: Int, by owned: Slot)
    -> NodeAddress
  {
    let count = count(of: address)
    let words = wordsOffset(count: count)
    let node = ObjectNode.create(minimumCapacity: (words - 32) / 8 + count) { _ in
      Header(shape: address, rest: 0)
    }
    let copy = Unmanaged.passRetained(node).toOpaque()
    // Copies the header, the tags and the words as bytes. The references among them are retained
    // below.
    let size = words + count * 8
    if size <= 128 {
      // An inline loop is faster here than a call of `memcpy`.
      for offset in stride(from: shapeOffset, to: size, by: 8) {
        (copy + offset).storeBytes(
          of: (address + offset).load(as: UInt64.self), as: UInt64.self)
      }
    } else {
      (copy + shapeOffset).copyMemory(
        from: address + shapeOffset, byteCount: size - shapeOffset)
    }
    Shape.retain(shapeAddress(of: copy))
    for index in 0..<count where index != position {
      let tag = (copy + tagsOffset + index).load(as: Tag.self)
      Slot(tag: tag, bits: (copy + words + index * 8).load(as: UInt64.self)).retain()
    }
    (copy + tagsOffset + position).storeBytes(of: owned.tag, as: Tag.self)
    (copy + words + position * 8).storeBytes(of: owned.bits, as: UInt64.self)
    raiseDepth(copy, of: owned)
    return copy
  }
}
