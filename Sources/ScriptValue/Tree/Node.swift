/// The address of a reference-counted node. The address itself retains nothing.
@usableFromInline
package typealias NodeAddress = UnsafeMutableRawPointer

/// Where a change adds the bytes of the nodes that it copies because others hold them too.
@usableFromInline
package typealias CopiedBytes = UnsafeMutablePointer<Int>

/// Reference counting by address. It is for code that moves references between raw words, where the
/// compiler must not choose where to retain and release.
@usableFromInline
package enum Node {
  /// About what the allocator needs for a block, in bytes. The sizes of nodes contain it.
  @inlinable package static var header: Int { 8 }

  @inlinable @inline(__always)
  package static func retain(_ address: NodeAddress) {
    _ = Unmanaged<AnyObject>.fromOpaque(address).retain()
  }

  @inlinable @inline(__always)
  package static func release(_ address: NodeAddress) {
    Unmanaged<AnyObject>.fromOpaque(address).release()
  }

  /// Whether the reference stored in `address` is the only one, so that the node may be changed in
  /// place. The check itself does not retain.
  @inlinable @inline(__always)
  package static func isUnique(_ address: inout NodeAddress) -> Bool {
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: StringNode.self, capacity: 1) {
        isKnownUniquelyReferenced(&$0.pointee)
      }
    }
  }

  /// Returns the upper bound of a container's depth after it gets `child`, at most 255.
  @inlinable @inline(__always)
  static func depth(_ depth: UInt8, taking child: Slot) -> UInt8 {
    guard child.isContainer else { return depth }
    return max(depth, UInt8(truncatingIfNeeded: min(child.depth + 1, 255)))
  }
}

#if DEBUG || SCRIPTED_STORE_CHECKS
/// Stops the process with a message if an invariant does not hold. The functions `checkInvariants()`
/// use it; they exist only in debug builds and in builds with `-DSCRIPTED_STORE_CHECKS`.
///
/// It is not `precondition`, which prints no message in an optimized build such as the fuzzer.
package func requireInvariant(
  _ holds: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
  file: StaticString = #fileID, line: UInt = #line
) {
  if !holds() { fatalError(message(), file: file, line: line) }
}
#endif
