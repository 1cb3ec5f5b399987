import LuaBridge

/// The indexes by id of a store's lists, each made when its `forEach` first looks for an element.
final class ElementIndexes {
  /// A list in the store: the `forEach` that runs on it, and the ids of the elements that it is in.
  struct Place: Hashable {
    let node: ObjectIdentifier
    let above: UInt64
  }

  /// Indexes of lists inside elements, at most; those that are needed again are made again.
  private static let mostNested = 256

  private var indexes: [Place: ElementIndex] = [:]
  /// The ids of the store's stacks.
  let stacks = StackIDs()

  /// The first element with this id (+0) in a long list (+0), and another one that has it too. O(log n).
  func find(
    _ id: Slot, under key: borrowing FieldKey, in list: Slot, at place: Place
  ) -> (position: Int, duplicate: Int?)? {
    index(of: list, key.bytes, place).find(id, in: list)
  }

  /// The store runs other reducers from now on.
  func forgetPlaces() {
    indexes = [:]
    stacks.forgetPlaces()
  }

  /// Forgets where elements were: the state is another one.
  func forgetLists() { indexes = [:] }

  private func index(
    of list: Slot, _ key: UnsafeRawBufferPointer, _ place: Place
  ) -> ElementIndex {
    if let known = indexes[place] { return known }
    if indexes.count >= ElementIndexes.mostNested { indexes = indexes.filter { $0.key.above == 0 } }
    let index = ElementIndex(list, key: key)
    indexes[place] = index
    return index
  }

  /// Follows a list to its next version: calls `visit` with each changed element, then `removed` with each id
  /// (+0, of the old element) that is in no element any more, once, and returns the duplicate ids that the
  /// change made. One that is no list counts as empty: where a list went altogether, so did all its ids. Costs
  /// what changed.
  func update(
    from old: Slot, to new: Slot, under key: UnsafeRawBufferPointer, at place: Place,
    visit: (Slot, Slot) -> Void, removed: ((Slot) -> Void)? = nil
  ) -> [ElementIndex.Duplicate] {
    guard PersistentList.count(new) > ElementIndex.shortest else {
      if !indexes.isEmpty { indexes[place] = nil }
      return ElementIDs.changes(from: old, to: new, under: key, visit: visit, removed: removed)
    }
    return index(of: old, key, place).update(
      from: old, to: new, visit: visit, removed: removed)
  }

  /// A hash for the place of an element's lists.
  static func hash(_ above: UInt64, _ id: Slot) -> UInt64 {
    (above &+ 1) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(ElementIndex.hash(id))
  }
}
