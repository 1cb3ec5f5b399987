/// Where the elements of one list stand, by their id: what makes dispatch to an element O(log n).
///
/// Not a part of the value: a map beside it that the owner of the list's history keeps. It stores no ids,
/// only their hashes with a position each (8 bytes an entry), so each answer is checked against the
/// list. Positions are hints: an insertion in the middle moves the elements behind it and not their
/// entries, which are corrected as they are asked for; after many such moves it is rebuilt.
///
/// Hashes have a seed that differs from process to process, so that nobody can choose ids that share a place. Where many
/// do nevertheless, the list is indexed anew with another seed.
package final class ElementIndex {
  private struct Entry {
    var hash: UInt32
    /// `empty`, `removed` or an index into the list.
    var position: Int32
  }

  /// Lists that are not longer are looked through.
  package static let shortest = 16
  private static let empty: Int32 = -1
  private static let removed: Int32 = -2
  /// How far from its hint an element is looked for before everything is indexed anew.
  private static let reach = 512
  /// Places that a search may pass over before everything is indexed anew. With hashes like random numbers the longest
  /// run of taken places is shorter: about 400 for a million elements.
  package static let mostPassed = 1024
  /// More new ids than this in one change are indexed by a rebuild.
  private static let few = 64

  private var entries: UnsafeMutablePointer<Entry>
  private var capacity = 0
  private var used = 0
  /// By how much elements behind the last changes have moved since the hints were exact.
  private var displacement = 0
  /// Every hint is the element's position. Insertions and removals that make up for each other leave no
  /// displacement, but what is between them has moved.
  private var isExact = true
  /// The list (+1) whose every id has an entry here.
  private var completeFor = Slot.absent
  /// Ids that more than one element has, by hash.
  private var duplicated: Set<UInt32> = []
  private let key: [UInt8]
  private var seed: UInt64
  /// Whether a search had to pass over more places than it may.
  private var isCrowded = false

  private static let processSeed = UInt64.random(in: .min ... .max)

  /// Two elements with one id, by their indices; `first` is the one that counts.
  package struct Duplicate: Equatable {
    package let first: Int
    package let second: Int
  }

  /// An index of a list (+0) by the field `key`. O(n).
  ///
  /// - Parameter seed: of the hashes, as long as that does well; nil for one that nobody knows.
  package init(_ list: Slot, key: UnsafeRawBufferPointer, seed: UInt64? = nil) {
    self.key = Array(key)
    self.seed = seed ?? ElementIndex.processSeed
    entries = .allocate(capacity: 1)
    _ = rebuild(list)
  }

  deinit {
    entries.deallocate()
    completeFor.release()
  }

  /// Bytes that it takes beside the object itself.
  package var memory: Int { capacity * MemoryLayout<Entry>.stride }

  /// The longest run of taken places, which is how many a search may have to pass over.
  package var longestRun: Int {
    var (longest, run) = (0, 0)
    // A run may go on from the end at the start.
    for place in 0..<2 * capacity {
      run = entries[place & (capacity - 1)].position == ElementIndex.empty ? 0 : run + 1
      longest = max(longest, run)
    }
    return longest
  }

  // MARK: Looking up

  /// The first element with this id, and the index of another one with it if there is one. O(log n), O(n)
  /// when the list is not the one that was last seen and does not have the id where it is expected.
  package func find(_ id: Slot, in list: Slot) -> (position: Int, duplicate: Int?)? {
    key.withUnsafeBytes { key in
      let hash = ElementIndex.hash(id, seed: seed)
      if !duplicated.isEmpty && duplicated.contains(hash) {
        return ElementIDs.firstTwo(of: id, under: key, in: list)
      }
      if let position = locate(id, hash, key, in: list, except: -1) { return (position, nil) }
      if list.isIdentical(to: completeFor) { return nil }
      return ElementIDs.position(of: id, under: key, in: list).map { ($0, nil) }
    }
  }

  /// An element with this id that is not at `except`.
  private func locate(
    _ id: Slot, _ hash: UInt32, _ key: UnsafeRawBufferPointer, in list: Slot, except: Int
  ) -> Int? {
    guard capacity > 0, list.tag == .list else { return nil }
    let count = ListNode.total(list.address)
    var place = Int(hash) & (capacity - 1)
    var isStale = false
    while entries[place].position != ElementIndex.empty {
      defer { place = (place + 1) & (capacity - 1) }
      guard entries[place].hash == hash, entries[place].position >= 0 else { continue }
      let hint = Int(entries[place].position)
      guard let found = search(id, key, list, count, from: hint, except: except) else {
        isStale = true
        continue
      }
      if found != hint { entries[place].position = Int32(truncatingIfNeeded: found) }
      return found
    }
    guard isStale, !list.isIdentical(to: completeFor) || !isExact else { return nil }
    _ = rebuild(list)
    guard let (position, duplicate) = ElementIDs.firstTwo(of: id, under: key, in: list) else {
      return nil
    }
    return position == except ? duplicate : position
  }

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
    for distance in 1...ElementIndex.reach {
      if isAt(moved - distance) { return moved - distance }
      if isAt(moved + distance) { return moved + distance }
    }
    return nil
  }

  // MARK: Following changes

  /// Brings the index from one version of the list to the next and returns the duplicates that the change
  /// made. `visit` gets each changed element, with the old one where it had the same id at the same
  /// index, else absent; then `removed` each id (of the old element) that is in no element any more, once. All
  /// +0. Costs what changed.
  package func update(
    from old: Slot, to new: Slot, visit: (_ old: Slot, _ new: Slot) -> Void,
    removed: ((_ id: Slot) -> Void)? = nil
  ) -> [Duplicate] {
    key.withUnsafeBytes { key in
      if followOne(from: old, to: new, key, visit) { return [] }
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

  /// The common change, by a shorter way: of one element that keeps its id. False for others.
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

  private func follow(
    _ change: ListChange, _ changed: [Int], from old: Slot, to new: Slot,
    _ key: UnsafeRawBufferPointer
  ) -> [Duplicate] {
    guard completeFor.isIdentical(to: old), !isCrowded, changed.count <= ElementIndex.few,
      change.removed.count <= ElementIndex.few
    else {
      let (known, seed) = (duplicated, seed)
      return rebuild(new).filter { duplicate in
        // Those that were there before have been told.
        let id = ElementIDs.id(of: ListNode.element(new.address, duplicate.second), under: key)
        return !known.contains(ElementIndex.hash(id, seed: seed))
          || changed.contains(duplicate.second)
      }
    }
    // Elements that changed in place keep their entries.
    if !changed.isEmpty || change.shift != 0 {
      for index in change.removed where !change.keepsID(at: index, key) {
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

  /// Whether an element has this id. Unlike ``find(_:in:)`` it need not know which is the first.
  private func contains(_ id: Slot, _ key: UnsafeRawBufferPointer, in list: Slot) -> Bool {
    let hash = ElementIndex.hash(id, seed: seed)
    if locate(id, hash, key, in: list, except: -1) != nil { return true }
    // Of elements with one id only the first may have an entry. The search may have brought another seed.
    guard
      duplicated.contains(ElementIndex.hash(id, seed: seed)) || !list.isIdentical(to: completeFor)
    else { return false }
    return ElementIDs.position(of: id, under: key, in: list) != nil
  }

  private func retain(_ list: Slot) {
    list.retain()
    completeFor.release()
    completeFor = list
  }

  private func removeEntry(of list: Slot, _ index: Int, _ key: UnsafeRawBufferPointer) {
    let id = ElementIDs.id(of: ListNode.element(list.address, index), under: key)
    // No entry is its own; another's may have the same hash.
    if id.isAbsent { return }
    let hash = ElementIndex.hash(id, seed: seed)
    if duplicated.contains(hash) { return }
    var place = Int(hash) & (capacity - 1)
    var candidates = 0
    var last = place
    while entries[place].position != ElementIndex.empty {
      // Of ids with one hash it may take the wrong one's entry only if both are near: then the next
      // look finds none and reads the list.
      if entries[place].hash == hash && entries[place].position >= 0 {
        if isNear(Int(entries[place].position), index) {
          entries[place].position = ElementIndex.removed
          return
        }
        candidates += 1
        last = place
      }
      place = (place + 1) & (capacity - 1)
    }
    // A hint that is far off is still the element's if no other has its hash. Left behind, it would have
    // everything indexed anew by who asks whether the id is gone.
    if candidates == 1 { entries[last].position = ElementIndex.removed }
  }

  private func isNear(_ hint: Int, _ index: Int) -> Bool {
    hint == index || !isExact && abs(hint + displacement - index) <= ElementIndex.reach
  }

  /// Adds the element at `index`; returns the pair if another element has its id.
  private func add(_ index: Int, of list: Slot, _ key: UnsafeRawBufferPointer) -> Duplicate? {
    let id = ElementIDs.id(of: ListNode.element(list.address, index), under: key)
    guard !id.isAbsent else { return nil }
    let other = locate(id, ElementIndex.hash(id, seed: seed), key, in: list, except: index)
    // The search may have brought another seed.
    let hash = ElementIndex.hash(id, seed: seed)
    insert(hash, index)
    guard let other else { return nil }
    duplicated.insert(hash)
    return Duplicate(first: min(other, index), second: max(other, index))
  }

  private func insert(_ hash: UInt32, _ position: Int) {
    if (used + 1) * 4 > capacity * 3 { grow() }
    var place = Int(hash) & (capacity - 1)
    var passed = 0
    while entries[place].position >= 0 {
      place = (place + 1) & (capacity - 1)
      passed += 1
    }
    if passed > ElementIndex.mostPassed { isCrowded = true }
    // A removed entry's place is taken again, else an id that comes and goes would make its run longer
    // each time.
    if entries[place].position == ElementIndex.empty { used += 1 }
    entries[place] = Entry(hash: hash, position: Int32(truncatingIfNeeded: position))
  }

  private func grow() {
    let old = entries
    let oldCapacity = capacity
    let live = (0..<oldCapacity).count { old[$0].position >= 0 }
    allocate(for: live + 1)
    for place in 0..<oldCapacity where old[place].position >= 0 {
      insert(old[place].hash, Int(old[place].position))
    }
    old.deallocate()
  }

  private func allocate(for count: Int) {
    capacity = 16
    while capacity * 3 < count * 4 + 8 { capacity *= 2 }
    entries = .allocate(capacity: capacity)
    entries.initialize(
      repeating: Entry(hash: 0, position: ElementIndex.empty), count: capacity)
    used = 0
  }

  /// Indexes everything anew, with another seed if too many ids share a place. O(n).
  private func rebuild(_ list: Slot) -> [Duplicate] {
    retain(list)
    if let duplicates = fill(list, mayBeCrowded: false) { return duplicates }
    seed = .random(in: .min ... .max)
    return fill(list, mayBeCrowded: true) ?? []
  }

  /// Nil where it is crowded and must not be.
  private func fill(_ list: Slot, mayBeCrowded: Bool) -> [Duplicate]? {
    entries.deallocate()
    isCrowded = false
    displacement = 0
    isExact = true
    duplicated = []
    guard list.tag == .list else {
      allocate(for: 0)
      return []
    }
    allocate(for: ListNode.total(list.address))
    var duplicates: [Duplicate] = []
    key.withUnsafeBytes { key in
      var index = 0
      PersistentList(borrowing: list).visit { element in
        defer { index += 1 }
        if isCrowded && !mayBeCrowded { return }
        let id = ElementIDs.id(of: element, under: key)
        guard !id.isAbsent else { return }
        let hash = ElementIndex.hash(id, seed: seed)
        if let first = sameID(id, hash, key, list) {
          duplicates.append(Duplicate(first: first, second: index))
          duplicated.insert(hash)
        } else {
          insert(hash, index)
        }
      }
    }
    defer { isCrowded = false }
    return isCrowded && !mayBeCrowded ? nil : duplicates
  }

  /// While hints are exact: the element with this id that is indexed already.
  private func sameID(
    _ id: Slot, _ hash: UInt32, _ key: UnsafeRawBufferPointer, _ list: Slot
  ) -> Int? {
    var place = Int(hash) & (capacity - 1)
    while entries[place].position != ElementIndex.empty {
      if entries[place].hash == hash {
        let position = Int(entries[place].position)
        let other = ElementIDs.id(of: ListNode.element(list.address, position), under: key)
        if Slot.equal(other, id) { return position }
      }
      place = (place + 1) & (capacity - 1)
    }
    return nil
  }

  /// Equal ids have equal hashes, `1` and `1.0` too; they differ from process to process.
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
