import ScriptValue

/// The element indexes of one store's lists. An index is made when it is first used.
final class ElementIndexes {
  /// A list in the store: the `forEach` that runs on it, and a hash of the ids of the elements
  /// around it (``ReduceContext/elementPathHash``).
  struct ListKey: Hashable {
    let node: ObjectIdentifier
    let above: UInt64
  }

  /// The most indexes that there may be when a new one is made. Beyond that, the indexes of lists
  /// inside elements are dropped; those that are used again are made again.
  private static let indexLimit = 256

  private var indexes: [ListKey: ElementIndex] = [:]
  /// The ids of the elements in the store's stacks.
  let stacks = StackIDs()

  init() {}

  /// For a state of the same store on other reducers: the stacks go on above all ids that `old` has given.
  init(after old: ElementIndexes) { stacks.goOn(from: old.stacks.highest) }

  /// The position of the first element with this id in a list, and the position of another element
  /// that has it too. `id` and `list` are borrowed (+0). O(log n).
  func find(
    _ id: Slot, under key: borrowing FieldKey, in list: Slot, at listKey: ListKey
  ) -> (position: Int, duplicate: Int?)? {
    guard PersistentList.count(list) > ElementIndex.unindexedCount else {
      return ElementIDs.firstAndDuplicate(of: id, under: key, in: list)
    }
    return index(of: list, key.bytes, listKey).find(id, in: list)
  }

  /// Forgets all lists and stacks by node, because the store runs other reducers from now on.
  func dropAll() {
    indexes = [:]
    stacks.dropAll()
  }

  /// Drops all indexes, because the store's state was replaced.
  func dropIndexes() { indexes = [:] }

  private func index(
    of list: Slot, _ key: UnsafeRawBufferPointer, _ listKey: ListKey
  ) -> ElementIndex {
    if let known = indexes[listKey] { return known }
    if indexes.count >= ElementIndexes.indexLimit { indexes = indexes.filter { $0.key.above == 0 } }
    let index = ElementIndex(list, key: key)
    indexes[listKey] = index
    return index
  }

  /// Updates the index from one version of a list to the next. Calls `removed` once for each id that
  /// no element has any more; the slot is from the old element. All slots are borrowed (+0). Returns
  /// the duplicate ids that the change made. A slot that is no list counts as an empty list. Costs
  /// what changed.
  func update(
    from old: Slot, to new: Slot, under key: UnsafeRawBufferPointer, at listKey: ListKey,
    removed: ((Slot) -> Void)?
  ) -> [ElementIndex.Duplicate] {
    guard PersistentList.count(new) > ElementIndex.unindexedCount else {
      if !indexes.isEmpty { indexes[listKey] = nil }
      return ElementIDs.changes(from: old, to: new, under: key, removed: removed)
    }
    return index(of: old, key, listKey).update(from: old, to: new, removed: removed)
  }

  /// The ``ListKey/above`` of the lists in an element: `above` is that of the element's own list,
  /// `id` is the element's id, borrowed (+0).
  static func hash(_ above: UInt64, _ id: Slot) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(above)
    id.hash(into: &hasher)
    return UInt64(UInt(bitPattern: hasher.finalize()))
  }
}
