// What of a state has another shape after an action: who composes reducers looks only there for children that went or
// came, and nowhere after an action that wrote scalars in place of scalars, as most do.
extension DraftArena {
  /// The value of this key tells its object from others.
  package mutating func identify(by key: String) {
    let bytes = Array(key.utf8)
    if !identities.contains(bytes) { identities.append(bytes) }
    identityLengths |= DraftArena.bit(of: bytes.count)
  }

  private static func bit(of length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }

  @inline(__always)
  func identifies(_ bytes: UnsafePointer<CChar>, _ length: Int) -> Bool {
    identityLengths & DraftArena.bit(of: length) != 0 && isIdentity(bytes, length)
  }

  private func isIdentity(_ bytes: UnsafePointer<CChar>, _ length: Int) -> Bool {
    let key = UnsafeRawBufferPointer(start: bytes, count: length)
    return identities.contains { $0.elementsEqual(key) }
  }

  // MARK: Noting

  /// Notes that what is in a draft's container has another shape.
  mutating func reshape(_ draft: Int32) {
    if drafts[Int(draft)].isReshaped { return }
    drafts[Int(draft)].isReshaped = true
    var ancestor = drafts[Int(draft)].parent
    while ancestor >= 0 && !drafts[Int(ancestor)].isReshapedBelow {
      drafts[Int(ancestor)].isReshapedBelow = true
      ancestor = drafts[Int(ancestor)].parent
    }
  }

  /// Notes that a draft's container changed, and perhaps what tells it from others.
  mutating func touchIdentity(of draft: Int32) {
    touch(draft)
    let parent = drafts[Int(draft)].parent
    if parent >= 0 { reshape(parent) }
  }

  /// Notes that the value of a key of a draft's container changed.
  mutating func touch(_ draft: Int32, at bytes: UnsafePointer<CChar>, _ length: Int) {
    if identifies(bytes, length) { touchIdentity(of: draft) } else { touch(draft) }
  }

  // MARK: Asking

  /// Whether what stands at a draft's place has another shape, or something below it.
  @inlinable @inline(__always)
  package func isReshapedAnywhere(_ draft: Int32) -> Bool {
    drafts[Int(draft)].isReshaped || drafts[Int(draft)].isReshapedBelow
  }

  @inlinable @inline(__always)
  package func isReshaped(_ draft: Int32) -> Bool { drafts[Int(draft)].isReshaped }

  /// The draft of what stands under a key, if it, or something below, has another shape. The draft itself must have
  /// the shape that it had.
  package func reshapedChild(of draft: Int32, key: borrowing FieldKey) -> Int32? {
    guard drafts[Int(draft)].isReshapedBelow else { return nil }
    let position = key.position(in: drafts[Int(draft)].container)
    guard position >= 0, let child = existingChild(of: draft, at: position) else { return nil }
    return isReshapedAnywhere(child) ? child : nil
  }

  /// Whether one of those that have another shape among a draft's children, or something below, fulfils a condition.
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
  /// Neither a container nor what stands for there being none.
  @inline(__always)
  var isPlainScalar: Bool { tag.rawValue > Tag.null.rawValue && !isContainer }
}
