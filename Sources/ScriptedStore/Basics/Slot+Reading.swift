import ScriptValue

extension Slot {
  /// The value of a field of an object, borrowed (+0); absent if there is no such field.
  @inline(__always)
  func field(_ key: StaticString) -> Slot {
    field(UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
  }

  /// The value of a field of an object, borrowed (+0); absent if there is no such field.
  @inline(__always)
  func field(_ key: UnsafeRawBufferPointer) -> Slot { ElementIDs.id(of: self, under: key) }

  /// The value of a key (+0), absent if there is none.
  func field(named key: String) -> Slot {
    var key = key
    return key.withUTF8 { field(UnsafeRawBufferPointer($0)) }
  }

  /// The element of a list at `index` from 0 (+0), absent if there is none.
  func element(_ index: Int) -> Slot {
    guard index >= 0 && index < PersistentList.count(self) else { return .absent }
    return PersistentList(borrowing: self).borrow(index)
  }

  var isObject: Bool { tag == .object || tag == .dictionary }

  /// The text of a string slot.
  var text: String { String(decoding: stringBytes, as: UTF8.self) }

  func isText(_ text: StaticString) -> Bool {
    tag == .string
      && UTF8Text.equals(
        stringBytes, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

extension Value {
  /// The value of a slot, borrowed (+0); nil if the slot is absent.
  init?(ifPresent slot: Slot) {
    if slot.isAbsent { return nil }
    self.init(borrowing: slot)
  }
}
