extension Value {
  /// The keys and values of an object, in the order in which the keys were first set.
  ///
  /// A copy is O(1) and shares all nodes. Objects with the same keys in the same order usually
  /// share their keys. Finding a key is O(1) up to 32 keys and O(log n) beyond. Adding or removing
  /// a key copies up to 32 values, or O(log n) nodes in a larger object. Replacing a value costs
  /// the same if a copy of the object exists; otherwise it happens in place.
  public struct Object: Sendable {
    package var storage: ObjectTree

    package init(storage: ObjectTree) { self.storage = storage }

    public init() { storage = ObjectTree() }
  }
}

extension Value.Object {
  public typealias Element = (key: String, value: Value)

  /// Creates an object of pairs in their order. If a key occurs twice, the last value is used, at
  /// the position of the first one. O(n).
  public init<Pairs: Sequence>(_ pairs: Pairs) where Pairs.Element == Element {
    var builder = ObjectTree.Builder()
    for (key, value) in pairs {
      let slot = value.ownedElementSlot()
      let key = Slot.string(key)
      if let position = builder.position(of: key.stringBytes) {
        builder.set(position, slot)
        key.release()
      } else {
        builder.append(key: key.address, slot)
      }
    }
    storage = builder.finish()
  }

  /// The value of a key, or nil if the key is missing. Setting nil removes the key; `.null` is a
  /// value.
  public subscript(key: String) -> Value? {
    get {
      key.withUTF8Bytes { bytes in storage.borrow(key: bytes).map { Value(borrowing: $0) } }
    }
    set {
      guard let newValue else {
        removeValue(forKey: key)
        return
      }
      let slot = newValue.ownedElementSlot()
      if let position = position(of: key) {
        storage.set(position, slot)
      } else {
        let node = Slot.string(key)
        storage.append(key: node.address, slot)
        node.release()
      }
    }
  }

  /// The value of a key, or `default` if the key is missing. Setting it sets the key.
  public subscript(key: String, default default: @autoclosure () -> Value) -> Value {
    get { self[key] ?? `default`() }
    set { self[key] = newValue }
  }

  /// Removes a key and returns its value, or returns nil if the key is missing. The order of the
  /// other keys does not change.
  @discardableResult
  public mutating func removeValue(forKey key: String) -> Value? {
    guard let position = position(of: key) else { return nil }
    let removed = Value(owning: storage.remove(position))
    storage.compact()
    return removed
  }

  /// Whether the key is present. A null counts as a value.
  public func contains(key: String) -> Bool { position(of: key) != nil }

  private func position(of key: String) -> Int? {
    key.withUTF8Bytes { storage.position(of: $0) }
  }
}

extension Value.Object: Collection {
  /// A position in an object. Adding or removing a key invalidates it.
  public struct Index: Comparable, Sendable {
    let position: Int

    public static func < (a: Index, b: Index) -> Bool { a.position < b.position }
  }

  public var startIndex: Index { live(from: 0) }

  public var endIndex: Index { Index(position: storage.positionLimit) }

  /// The number of keys. O(1).
  public var count: Int { storage.count }

  public var isEmpty: Bool { storage.isEmpty }

  public func index(after index: Index) -> Index { live(from: index.position + 1) }

  private func live(from position: Int) -> Index {
    Index(position: storage.livePosition(from: position) ?? storage.positionLimit)
  }

  /// The pair at an index. O(1) up to 32 keys, O(log n) beyond.
  public subscript(index: Index) -> Element {
    withExtendedLifetime(storage) {
      (
        key: storage.keySlot(index.position).text,
        value: Value(borrowing: storage.borrow(index.position))
      )
    }
  }

  public var keys: some Collection<String> { lazy.map(\.key) }

  /// The values in the order of the keys.
  public var values: some Collection<Value> { lazy.map(\.value) }
}

extension Value.Object: ExpressibleByDictionaryLiteral {
  /// The object has the order of the literal. If a key occurs twice, the last value is used.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self.init(elements.lazy.map { (key: $0.0, value: $0.1) })
  }
}

extension Value.Object: Hashable {
  /// Whether both have the same keys with equal values, in any order. It skips nodes that both
  /// sides share.
  public static func == (a: Value.Object, b: Value.Object) -> Bool {
    ObjectTree.equal(a.storage, b.storage)
  }

  /// O(n).
  public func hash(into hasher: inout Hasher) {
    withExtendedLifetime(storage) { storage.borrowedSlot.hash(into: &hasher) }
  }
}
