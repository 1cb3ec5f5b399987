import ScriptValue

/// An action at one level of the reducer tree.
struct ActionCursor: ~Copyable {
  /// The action's table, borrowed (+0).
  let slot: Slot
  /// The number of the action's type in the domain's ``NameTable``; -1 for an unknown type.
  let type: Int
}

/// The keys that each level of the tree reads from an action's table. Each key remembers its
/// position in 64 shapes; with 8, the shapes of different actions collided.
struct ActionKeys: ~Copyable {
  let type = FieldKey("type", sizeBits: 6)
  let id = FieldKey("id", sizeBits: 6)
  let action = FieldKey("action", sizeBits: 6)
}

extension Slot {
  /// The value of a field of an object, borrowed (+0); absent if there is no such field.
  @inline(__always)
  func field(_ key: StaticString) -> Slot {
    field(UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
  }

  /// The value of a field of an object, borrowed (+0); absent if there is no such field.
  @inline(__always)
  func field(_ key: UnsafeRawBufferPointer) -> Slot { ElementIDs.id(of: self, under: key) }

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
