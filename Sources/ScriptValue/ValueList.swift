extension Value {
  /// The elements of an array: a persistent sequence with the interface of Swift's `Array`.
  ///
  /// A copy is O(1) and shares all nodes. Reading, replacing, inserting and removing an element is
  /// O(log n) at any index, also while copies exist.
  public struct List: Sendable {
    package var storage: PersistentList

    package init(storage: PersistentList) { self.storage = storage }

    public init() { storage = PersistentList() }
  }
}

extension Value.List: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  public typealias Element = Value
  public typealias Index = Int
  public typealias Indices = Range<Int>

  /// Creates a list of the elements in their order. O(n).
  public init<Elements: Sequence>(_ elements: Elements) where Elements.Element == Value {
    var builder = PersistentList.Builder()
    for element in elements { builder.append(element.ownedElementSlot()) }
    storage = builder.finish()
  }

  public var startIndex: Int { 0 }

  /// O(1).
  public var endIndex: Int { storage.count }

  /// O(1).
  public var count: Int { storage.count }

  public var isEmpty: Bool { storage.isEmpty }

  /// The element at a zero-based index, which must be in range. O(log n).
  public subscript(index: Int) -> Value {
    get { Value(borrowing: storage.borrow(index)) }
    set { storage.set(index, newValue.ownedElementSlot()) }
  }

  /// Replaces a range of elements. O(k log n) for a change of k elements, at most O(n).
  public mutating func replaceSubrange<Elements: Collection>(
    _ range: Range<Int>, with elements: Elements
  ) where Elements.Element == Value {
    let count = count
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "list index out of range")
    guard (range.count + elements.count) * 4 > count else {
      for index in range.reversed() { storage.remove(at: index).release() }
      var index = range.lowerBound
      for element in elements {
        storage.insert(element.ownedElementSlot(), at: index)
        index += 1
      }
      return
    }
    var builder = PersistentList.Builder()
    var position = 0
    storage.visit { slot in
      if position == range.lowerBound {
        for element in elements { builder.append(element.ownedElementSlot()) }
      }
      if !range.contains(position) { builder.append(slot.retained()) }
      position += 1
    }
    if range.lowerBound == count {
      for element in elements { builder.append(element.ownedElementSlot()) }
    }
    storage = builder.finish()
  }

  /// Appends an element. O(log n).
  public mutating func append(_ element: Value) { storage.append(element.ownedElementSlot()) }

  /// Inserts an element before the one at `index`, or at the end. O(log n).
  public mutating func insert(_ element: Value, at index: Int) {
    storage.insert(element.ownedElementSlot(), at: index)
  }

  /// Removes and returns the element at `index`. O(log n).
  @discardableResult
  public mutating func remove(at index: Int) -> Value { Value(owning: storage.remove(at: index)) }

  /// Iterates over the elements in order. A step is O(1) inside a leaf of 8 elements, and O(log n)
  /// from one leaf to the next.
  public func makeIterator() -> Iterator { Iterator(storage) }

  public struct Iterator: IteratorProtocol {
    private let storage: PersistentList
    private var cursor: ListCursor?

    init(_ storage: PersistentList) {
      self.storage = storage
      cursor = storage.address.map { ListCursor($0) }
    }

    public mutating func next() -> Value? {
      guard let current = cursor, !current.isAtEnd else { return nil }
      let value = withExtendedLifetime(storage) { Value(borrowing: current.element) }
      cursor?.advance(by: 1)
      return value
    }
  }
}

extension Value.List: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Value...) { self.init(elements) }
}

extension Value.List: Hashable {
  /// Compares element by element with Lua's equality. It skips nodes that both sides share.
  public static func == (a: Value.List, b: Value.List) -> Bool {
    PersistentList.equal(a.storage, b.storage)
  }

  /// O(n).
  public func hash(into hasher: inout Hasher) {
    withExtendedLifetime(storage) { storage.borrowedSlot.hash(into: &hasher) }
  }
}
