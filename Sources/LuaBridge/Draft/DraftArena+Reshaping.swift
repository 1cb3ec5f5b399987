// Records which drafts an action has reshaped. Operators with child reducers look only at these for
// children that appeared or disappeared. Most actions replace scalars by scalars, which reshapes
// nothing.
//
// Invariants:
// 1. A draft is reshaped if its keys, its elements or the containers in it changed.
// 2. If the value of an identity key (such as `id`) of a draft may have changed, its parent is
//    reshaped as well.
// 3. If anything below a long list changes, the list is reshaped, since its `ElementIndex` must
//    follow.
// 4. The ancestors of a reshaped draft have `isReshapedBelow`.
// 5. The flags stay set until ``DraftArena/reset()``, also after synchronizing.

import ScriptValue

extension DraftArena {
  /// Declares that the value of `key` identifies an element among others.
  package mutating func addIdentityKey(_ key: String) {
    let bytes = Array(key.utf8)
    if !identityKeys.contains(bytes) { identityKeys.append(bytes) }
  }

  /// Whether the key with these bytes is an identity key.
  func isIdentityKey(_ key: UnsafeRawBufferPointer) -> Bool {
    identityKeys.contains { $0.count == key.count && key.elementsEqual($0) }
  }

  // MARK: Recording

  /// Records that a draft's container changed.
  mutating func markChanged(_ draft: Int32) {
    markReshaped(draft)
    markScalarChanged(of: draft)
  }

  /// Records that a scalar in a draft's container was replaced by a scalar. Stops at the first
  /// ancestor that has `isStaleBelow`, since all above it have it too (invariant 3 of the arena).
  @inline(__always)
  mutating func markScalarChanged(of draft: Int32) {
    if drafts[Int(draft)].isUnsynchronized { return }
    drafts[Int(draft)].isUnsynchronized = true
    var ancestor = drafts[Int(draft)].parent
    while ancestor >= 0 && !drafts[Int(ancestor)].isStaleBelow {
      drafts[Int(ancestor)].isStaleBelow = true
      // The `ElementIndex` of a long list must see each changed element, so the list counts as
      // reshaped.
      if isLongList(drafts[Int(ancestor)].container) { markReshaped(ancestor) }
      ancestor = drafts[Int(ancestor)].parent
    }
  }

  @inline(__always)
  func isLongList(_ container: Slot) -> Bool {
    container.tag == .list && ListNode.total(container.address) > ElementIndex.unindexedCount
  }

  /// Marks a draft as reshaped (1, 4).
  mutating func markReshaped(_ draft: Int32) {
    if drafts[Int(draft)].isReshaped { return }
    drafts[Int(draft)].isReshaped = true
    var ancestor = drafts[Int(draft)].parent
    while ancestor >= 0 && !drafts[Int(ancestor)].isReshapedBelow {
      drafts[Int(ancestor)].isReshapedBelow = true
      ancestor = drafts[Int(ancestor)].parent
    }
  }

  /// Records that a draft's container changed, perhaps with its identity, so its parent is reshaped
  /// (2).
  mutating func markIdentityChanged(of draft: Int32) {
    markChanged(draft)
    let parent = drafts[Int(draft)].parent
    if parent >= 0 { markReshaped(parent) }
  }

  /// Records that the value of one key of a draft's container changed.
  mutating func markChanged(_ draft: Int32, at key: UnsafeRawBufferPointer) {
    if isIdentityKey(key) { markIdentityChanged(of: draft) } else { markChanged(draft) }
  }

  // MARK: Queries

  /// Whether the draft or a descendant is reshaped.
  @inlinable @inline(__always)
  package func isReshapedAnywhere(_ draft: Int32) -> Bool {
    // A pointer, because another module would copy the whole draft for each of the two.
    let draft = drafts + Int(draft)
    return draft.pointee.isReshaped || draft.pointee.isReshapedBelow
  }

  @inlinable @inline(__always)
  package func isReshaped(_ draft: Int32) -> Bool { drafts[Int(draft)].isReshaped }

  /// The child draft at `key`, if it or a descendant of it is reshaped. `draft` itself must not be
  /// reshaped; otherwise the child may have appeared or disappeared.
  package func reshapedChild(of draft: Int32, key: borrowing FieldKey) -> Int32? {
    guard drafts[Int(draft)].isReshapedBelow else { return nil }
    let position = key.position(in: drafts[Int(draft)].container)
    guard position >= 0, let child = existingChild(of: draft, at: position) else { return nil }
    return isReshapedAnywhere(child) ? child : nil
  }

  /// Whether a child of `draft` is reshaped, itself or below, and fulfils the condition.
  package func hasReshapedChild(of draft: Int32, where holds: (Int32) -> Bool) -> Bool {
    guard drafts[Int(draft)].isReshapedBelow else { return false }
    var child = drafts[Int(draft)].firstChild
    while child >= 0 {
      if isReshapedAnywhere(child) && holds(child) { return true }
      child = drafts[Int(child)].next
    }
    return false
  }
}

extension Slot {
  /// A boolean, number or string: neither a container nor absent nor null.
  @inline(__always)
  var isPlainScalar: Bool { tag.rawValue > Tag.null.rawValue && !isContainer }
}
