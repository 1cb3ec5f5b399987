/// What two versions of one element have in common: the scalar `id` of a row, otherwise a scalar's
/// value, otherwise the node.
///
/// It borrows the element (+0): the caller keeps it alive.
enum ElementIdentity: Hashable {
  case id(ScalarSlot)
  case scalar(ScalarSlot)
  case node(UInt64)

  init(_ element: Slot) {
    if let id = Difference.rowID(of: element) {
      self = .id(ScalarSlot(slot: id))
    } else if element.isContainer {
      self = .node(element.tag == .empty ? 0 : element.bits)
    } else {
      self = .scalar(ScalarSlot(slot: element))
    }
  }
}

/// A borrowed scalar (+0) with Lua's equality.
struct ScalarSlot: Hashable {
  var slot: Slot

  static func == (a: ScalarSlot, b: ScalarSlot) -> Bool { Slot.equal(a.slot, b.slot) }

  func hash(into hasher: inout Hasher) { slot.hash(into: &hasher) }
}
