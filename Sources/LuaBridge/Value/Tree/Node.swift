/// Reference counting on addresses, for code that moves references between raw words and must not
/// leave it to the compiler where a retain goes.
package enum Node {
  @inlinable @inline(__always)
  package static func retain(_ address: NodeAddress) {
    _ = Unmanaged<AnyObject>.fromOpaque(address).retain()
  }

  @inlinable @inline(__always)
  package static func release(_ address: NodeAddress) {
    Unmanaged<AnyObject>.fromOpaque(address).release()
  }

  /// Whether the reference stored in `address` is the only one, so that the node may be changed in
  /// place. Does not retain while it looks.
  @inlinable @inline(__always)
  package static func isUnique(_ address: inout NodeAddress) -> Bool {
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: StringNode.self, capacity: 1) {
        isKnownUniquelyReferenced(&$0.pointee)
      }
    }
  }

  /// The upper bound of a container's depth after it takes in `child`, clamped to a byte.
  @inline(__always)
  static func depth(_ depth: UInt8, taking child: Slot) -> UInt8 {
    guard child.isContainer else { return depth }
    return max(depth, UInt8(truncatingIfNeeded: min(child.depth + 1, 255)))
  }
}
