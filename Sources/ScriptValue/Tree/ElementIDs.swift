/// Finds and compares the elements of lists by their ids.
package enum ElementIDs {
  /// The index of the first element with this id, or nil. O(n).
  package static func position(
    of id: Slot, under key: UnsafeRawBufferPointer, in list: Slot
  ) -> Int? {
    guard list.tag == .list, !id.isAbsent else { return nil }
    var index = 0
    var found: Int?
    PersistentList(borrowing: list).visit { element in
      if found == nil, Slot.equal(element.field(key), id) { found = index }
      index += 1
    }
    return found
  }

  /// The index of the first element with this id, and the index of the second one if there is one.
  /// O(n).
  package static func firstAndDuplicate(
    of id: Slot, under key: UnsafeRawBufferPointer, in list: Slot
  ) -> (position: Int, duplicate: Int?)? {
    guard list.tag == .list else { return nil }
    var index = 0
    var first: Int?
    var second: Int?
    PersistentList(borrowing: list).visit { element in
      if second == nil, Slot.equal(element.field(key), id) {
        if first == nil { first = index } else { second = index }
      }
      index += 1
    }
    return first.map { ($0, second) }
  }

  /// The index of the first element with this id, and the index of the second one if there is one.
  /// Uses a key that caches its position by shape. O(n log n): for short lists.
  package static func firstAndDuplicate(
    of id: Slot, under key: borrowing FieldKey, in list: Slot
  ) -> (position: Int, duplicate: Int?)? {
    var first: Int?
    for index in 0..<PersistentList.count(list)
    where Slot.equal(key.value(in: ListNode.element(list.address, index)), id) {
      if let first { return (first, index) }
      first = index
    }
    return first.map { ($0, nil) }
  }

  // MARK: Changes

  /// Calls `removed` once for each id that no element of a short list has any more. All slots are
  /// borrowed (+0). A slot that is not a list counts as an empty list. Compares ids with all
  /// elements: O(changes × n).
  ///
  /// - Returns: The duplicate ids that the change caused.
  package static func changes(
    from old: Slot, to new: Slot, under key: UnsafeRawBufferPointer,
    removed: ((_ id: Slot) -> Void)? = nil
  ) -> [ElementIndex.Duplicate] {
    let change = ListChange(from: old, to: new)
    var duplicates: [ElementIndex.Duplicate] = []
    change.forEachElement(key) { index, old, element in
      guard old.isAbsent else { return }
      let id = element.field(key)
      guard !id.isAbsent, let pair = firstAndDuplicate(of: id, under: key, in: new),
        pair.duplicate != nil
      else { return }
      let first = pair.position == index ? pair.duplicate ?? index : pair.position
      let duplicate = ElementIndex.Duplicate(first: min(first, index), second: max(first, index))
      if !duplicates.contains(duplicate) { duplicates.append(duplicate) }
    }
    if let removed {
      change.forEachRemovedID(
        key, unless: { position(of: $0, under: key, in: new) != nil }, removed)
    }
    return duplicates
  }

  /// The elements that differ between two lists, by id, with their old and new versions (both +0).
  /// A missing version is absent. If several elements have one id, the first one counts. Elements
  /// without an id are under ``Value/null``. The cost is that of the change.
  package static func changed(
    from old: Slot, to new: Slot, under key: UnsafeRawBufferPointer
  ) -> [Value: (old: Slot, new: Slot)] {
    let change = ListChange(from: old, to: new)
    var elements: [Value: (old: Slot, new: Slot)] = [:]
    for index in change.added.reversed() {
      let element = ListNode.element(new.address, index)
      elements[Value(borrowing: element.field(key))] = (.absent, element)
    }
    for index in change.removed.reversed() {
      let element = ListNode.element(old.address, index)
      elements[Value(borrowing: element.field(key)), default: (.absent, .absent)].old = element
    }
    return elements
  }
}

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
