/// A string of state: its UTF-8 bytes inline behind a length, 20 bytes before them.
///
/// Immutable from the moment its maker returns, which is what makes it safe to share between
/// threads.
package final class StringNode: ManagedBuffer<UInt32, UInt8> {
  @inline(__always) static var lengthOffset: Int { 16 }
  @inline(__always) static var bytesOffset: Int { 20 }

  /// A node's address (+1) with room for `count` bytes that the caller fills before sharing it.
  @inline(__always)
  package static func allocate(count: Int) -> NodeAddress {
    let node = StringNode.create(minimumCapacity: count) { _ in UInt32(count) }
    return Unmanaged.passRetained(node).toOpaque()
  }

  /// A node's address (+1) with these bytes, which the caller knows to be valid UTF-8. At most
  /// 4 GiB.
  @inline(__always)
  package static func allocate(trustedUTF8 bytes: UnsafeRawBufferPointer) -> NodeAddress {
    let address = allocate(count: bytes.count)
    if let source = bytes.baseAddress, bytes.count > 0 {
      (address + bytesOffset).copyMemory(from: source, byteCount: bytes.count)
    }
    return address
  }

  /// A node with these bytes, which the caller knows to be valid UTF-8.
  package static func make(trustedUTF8 bytes: UnsafeRawBufferPointer) -> StringNode {
    Unmanaged<StringNode>.fromOpaque(allocate(trustedUTF8: bytes)).takeRetainedValue()
  }

  /// A node with these bytes, or nil if they are not valid UTF-8.
  package static func make(validating bytes: UnsafeRawBufferPointer) -> StringNode? {
    UTF8Text.isValid(bytes) ? make(trustedUTF8: bytes) : nil
  }

  /// The bytes of the node at `address`; valid while the node lives.
  @inline(__always)
  package static func bytes(of address: NodeAddress) -> UnsafeRawBufferPointer {
    let count = (address + lengthOffset).load(as: UInt32.self)
    return UnsafeRawBufferPointer(
      start: address + bytesOffset, count: Int(truncatingIfNeeded: count))
  }

  /// The bytes; valid while the node lives.
  @inline(__always)
  package var bytes: UnsafeRawBufferPointer {
    StringNode.bytes(of: Unmanaged.passUnretained(self).toOpaque())
  }

  /// The text. O(length).
  package var string: String {
    withExtendedLifetime(self) { String(decoding: bytes, as: UTF8.self) }
  }

  /// Whether the node at `address` holds exactly these bytes.
  @inline(__always)
  package static func equals(_ address: NodeAddress, _ bytes: UnsafeRawBufferPointer) -> Bool {
    UTF8Text.equals(StringNode.bytes(of: address), bytes)
  }

  /// A node with a copy of the text.
  package static func make(_ text: String) -> StringNode {
    var text = text
    return text.withUTF8 { make(trustedUTF8: UnsafeRawBufferPointer($0)) }
  }
}
