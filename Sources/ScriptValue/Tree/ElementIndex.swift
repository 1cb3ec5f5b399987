/// Finds the elements of one list by their id. It makes the dispatch of an action to an element
/// O(log n).
///
/// The index is not part of the value: it is a map that the owner of the list's history stores next
/// to the list.
///
/// Invariants:
/// 1. `completeFor` is the list for which the index is complete: each id of it has an entry in
///    `hints` with its hash, or the hash is in `duplicated`. The hash of an id that several elements
///    have is in `duplicated`.
/// 2. If `isExact`, `displacement` is 0, and an entry of invariant 1 has the exact index of its
///    element. Otherwise an element is searched near its hint plus `displacement`, and an entry that
///    leads nowhere makes `locate` rebuild the index.
/// 3. While `duplicated` is empty and no two ids of `completeFor` have one hash, `hints` has one
///    entry for each element with an id, and no others.
///
/// ```
///           ┌─────────┐  insertion or removal before other elements   ┌───────────┐
/// rebuild ─▶│  exact  │ ────────────────────────────────────────────▶ │ displaced │
///           └─────────┘                                               └───────────┘
///                ▲       rebuild: an element is not near its hint;          │
///                └─────── many changes; too long a run of entries ──────────┘
/// ```
///
/// The seed of the hashes is random in each process, so that a script cannot choose ids that collide. If
/// many ids collide anyway, the index is rebuilt with another seed.
@usableFromInline
package final class ElementIndex {
  /// Lists of this size or less are searched without an index.
  @inlinable package static var unindexedCount: Int { 16 }
  /// How far from its hint an element is searched before the index is rebuilt.
  private static let searchRadius = 512
  /// A change with more new ids, or more removed ones, rebuilds the index.
  private static let rebuildThreshold = 64

  private var hints = HintTable(roomFor: 0)
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
  private var seed: UInt64

  private static let processSeed = UInt64.random(in: .min ... .max)

  /// Two elements with one id, by their indices. Lookups return the element at `first`.
  @usableFromInline
  package struct Duplicate: Equatable {
    package let first: Int
    package let second: Int
  }

  /// Creates an index of a list (+0) by the field `key`. O(n).
  ///
  /// - Parameter seed: The seed of the hashes until too many ids collide. Nil stands for the secret
  ///   seed of the process.
  package init(_ list: Slot, key: UnsafeRawBufferPointer, seed: UInt64? = nil) {
    self.key = Array(key)
    self.seed = seed ?? ElementIndex.processSeed
    _ = rebuild(list)
  }

  deinit { completeFor.release() }

  /// Whether several elements may have one id.
  package var hasDuplicates: Bool { !duplicated.isEmpty }

  /// See ``HintTable/longestRun``.
  package var longestRun: Int { hints.longestRun }

  // MARK: Looking up

  /// Returns the index of the first element with this id, and the index of the second one if there
  /// is one.
  ///
  /// O(log n). It is O(n) if several elements have the id, or if the list is not the last one that
  /// the index has seen and the element is not near its hint.
  package func find(_ id: Slot, in list: Slot) -> (position: Int, duplicate: Int?)? {
    key.withUnsafeBytes { key in
      let hash = ElementIndex.hash(id, seed: seed)
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
    guard list.tag == .list else { return nil }
    let count = ListNode.total(list.address)
    var isStale = false
    var entry = hints.first(hash)
    while let bucket = entry {
      let hint = hints.position(at: bucket)
      if let found = search(id, key, list, count, from: hint, except: except) {
        if found != hint { hints.setPosition(at: bucket, to: found) }
        return found
      }
      isStale = true
      entry = hints.next(hash, after: bucket)
    }
    guard isStale, !list.isIdentical(to: completeFor) || !isExact else { return nil }
    _ = rebuild(list)
    guard let (position, duplicate) = ElementIDs.firstAndDuplicate(of: id, under: key, in: list)
    else {
      return nil
    }
    return position == except ? duplicate : position
  }

  /// Searches the element at its hint, then around its displaced hint.
  private func search(
    _ id: Slot, _ key: UnsafeRawBufferPointer, _ list: Slot, _ count: Int, from hint: Int,
    except: Int
  ) -> Int? {
    func isAt(_ position: Int) -> Bool {
      position >= 0 && position < count && position != except
        && Slot.equal(ElementIDs.id(of: ListNode.element(list.address, position), under: key), id)
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
  /// - Parameter visit: Gets each changed element, with the old one at the same index if it has the
  ///   same id, otherwise with absent.
  /// - Parameter removed: Gets, after all calls of `visit`, each id (of the old element) that no
  ///   element has any more, once.
  /// - Returns: The duplicate ids that the change caused.
  package func update(
    from old: Slot, to new: Slot, visit: (_ old: Slot, _ new: Slot) -> Void,
    removed: ((_ id: Slot) -> Void)? = nil
  ) -> [Duplicate] {
    #if SCRIPTED_STORE_CHECKS
    defer { checkInvariants() }
    #endif
    return key.withUnsafeBytes { key in
      if followOne(from: old, to: new, key, visit) { return [] }
      if followSwap(from: old, to: new, key, visit) { return [] }
      let change = ListChange(from: old, to: new)
      var changed: [Int] = []
      change.forEachElement(key) { index, old, new in
        if old.isAbsent { changed.append(index) }
        visit(old, new)
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
    from old: Slot, to new: Slot, _ key: UnsafeRawBufferPointer, _ visit: (Slot, Slot) -> Void
  ) -> Bool {
    guard old.tag == .list, new.tag == .list, completeFor.isIdentical(to: old),
      let index = ListNode.onlyDifference(old.address, new.address)
    else { return false }
    let (before, element) = (
      ListNode.element(old.address, index), ListNode.element(new.address, index)
    )
    guard element.isContainer,
      Slot.equal(ElementIDs.id(of: before, under: key), ElementIDs.id(of: element, under: key))
    else { return false }
    visit(before, element)
    retain(new)
    return true
  }

  /// A fast path for a change in which two elements have changed places, however far from each other. Returns false for any
  /// other change.
  private func followSwap(
    from old: Slot, to new: Slot, _ key: UnsafeRawBufferPointer, _ visit: (Slot, Slot) -> Void
  ) -> Bool {
    guard old.tag == .list, new.tag == .list, isExact, completeFor.isIdentical(to: old),
      PersistentList.count(old) == PersistentList.count(new)
    else { return false }
    let (before, after) = (PersistentList(borrowing: old), PersistentList(borrowing: new))
    var places: [Int] = []
    after.forEachReplaced(from: before) { index in
      places.append(index)
      return places.count <= 2
    }
    guard places.count == 2,
      let first = entry(ofMoved: places[0], to: places[1], before, after, key),
      let second = entry(ofMoved: places[1], to: places[0], before, after, key), first != second
    else { return false }
    hints.setPosition(at: first, to: places[1])
    hints.setPosition(at: second, to: places[0])
    for place in places { visit(.absent, after.borrow(place)) }
    retain(new)
    return true
  }

  /// The entry of the element at `from`, if the new list has that element at `to`, and no other one has its id.
  private func entry(
    ofMoved from: Int, to: Int, _ old: PersistentList, _ new: PersistentList,
    _ key: UnsafeRawBufferPointer
  ) -> Int? {
    let id = ElementIDs.id(of: old.borrow(from), under: key)
    guard !id.isAbsent, Slot.equal(id, ElementIDs.id(of: new.borrow(to), under: key)) else {
      return nil
    }
    let hash = ElementIndex.hash(id, seed: seed)
    guard !duplicated.contains(hash) else { return nil }
    var entry = hints.first(hash)
    while let bucket = entry {
      if hints.position(at: bucket) == from { return bucket }
      entry = hints.next(hash, after: bucket)
    }
    return nil
  }

  /// Updates the entries for a change. `changed` has the indices of the new elements. Returns the
  /// duplicate ids that the change caused.
  private func follow(
    _ change: ListChange, _ changed: [Int], from old: Slot, to new: Slot,
    _ key: UnsafeRawBufferPointer
  ) -> [Duplicate] {
    guard completeFor.isIdentical(to: old), !hints.isCrowded,
      changed.count <= ElementIndex.rebuildThreshold,
      change.removed.count <= ElementIndex.rebuildThreshold
    else {
      let (known, seed) = (duplicated, seed)
      return rebuild(new).filter { duplicate in
        // Duplicates that existed before this change were reported then.
        let id = ElementIDs.id(of: ListNode.element(new.address, duplicate.second), under: key)
        return !known.contains(ElementIndex.hash(id, seed: seed))
          || changed.contains(duplicate.second)
      }
    }
    // Elements that changed but have the same id at the same index retain their entries.
    if !changed.isEmpty || change.shift != 0 {
      for index in change.removed where !change.hasSameID(at: index, key) {
        removeEntry(of: old, index, key)
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
    let hash = ElementIndex.hash(id, seed: seed)
    if locate(id, hash, key, in: list, except: -1) != nil { return true }
    // If several elements have an id, only the first one may have an entry. `locate` may have
    // rebuilt the index with another seed, so the hash is computed again.
    guard
      duplicated.contains(ElementIndex.hash(id, seed: seed)) || !list.isIdentical(to: completeFor)
    else { return false }
    return ElementIDs.position(of: id, under: key, in: list) != nil
  }

  /// Makes `completeFor` the list.
  private func retain(_ list: Slot) {
    list.retain()
    completeFor.release()
    completeFor = list
  }

  private func removeEntry(of list: Slot, _ index: Int, _ key: UnsafeRawBufferPointer) {
    let id = ElementIDs.id(of: ListNode.element(list.address, index), under: key)
    // The element has no entry of its own, but another element's entry may have the same hash.
    if id.isAbsent { return }
    let hash = ElementIndex.hash(id, seed: seed)
    if duplicated.contains(hash) { return }
    let first = hints.first(hash)
    var entry = first
    while let bucket = entry {
      // Entries have no ids. If two ids with one hash are near each other, this may remove the
      // wrong entry. The remaining entry is then close enough to find the other element, or it
      // leads nowhere and `locate` rebuilds the index.
      if isNear(hints.position(at: bucket), index) { return hints.remove(at: bucket) }
      entry = hints.next(hash, after: bucket)
    }
    // If only one entry has this hash, it belongs to this id, however wrong its hint is. If it
    // stayed, the next check whether this id is gone would rebuild the index.
    if let first, hints.next(hash, after: first) == nil { hints.remove(at: first) }
  }

  private func isNear(_ hint: Int, _ index: Int) -> Bool {
    hint == index || !isExact && abs(hint + displacement - index) <= ElementIndex.searchRadius
  }

  /// Adds an entry for the element at `index`. Returns both elements if another one has the same
  /// id.
  private func add(_ index: Int, of list: Slot, _ key: UnsafeRawBufferPointer) -> Duplicate? {
    let id = ElementIDs.id(of: ListNode.element(list.address, index), under: key)
    guard !id.isAbsent else { return nil }
    let other = locate(id, ElementIndex.hash(id, seed: seed), key, in: list, except: index)
    // `locate` may have rebuilt the index with another seed. A rebuild, for this element or for one
    // before it, adds the entries of all elements (invariant 3).
    let hash = ElementIndex.hash(id, seed: seed)
    if !hints.contains(hash, index) { hints.insert(hash, index) }
    guard let other else { return nil }
    duplicated.insert(hash)
    return Duplicate(first: min(other, index), second: max(other, index))
  }

  /// Rebuilds the index, with another seed if too many ids collide. Returns all duplicate ids.
  /// O(n).
  private func rebuild(_ list: Slot) -> [Duplicate] {
    retain(list)
    if let duplicates = fill(list, mayBeCrowded: false) { return duplicates }
    seed = .random(in: .min ... .max)
    return fill(list, mayBeCrowded: true) ?? []
  }

  /// Fills the table from the list. Returns nil if the table is crowded although it must not be.
  private func fill(_ list: Slot, mayBeCrowded: Bool) -> [Duplicate]? {
    displacement = 0
    isExact = true
    duplicated = []
    hints = HintTable(roomFor: PersistentList.count(list))
    guard list.tag == .list else { return [] }
    var duplicates: [Duplicate] = []
    key.withUnsafeBytes { key in
      var index = 0
      PersistentList(borrowing: list).visit { element in
        defer { index += 1 }
        if hints.isCrowded && !mayBeCrowded { return }
        let id = ElementIDs.id(of: element, under: key)
        guard !id.isAbsent else { return }
        let hash = ElementIndex.hash(id, seed: seed)
        if let first = sameID(id, hash, key, list) {
          duplicates.append(Duplicate(first: first, second: index))
          duplicated.insert(hash)
        } else {
          hints.insert(hash, index)
        }
      }
    }
    if hints.isCrowded && !mayBeCrowded { return nil }
    hints.isCrowded = false
    return duplicates
  }

  /// While hints are exact: the index of the element with this id that already has an entry, or
  /// nil.
  private func sameID(
    _ id: Slot, _ hash: UInt32, _ key: UnsafeRawBufferPointer, _ list: Slot
  ) -> Int? {
    var entry = hints.first(hash)
    while let bucket = entry {
      let position = hints.position(at: bucket)
      let other = ElementIDs.id(of: ListNode.element(list.address, position), under: key)
      if Slot.equal(other, id) { return position }
      entry = hints.next(hash, after: bucket)
    }
    return nil
  }

  /// A hash with the seed of the process. Equal ids have equal hashes; `1` and `1.0` are equal.
  package static func hash(_ id: Slot) -> UInt32 { hash(id, seed: processSeed) }

  package static func hash(_ id: Slot, seed: UInt64) -> UInt32 {
    let word: UInt64
    switch id.tag {
    case .integer: word = id.bits
    case .float: word = Int64(exactly: id.float).map { UInt64(bitPattern: $0) } ?? id.bits
    case .string:
      return UInt32(truncatingIfNeeded: UTF8Text.hash(id.stringBytes, seed: seed) >> 32)
    case .boolean: word = id.bits + 0x51
    default: word = UInt64(id.tag.rawValue)
    }
    return UInt32(truncatingIfNeeded: UTF8Text.mix(UTF8Text.mix(seed, word), seed) >> 32)
  }
}

#if DEBUG || SCRIPTED_STORE_CHECKS
extension ElementIndex {
  /// Stops the process if an invariant does not hold for the list that the index has seen last.
  /// O(n).
  package func checkInvariants() {
    hints.checkInvariants()
    requireInvariant(
      !isExact || displacement == 0, "invariant 2: exact hints are displaced by \(displacement)")
    guard completeFor.tag == .list || completeFor.tag == .empty else { return }
    key.withUnsafeBytes { key in
      var ids: [UInt32: Slot] = [:]
      var count = 0
      var index = 0
      PersistentList(borrowing: completeFor).visit { element in
        defer { index += 1 }
        let id = ElementIDs.id(of: element, under: key)
        guard !id.isAbsent else { return }
        count += 1
        let hash = ElementIndex.hash(id, seed: seed)
        let other = ids.updateValue(id, forKey: hash)
        guard !duplicated.contains(hash) else { return }
        requireInvariant(
          other.map { !Slot.equal($0, id) } ?? true,
          "invariant 1: the id of element \(index) is not known as a duplicate")
        checkEntry(hash, index)
      }
      requireInvariant(
        !duplicated.isEmpty || ids.count < count || hints.liveCount == count,
        "invariant 3: \(count) elements with ids have \(hints.liveCount) entries")
    }
  }

  private func checkEntry(_ hash: UInt32, _ index: Int) {
    requireInvariant(
      hints.first(hash) != nil, "invariant 1: the id of element \(index) has no entry")
    requireInvariant(
      !isExact || hints.contains(hash, index),
      "invariant 2: no exact hint leads to element \(index)")
  }
}
#endif
