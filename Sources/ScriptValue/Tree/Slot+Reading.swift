/// Reads of a container, or of a string, where it is. What they return is borrowed (+0), and absent if it is
/// not there.
extension Slot {
  /// The value of a field of an object.
  @inlinable @inline(__always)
  package func field(_ key: StaticString) -> Slot { field(key.bytes) }

  /// The value of a field of an object.
  @inlinable @inline(__always)
  package func field(_ key: UnsafeRawBufferPointer) -> Slot {
    switch tag {
    case .object:
      let position = ObjectNode.withShape(of: address) { $0.position(of: key) }
      return position.map { ObjectNode.slot(of: address, at: $0) } ?? .absent
    case .dictionary: return ObjectTree(borrowing: self).borrow(key: key) ?? .absent
    default: return .absent
    }
  }

  /// The value of a field of an object.
  package func field(named key: String) -> Slot { key.withUTF8Bytes { field($0) } }

  /// The only member of an object of few keys; nil if there are several or none.
  ///
  /// - Parameter ignored: A key that may be present in addition, and that does not count.
  package func onlyMember(ignoring ignored: [UInt8]?) -> (key: Slot, value: Slot)? {
    guard tag == .object, ObjectNode.count(of: address) <= 2 else { return nil }
    var found: (key: Slot, value: Slot)?
    var isOnly = true
    ObjectTree(borrowing: self).visit { key, value in
      if let ignored, ignored.elementsEqual(key.stringBytes) { return }
      if found != nil { isOnly = false }
      found = (key, value)
    }
    return isOnly ? found : nil
  }

  /// The element of a list at `index` from 0.
  @inlinable @inline(__always)
  package func element(_ index: Int) -> Slot {
    guard index >= 0 && index < PersistentList.count(self) else { return .absent }
    return ListNode.element(address, index)
  }

  @inlinable @inline(__always)
  package var isObject: Bool { tag == .object || tag == .dictionary }

  /// The text of a string slot.
  package var text: String { String(decoding: stringBytes, as: UTF8.self) }

  package func isText(_ text: StaticString) -> Bool {
    tag == .string && UTF8Text.equals(stringBytes, text.bytes)
  }
}

extension StaticString {
  @inlinable @inline(__always)
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}

extension Value {
  /// Creates the value of a slot, borrowed (+0); nil if the slot is absent.
  package init?(ifPresent slot: Slot) {
    if slot.isAbsent { return nil }
    self.init(borrowing: slot)
  }
}
