/// The size of a value under `LuaLimits.stateSize` of LuaBridge: 16 bytes for each value in it, and
/// the bytes of all strings and keys.
extension Slot {
  /// Subtracts the value's size from `room`, as `LuaLimits.stateSize` counts it. Stops early once
  /// `room` is negative.
  ///
  /// A part that occurs several times in the value counts each time, because each reader of the
  /// value pays for it each time.
  package func subtractSize(from room: inout Int) {
    room -= 16
    guard room >= 0 else { return }
    switch tag {
    case .absent, .null, .boolean, .integer, .float, .empty: return
    case .string: room -= stringBytes.count
    case .list: Slot.subtractSize(ofList: address, from: &room)
    case .object, .dictionary:
      ObjectTree(borrowing: self).visit { key, value in
        guard room >= 0 else { return }
        room -= key.stringBytes.count
        value.subtractSize(from: &room)
      }
    }
  }

  private static func subtractSize(ofList node: NodeAddress, from room: inout Int) {
    for index in 0..<ListNode.count(node) {
      if ListNode.height(node) == 0 {
        ListNode.slot(node, index).subtractSize(from: &room)
      } else {
        subtractSize(ofList: ListNode.child(node, index), from: &room)
      }
      if room < 0 { return }
    }
  }
}

extension Value {
  /// The size of the value in the sense of `LuaLimits.stateSize`, in bytes. Stops visiting elements
  /// once it is larger than `most`.
  package func size(upTo most: Int) -> Int {
    if case .string(let text) = self { return 16 + text.utf8.count }
    var room = most
    withSlot { $0.subtractSize(from: &room) }
    return most - room
  }
}
