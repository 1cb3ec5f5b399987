/// A string of a state: its length and its UTF-8 bytes in one allocation.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 16 | 4 | length |
/// | 20 | length | bytes |
///
/// Its creator fills it before anyone else sees it. It is immutable from then on, so threads may
/// share it.
@usableFromInline
package final class StringNode: ManagedBuffer<UInt32, UInt8> {
  @inlinable @inline(__always) static var lengthOffset: Int { 16 }
  @inlinable @inline(__always) static var bytesOffset: Int { 20 }

  /// Returns the address (+1) of a new node with room for `count` bytes. The caller fills them
  /// before it shares the node.
  @inlinable @inline(__always)
  package static func allocate(count: Int) -> NodeAddress {
    let node = StringNode.create(minimumCapacity: count) { _ in UInt32(count) }
    return Unmanaged.passRetained(node).toOpaque()
  }

  /// Returns the address (+1) of a new node with these bytes, at most 4 GiB. The caller guarantees
  /// that they are valid UTF-8.
  @inlinable @inline(__always)
  package static func allocate(trustedUTF8 bytes: UnsafeRawBufferPointer) -> NodeAddress {
    let address = allocate(count: bytes.count)
    if let source = bytes.baseAddress, bytes.count > 0 {
      (address + bytesOffset).copyMemory(from: source, byteCount: bytes.count)
    }
    return address
  }

  /// Creates a node with these bytes. The caller guarantees that they are valid UTF-8.
  package static func make(trustedUTF8 bytes: UnsafeRawBufferPointer) -> StringNode {
    Unmanaged<StringNode>.fromOpaque(allocate(trustedUTF8: bytes)).takeRetainedValue()
  }

  /// The bytes of the node at `address`. They are valid while the node is alive.
  @inlinable @inline(__always)
  package static func bytes(of address: NodeAddress) -> UnsafeRawBufferPointer {
    let count = (address + lengthOffset).load(as: UInt32.self)
    return UnsafeRawBufferPointer(
      start: address + bytesOffset, count: Int(truncatingIfNeeded: count))
  }

  /// The bytes of the node. They are valid while the node is alive.
  @inlinable @inline(__always)
  package var bytes: UnsafeRawBufferPointer {
    StringNode.bytes(of: Unmanaged.passUnretained(self).toOpaque())
  }

  /// The text of the node. O(length).
  package var string: String {
    withExtendedLifetime(self) { String(decoding: bytes, as: UTF8.self) }
  }

  @inlinable @inline(__always)
  package static func equals(_ address: NodeAddress, _ bytes: UnsafeRawBufferPointer) -> Bool {
    UTF8Text.equals(StringNode.bytes(of: address), bytes)
  }

  package static func make(_ text: String) -> StringNode {
    text.withUTF8Bytes { make(trustedUTF8: $0) }
  }
}
