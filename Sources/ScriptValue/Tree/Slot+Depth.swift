/// The maximum nesting of a value; the outermost container counts as 1.
@inlinable package var maximumDepth: Int { 128 }

/// The maximum nesting of a value that the library builds around other values: a line of a
/// recording, a report, the description of an effect.
@inlinable package var maximumWrappedDepth: Int { maximumDepth + 16 }

extension Slot {
  /// An upper bound of the nesting of containers: 0 for scalars, 1 for a list of scalars. It does
  /// not decrease when an element is removed; ``exactDepth()`` is exact. O(1).
  @inlinable
  package var depth: Int {
    switch tag {
    case .absent, .null, .boolean, .integer, .float, .string: return 0
    case .empty: return 1
    case .list: return ListNode.depth(of: address)
    case .object: return ObjectNode.depth(of: address)
    case .dictionary:
      return Unmanaged<DictionaryNode>.fromOpaque(address)._withUnsafeGuaranteedRef {
        Int($0.depth)
      }
    }
  }

  /// Whether the value may be nested inside `containers` other containers. O(1), unless the upper
  /// bound exceeds the limit; then O(n).
  @inlinable @inline(__always)
  package func fits(below containers: Int) -> Bool {
    !isContainer || containers + depth <= maximumDepth || containers + exactDepth() <= maximumDepth
  }

  /// Returns the exact nesting. Visits each container once, however often it occurs in the value:
  /// O(n).
  ///
  /// Used as a second check, before a value is refused because its upper bound exceeds the limit.
  @usableFromInline
  package func exactDepth() -> Int {
    var known: [UInt64: Int] = [:]
    return exactDepth(&known)
  }

  private func exactDepth(_ known: inout [UInt64: Int]) -> Int {
    switch tag {
    case .absent, .null, .boolean, .integer, .float, .string: return 0
    case .empty: return 1
    case .list, .object, .dictionary: break
    }
    if let depth = known[bits] { return depth }
    var deepest = 0
    if tag == .list {
      ListNode.visit(address) { deepest = max(deepest, $0.exactDepth(&known)) }
    } else {
      ObjectTree(borrowing: self).visit { deepest = max(deepest, $1.exactDepth(&known)) }
    }
    known[bits] = deepest + 1
    return deepest + 1
  }
}
