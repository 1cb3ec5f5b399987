/// Finds the elements of one list by their id. It makes the dispatch of an action to an element
/// O(log n).
///
/// The index is not part of the value: it is a map that the owner of the list's history stores next
/// to the list.
///
/// Invariants:
/// 1. `completeFor` is the list for which the index is complete: each id of it has a hint under its
///    hash, or the hash is in `duplicated`, as that of an id that several elements have.
/// 2. If `isExact`, `displacement` is 0, and a hint of invariant 1 is the index of its element.
///    Otherwise an element is searched near its hint plus `displacement`, and a hint that leads
///    nowhere makes `locate` rebuild the index.
///
/// ```
///           ┌─────────┐  insertion or removal before other elements   ┌───────────┐
/// rebuild ─▶│  exact  │ ────────────────────────────────────────────▶ │ displaced │
///           └─────────┘                                               └───────────┘
///                ▲       rebuild: an element is not near its hint,          │
///                └───────────────────── or many changes ────────────────────┘
/// ```
///
/// The hashes are those of Swift, with a seed that is random in each process, so that a script cannot
/// choose ids that collide. They are cut to 32 bits, so that a hint takes 8 bytes: of 100,000 ids about
/// two have the hash of another one, and are searched in the list as duplicated ids are.
@usableFromInline
package final class ElementIndex {
  /// Lists of this size or less are searched without an index.
  @inlinable package static var unindexedCount: Int { 16 }
  /// How far from its hint an element is searched before the index is rebuilt.
  private static let searchRadius = 512
  /// A change with more new ids, or more removed ones, rebuilds the index.
  private static let rebuildThreshold = 64

  /// Indices of elements by the hashes of their ids.
  private var hints: [UInt32: Int32] = [:]
  /// The sum of the shifts of elements behind the changes since the hints were exact.
  private var displacement = 0
  /// Whether each hint is the element's exact index. `displacement == 0` does not imply it: an
  /// insertion and a removal may cancel each other, but the elements between them have moved.
  private var isExact = true
  /// An owned slot (+1); see invariant 1.
  private var completeFor = Slot.absent
  /// The hashes of ids that several elements have.
  private var duplicated: Set<UInt32> = []
  private let key: [UInt8]

  /// Two elements with one id, by their indices. Lookups return the element at `first`.
  @usableFromInline
  package struct Duplicate: Equatable {
    package let first: Int
    package let second: Int
  }

  /// Creates an index of a list (+0) by the field `key`. O(n).
  package init(_ list: Slot, key: UnsafeRawBufferPointer) {
    self.key = Array(key)
    _ = rebuild(list)
  }

  deinit { completeFor.release() }

  /// Whether several elements may have one id.
  package var hasDuplicates: Bool { !duplicated.isEmpty }

  // MARK: Looking up

  /// Returns the index of the first element with this id, and the index of the second one if there
  /// is one.
  ///
  /// O(log n). It is O(n) if several elements have the id, or if the list is not the last one that
  /// the index has seen and the element is not near its hint.
  package func find(_ id: Slot, in list: Slot) -> (position: Int, duplicate: Int?)? {
    key.withUnsafeBytes { key in
      let hash = ElementIndex.hash(id)
      if !duplicated.isEmpty && duplicated.contains(hash) {
        return ElementIDs.firstAndDuplicate(of: id, under: key, in: list)
      }
      if let position = locate(id, hash, key, in: list, except: -1) { return (position, nil) }
      if list.isIdentical(to: completeFor) { return nil }
      return ElementIDs.position(of: id, under: key, in: list).map { ($0, nil) }
    }
  }

  /// Finds an element with this id at an index other than `except`. Corrects the hint, or rebuilds
  /// the index if the hint leads nowhere.
  private func locate(
    _ id: Slot, _ hash: UInt32, _ key: UnsafeRawBufferPointer, in list: Slot, except: Int
  ) -> Int? {
    guard list.tag == .list, let hint = hints[hash] else { return nil }
    if let found = search(id, key, list, from: Int(hint), except: except) {
      if found != hint { hints[hash] = Int32(truncatingIfNeeded: found) }
      return found
    }
    guard !list.isIdentical(to: completeFor) || !isExact else { return nil }
    _ = rebuild(list)
    guard let (position, duplicate) = ElementIDs.firstAndDuplicate(of: id, under: key, in: list)
    else {
      return nil
    }
    return position == except ? duplicate : position
  }

  /// Searches the element at its hint, then around its displaced hint.
  private func search(
    _ id: Slot, _ key: UnsafeRawBufferPointer, _ list: Slot, from hint: Int, except: Int
  ) -> Int? {
    let count = ListNode.total(list.address)
    func isAt(_ position: Int) -> Bool {
      position >= 0 && position < count && position != except
        && Slot.equal(ListNode.element(list.address, position).field(key), id)
    }
    if isAt(hint) { return hint }
    guard !isExact else { return nil }
    let moved = hint + displacement
    if isAt(moved) { return moved }
    for distance in 1...ElementIndex.searchRadius {
      if isAt(moved - distance) { return moved - distance }
      if isAt(moved + distance) { return moved + distance }
    }
    return nil
  }

  // MARK: Following changes

  /// Updates the index from one version of the list to the next. The cost is that of the change.
  /// All slots are borrowed (+0).
  ///
  /// - Parameter removed: Gets each id (of the old element) that no element has any more, once.
  /// - Returns: The duplicate ids that the change caused.
  package func update(
    from old: Slot, to new: Slot, removed: ((_ id: Slot) -> Void)? = nil
  ) -> [Duplicate] {
    #if SCRIPTED_STORE_CHECKS
    defer { checkInvariants() }
    #endif
    return key.withUnsafeBytes { key in
      if followOne(from: old, to: new, key) { return [] }
      let change = ListChange(from: old, to: new)
      var changed: [Int] = []
      change.forEachElement(key) { index, old, _ in
        if old.isAbsent { changed.append(index) }
      }
      let duplicates = follow(change, changed, from: old, to: new, key)
      if let removed, !changed.isEmpty || change.shift != 0 {
        change.forEachRemovedID(key, unless: { contains($0, key, in: new) }, removed)
      }
      return duplicates
    }
  }

  /// A fast path for the most common change: one element that retains its id. Returns false for any
  /// other change.
  private func followOne(
    from old: Slot, to new: Slot, _ key: UnsafeRawBufferPointer
  ) -> Bool {
    guard old.tag == .list, new.tag == .list, completeFor.isIdentical(to: old),
      let index = ListNode.onlyDifference(old.address, new.address)
    else { return false }
    let (before, element) = (
      ListNode.element(old.address, index), ListNode.element(new.address, index)
    )
    guard element.isContainer, Slot.equal(before.field(key), element.field(key)) else {
      return false
    }
    retain(new)
    return true
  }

  /// Updates the hints for a change. `changed` has the indices of the new elements. Returns the
  /// duplicate ids that the change caused.
  private func follow(
    _ change: ListChange, _ changed: [Int], from old: Slot, to new: Slot,
    _ key: UnsafeRawBufferPointer
  ) -> [Duplicate] {
    // A list that stays as long as it was loses as many ids as it gets.
    guard completeFor.isIdentical(to: old), changed.count <= ElementIndex.rebuildThreshold,
      change.shift == 0 || change.removed.count <= ElementIndex.rebuildThreshold
    else {
      let known = duplicated
      return rebuild(new).filter { duplicate in
        // Duplicates that existed before this change were reported then.
        let id = ListNode.element(new.address, duplicate.second).field(key)
        return !known.contains(ElementIndex.hash(id)) || changed.contains(duplicate.second)
      }
    }
    // Elements that changed but have the same id at the same index keep their hints.
    if !changed.isEmpty || change.shift != 0 {
      for index in change.removedIndices where !change.hasSameID(at: index, key) {
        removeHint(of: old, index, key)
      }
    }
    if change.shift != 0 && change.added.upperBound < change.newCount {
      displacement += change.shift
      isExact = false
    }
    retain(new)
    return changed.compactMap { add($0, of: new, key) }
  }

  /// Whether an element has this id. Unlike ``find(_:in:)`` it need not determine which one is the
  /// first.
  private func contains(_ id: Slot, _ key: UnsafeRawBufferPointer, in list: Slot) -> Bool {
    let hash = ElementIndex.hash(id)
    if locate(id, hash, key, in: list, except: -1) != nil { return true }
    // The only hint of a duplicated id may be that of a removed element.
    guard duplicated.contains(hash) || !list.isIdentical(to: completeFor) else { return false }
    return ElementIDs.position(of: id, under: key, in: list) != nil
  }

  /// Makes `completeFor` the list.
  private func retain(_ list: Slot) {
    list.retain()
    completeFor.release()
    completeFor = list
  }

  private func removeHint(of list: Slot, _ index: Int, _ key: UnsafeRawBufferPointer) {
    let id = ListNode.element(list.address, index).field(key)
    guard !id.isAbsent else { return }
    let hash = ElementIndex.hash(id)
    if !duplicated.contains(hash) { hints[hash] = nil }
  }

  /// Adds a hint for the element at `index`. Returns both elements if another one has the same id.
  private func add(_ index: Int, of list: Slot, _ key: UnsafeRawBufferPointer) -> Duplicate? {
    let id = ListNode.element(list.address, index).field(key)
    guard !id.isAbsent else { return nil }
    let hash = ElementIndex.hash(id)
    guard let other = other(id, hash, key, in: list, than: index) else {
      // `locate` may have rebuilt the index, with the hints of all elements.
      let known = hints.updateValue(Int32(truncatingIfNeeded: index), forKey: hash)
      if let known, known != index { duplicated.insert(hash) }
      return nil
    }
    duplicated.insert(hash)
    return Duplicate(first: min(other, index), second: max(other, index))
  }

  /// The index of another element with the id.
  private func other(
    _ id: Slot, _ hash: UInt32, _ key: UnsafeRawBufferPointer, in list: Slot, than index: Int
  ) -> Int? {
    guard duplicated.contains(hash) else {
      return locate(id, hash, key, in: list, except: index)
    }
    let found = ElementIDs.firstAndDuplicate(of: id, under: key, in: list)
    return found?.position == index ? found?.duplicate : found?.position
  }

  /// Rebuilds the index. Returns all duplicate ids. O(n).
  private func rebuild(_ list: Slot) -> [Duplicate] {
    retain(list)
    displacement = 0
    isExact = true
    duplicated = []
    hints = [:]
    guard list.tag == .list else { return [] }
    hints.reserveCapacity(PersistentList.count(list))
    var duplicates: [Duplicate] = []
    key.withUnsafeBytes { key in
      var index = 0
      PersistentList(borrowing: list).visit { element in
        defer { index += 1 }
        let id = element.field(key)
        guard !id.isAbsent else { return }
        let hash = ElementIndex.hash(id)
        guard let first = hints[hash] else {
          hints[hash] = Int32(truncatingIfNeeded: index)
          return
        }
        duplicated.insert(hash)
        let known = ListNode.element(list.address, Int(first)).field(key)
        if Slot.equal(known, id) { duplicates.append(Duplicate(first: Int(first), second: index)) }
      }
    }
    return duplicates
  }

  /// Equal ids have equal hashes; `1` and `1.0` are equal.
  private static func hash(_ id: Slot) -> UInt32 {
    var hasher = Hasher()
    id.hash(into: &hasher)
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }
}

#if DEBUG || SCRIPTED_STORE_CHECKS
extension ElementIndex {
  /// Stops the process if an invariant does not hold for the list that the index has seen last.
  /// O(n).
  package func checkInvariants() {
    requireInvariant(
      !isExact || displacement == 0, "invariant 2: exact hints are displaced by \(displacement)")
    guard completeFor.tag == .list || completeFor.tag == .empty else { return }
    key.withUnsafeBytes { key in
      var ids: [UInt32: Slot] = [:]
      var index = 0
      PersistentList(borrowing: completeFor).visit { element in
        defer { index += 1 }
        let id = element.field(key)
        guard !id.isAbsent else { return }
        let hash = ElementIndex.hash(id)
        let other = ids.updateValue(id, forKey: hash)
        guard !duplicated.contains(hash) else { return }
        requireInvariant(
          other == nil, "invariant 1: the id of element \(index) is not known as a duplicate")
        requireInvariant(
          hints[hash] != nil, "invariant 1: the id of element \(index) has no hint")
        requireInvariant(
          !isExact || hints[hash].map(Int.init) == index,
          "invariant 2: no exact hint leads to element \(index)")
      }
    }
  }
}
#endif
