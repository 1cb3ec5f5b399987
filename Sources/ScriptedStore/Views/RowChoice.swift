import LuaBridge

/// Which elements of a list are rows: all of them, those that match `where`, or those in `only`.
struct RowChoice {
  private let source: NodeElements
  /// The function `where`.
  private var predicate: LuaFunction?
  /// Whether `where` reads more of the view's state than the element that it gets.
  private(set) var readsState = false
  /// The answers of `where`; nil until it is asked.
  private var matches: ListMatches?
  /// What `where` has raised for `elements`; then `matches` are still those of an earlier list.
  private var failure: ScriptError?
  /// The ids in `only`.
  private var only: [Value]?
  /// For each id in `only` that the list has: its index.
  private var indices: [Int] = []
  /// Whether the choice itself is another one than at the last call of ``changes(from:_:to:_:)``.
  private var isNew = true

  /// The elements of the last call of ``count(of:_:)``. The elements of an object are its values.
  private var elements = PersistentList()
  /// The keys of an object, in its order.
  private var keys: [Value]?
  /// Finds elements by their ids, for long lists with a selection. Made when it is first used.
  private var indexed: (list: PersistentList, index: ElementIndex)?
  /// The change of the rows that match `where`, since the last call of ``changes(from:_:to:_:)``; nil if it is unknown.
  private var matchChange: RowChange?

  init(_ place: ViewOutput.Place, of source: NodeElements) {
    self.source = source
    configure(place)
  }

  /// Takes over what a run of the view says.
  mutating func configure(_ place: ViewOutput.Place) {
    let given = place.functions.first { $0.name == "where" }
    let new = given?.function
    readsState = given?.capturesState == true
    if !readsState, let new, predicate?.isSame(as: new) == true {
      // The functions do the same, so what the old one said of the elements is true of the new one.
    } else if new != nil || predicate != nil {
      predicate = new
      matches = nil
      failure = nil
      isNew = true
    }
    let ids = ids(in: place.fields["only"])
    if ids != only {
      only = ids
      isNew = true
    }
  }

  /// The ids of the elements in `only`, which may be ids themselves.
  private func ids(in list: Value) -> [Value]? {
    guard let list = list.array else { return nil }
    return list.map { element in
      guard case .object(let object) = element else { return element }
      return object[source.idKey.text] ?? .null
    }
  }

  // MARK: Counting

  /// The number of rows, after this list (+0) was taken over. Throws what `where` raises.
  mutating func count(of list: Slot, _ screen: Screen) throws(ScriptError) -> Int {
    let isSame = take(list)
    if let predicate {
      try match(predicate, isSame: isSame, screen)
      return matches?.count ?? 0
    }
    if let only {
      if !isSame || isNew { indices = findIndices(of: only) }
      return indices.count
    }
    return elements.count
  }

  /// Takes over the list. Returns whether it is the one that is known.
  private mutating func take(_ list: Slot) -> Bool {
    if list.isObject {
      let object = ObjectTree(borrowing: list)
      var builder = PersistentList.Builder()
      var keys: [Value] = []
      object.visit { key, value in
        keys.append(Value(borrowing: key))
        builder.append(value.retained())
      }
      self.keys = keys
      elements = builder.finish()
      return false
    }
    keys = nil
    let new = list.tag == .list ? list : .absent
    if elements.count == 0 && new.isAbsent { return true }
    if !new.isAbsent && elements.borrowedSlot.isIdentical(to: new) { return true }
    elements = new.isAbsent ? PersistentList() : PersistentList(borrowing: new)
    return false
  }

  private mutating func match(
    _ predicate: LuaFunction, isSame: Bool, _ screen: Screen
  ) throws(ScriptError) {
    if isSame {
      if let failure { throw failure }
      if matches != nil { return }
    }
    failure = nil
    let known = matches
    let matches = known ?? ListMatches()
    let before = matches.list.retained()
    defer { before.release() }
    let change = ListChange(from: before, to: elements.borrowedSlot)
    let old =
      matches.count(
        before: change.removed.lowerBound)..<matches.count(
        before: change.removed.upperBound)
    do throws(ScriptError) {
      try screen.vm.update(matches, to: elements.borrowedSlot, by: predicate)
    } catch {
      failure = error
      throw error
    }
    let new =
      matches.count(
        before: change.added.lowerBound)..<matches.count(
        before: change.added.upperBound)
    // Two changes since the rows were made would have to be joined.
    matchChange = known == nil || matchChange != nil ? nil : RowChange(old: old, new: new)
    self.matches = matches
  }

  /// The next update asks `where` again if a limit has stopped it, because other views may have used up the limit.
  mutating func forgetStop() {
    if failure?.isStop == true { failure = nil }
  }

  /// For each of these ids that the list has: the index of the first element with it. O(ids + elements).
  private func findIndices(of ids: [Value]) -> [Int] {
    var indices: [Value: Int] = [:]
    for index in (0..<elements.count).reversed() {
      let id = id(ofElement: index)
      defer { id.release() }
      if !id.isAbsent { indices[Value(borrowing: id)] = index }
    }
    return ids.compactMap { indices[$0] }
  }

  // MARK: Rows

  /// The element (+0) of a row.
  func element(ofRow row: Int) -> Slot { elements.borrow(index(ofRow: row)) }

  /// The index in the list of a row.
  func index(ofRow row: Int) -> Int {
    if let matches { return matches.index(ofMatch: row) ?? 0 }
    return only == nil ? row : indices[row]
  }

  /// The id (+1) of a row; absent if the element has none.
  func id(ofRow row: Int) -> Slot { id(ofElement: index(ofRow: row)) }

  private func id(ofElement index: Int) -> Slot {
    if let keys { return keys[index].ownedSlot() }
    return source.idKey.value(in: elements.borrow(index)).retained()
  }

  /// The row of the element with an id (+0) in the list (+0); nil if it is none. O(log n) for a list.
  mutating func position(of id: Slot, in list: Slot) -> Int? {
    let found: Int?
    if list.tag == .list {
      found = index(for: list).find(id, in: list)?.position
    } else {
      let key = Value(borrowing: id)
      found = keys?.firstIndex { $0 == key }
    }
    guard let index = found else { return nil }
    if let matches {
      let row = matches.count(before: index)
      return matches.index(ofMatch: row) == index ? row : nil
    }
    return only == nil ? index : indices.firstIndex(of: index)
  }

  /// Whether several rows may have an id (+0). O(log n) for a list (+0). Of an object, and with `only`, it is not known.
  mutating func mayHaveSeveral(with id: Slot, in list: Slot) -> Bool {
    if keys != nil || only != nil { return true }
    let index = index(for: list)
    return index.hasDuplicates && index.find(id, in: list)?.duplicate != nil
  }

  private mutating func index(for list: Slot) -> ElementIndex {
    if let indexed {
      let known = indexed.list.borrowedSlot
      if !known.isIdentical(to: list) {
        _ = indexed.index.update(from: known, to: list)
        self.indexed = (PersistentList(borrowing: list), indexed.index)
      }
      return indexed.index
    }
    let new = ElementIndex(list, key: source.idKey.bytes)
    indexed = (PersistentList(borrowing: list), new)
    return new
  }

  /// Which shown rows differ from those of the last call: there the rows `oldRange` of the list `old` (+0) were shown, now
  /// `newRange` of the list `new` (+0), which ``count(of:_:)`` has taken over.
  mutating func changes(
    from old: Slot, _ oldRange: Range<Int>, to new: Slot, _ newRange: Range<Int>
  ) -> [RowChange] {
    defer {
      isNew = false
      matchChange = nil
    }
    let all = [RowChange(old: 0..<oldRange.count, new: 0..<newRange.count)]
    if isNew || keys != nil || only != nil { return all }
    var change: RowChange? = RowChange(old: 0..<0, new: 0..<0)
    if !old.isIdentical(to: new) {
      if predicate != nil {
        change = matchChange
      } else if oldRange == newRange, let changes = RowChange.replaced(old, new, oldRange) {
        return changes
      } else {
        let whole = ListChange(from: old, to: new)
        change = RowChange(old: whole.removed, new: whole.added)
      }
    }
    return change.map { $0.shown(oldRange, newRange) } ?? all
  }

  /// The changes that the last call of ``changes(from:_:to:_:)`` returned were not made.
  mutating func discardChanges() { isNew = true }
}
