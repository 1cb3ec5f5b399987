import Synchronization

/// A list of a state whose elements are decoded when they are read. What was made of an element is
/// reused while the list, or a later version of it, has the same node: to take over a list of
/// 100,000 rows of which one has changed costs O(log n), and reading that row decodes it.
///
/// ```swift
/// struct State: Decodable, Sendable { var todos: DecodedList<Todo> }
/// let state = try store.state(as: State.self)
/// try state.todos.item(3).title
/// for todo in state.todos { print(try todo.get().title) }
/// ```
///
/// An element that does not fit throws when it is read, with the path of what does not fit. As the
/// elements of a collection cannot throw, those of this one are results; ``item(_:)`` throws.
///
/// Versions are recognized by a ``ReusingDecoder``, which `Store.state(at:as:)` uses. Thread-safe.
public struct DecodedList<Item: Decodable & Sendable>: Sendable {
  /// The elements as they are in the state.
  public let values: Value.List
  private let path: [any CodingKey]
  private let userInfo: [CodingUserInfoKey: any Sendable]
  /// Shared by the versions of the list.
  private let memory: ItemMemory<Item>

  public init() { self.init([]) }

  /// The elements of a list. Decodes none.
  public init(_ values: Value.List) { self.init(values, [], [:], ItemMemory()) }

  private init(
    _ values: Value.List, _ path: [any CodingKey], _ userInfo: [CodingUserInfoKey: any Sendable],
    _ memory: ItemMemory<Item>
  ) {
    self.values = values
    self.path = path
    self.userInfo = userInfo
    self.memory = memory
  }

  /// The decoded element at a zero-based index, which must be in range. O(log n) if it was decoded
  /// before.
  public func item(_ index: Int) throws(ValueTypeError) -> Item {
    let value = values[index]
    guard let node = value.nodeAddress else { return try decode(value, index) }
    if let known = memory.item(of: node) { return known }
    let item = try decode(value, index)
    memory.remember(item, of: node, in: value, mostOf: values.count)
    return item
  }

  /// All elements. O(n). Throws for the first one that does not fit.
  public func items() throws(ValueTypeError) -> [Item] {
    var items: [Item] = []
    items.reserveCapacity(values.count)
    for index in values.indices { items.append(try item(index)) }
    return items
  }

  private func decode(_ value: Value, _ index: Int) throws(ValueTypeError) -> Item {
    let place = ValuePath(codingPath: path).appending(.index(index))
    return try ValueTypeError.describing(value, place) { path throws in
      try InnerDecoder(value: value, path: path, userInfo: userInfo).decode(Item.self)
    }
  }
}

extension DecodedList: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { values.count }

  /// The decoded element at a zero-based index, which must be in range, or why it does not fit.
  public subscript(index: Int) -> Result<Item, ValueTypeError> {
    do throws(ValueTypeError) {
      return .success(try item(index))
    } catch {
      return .failure(error)
    }
  }
}

extension DecodedList where Item: Identifiable, Item.ID: Encodable {
  /// The index of the first element whose field `id` is what this id encodes as; nil if there is
  /// none. O(n), about 2 ns for an element; decodes none.
  public func index(id: Item.ID) -> Int? {
    (try? Value(encoding: id)).flatMap { values.firstIndex(ofID: $0) }
  }

  /// The element with this id; nil if there is none. O(n), about 2 ns for an element; decodes one.
  public func item(id: Item.ID) throws(ValueTypeError) -> Item? {
    guard let index = index(id: id) else { return nil }
    return try item(index)
  }
}

extension DecodedList: Equatable {
  /// Whether the lists have equal values. It skips nodes that both share, and decodes nothing.
  public static func == (a: DecodedList, b: DecodedList) -> Bool { a.values == b.values }
}

extension DecodedList: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Value...) { self.init(Value.List(elements)) }
}

extension DecodedList: Decodable {
  /// Takes the list over, and decodes no element. O(changes × log n) after an earlier version.
  public init(from decoder: any Decoder) throws {
    guard let inner = decoder as? InnerDecoder else {
      var container = try decoder.unkeyedContainer()
      var values = Value.List()
      while !container.isAtEnd { values.append(try container.decode(Value.self)) }
      self.init(values)
      return
    }
    _ = try inner.unkeyedContainer()
    let values = inner.value.array ?? []
    let before = inner.record?.previous?.result as? DecodedList
    before?.memory.forget(before?.values ?? [], after: values)
    self.init(values, inner.codingPath, inner.sendableInfo, before?.memory ?? ItemMemory())
  }
}

/// What the versions of a list have made of their elements.
private final class ItemMemory<Item: Sendable>: Sendable {
  private struct Entry: Sendable {
    /// Retained, so that no other node gets the address.
    let value: Value
    let item: Item
  }

  private let entries = Mutex<[UInt: Entry]>([:])

  func item(of node: UInt) -> Item? { entries.withLock { $0[node]?.item } }

  /// - Parameter count: the number of the list's elements. Who reads an old version adds what later
  ///   ones have forgotten; all is forgotten before that is more than the list.
  func remember(_ item: Item, of node: UInt, in value: Value, mostOf count: Int) {
    entries.withLock { entries in
      if entries.count >= 2 * count + 64 { entries = [:] }
      entries[node] = Entry(value: value, item: item)
    }
  }

  /// Forgets the elements of an older version that a new one does not have at their place.
  func forget(_ old: Value.List, after new: Value.List) {
    guard !entries.withLock({ $0.isEmpty }) else { return }
    let hunks = new.hunks(from: old)
    entries.withLock { entries in
      for hunk in hunks {
        for index in hunk.removed {
          if let node = old[index].nodeAddress { entries[node] = nil }
        }
      }
    }
  }
}
