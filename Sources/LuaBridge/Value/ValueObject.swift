extension Value {
  /// The keys and values of an object, in the order in which the keys were first set.
  ///
  /// A copy is O(1) and shares everything. Rows with the same keys in the same order share their
  /// keys. Finding a key is O(1) up to 32 keys and O(log n) beyond; a write copies up to 32 values,
  /// or O(log n), if a copy is held.
  public struct Object: Sendable {
    package var storage: ObjectTree

    /// An object over the storage, which it shares.
    package init(storage: ObjectTree) { self.storage = storage }

    /// An object without keys.
    public init() { storage = ObjectTree() }
  }
}

extension Value.Object {
  public typealias Element = (key: String, value: Value)

  /// The pairs in order; of a key that occurs twice the last value wins, at the first one's place.
  /// O(n).
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

  /// The value of a key; nil if there is none. Setting nil removes the key; `.null` is a value.
  public subscript(key: String) -> Value? {
    get {
      var key = key
      return key.withUTF8 { bytes in
        storage.borrow(key: UnsafeRawBufferPointer(bytes)).map { Value(borrowing: $0) }
      }
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

  /// The value of a key, or `default` if there is none; setting it sets the key.
  public subscript(key: String, default default: @autoclosure () -> Value) -> Value {
    get { self[key] ?? `default`() }
    set { self[key] = newValue }
  }

  /// Takes out a key; nil if there was none. The order of the others stays.
  @discardableResult
  public mutating func removeValue(forKey key: String) -> Value? {
    guard let position = position(of: key) else { return nil }
    let removed = Value(owning: storage.remove(position))
    storage.compact()
    return removed
  }

  /// Whether there is a value, null included, under the key.
  public func contains(key: String) -> Bool { position(of: key) != nil }

  private func position(of key: String) -> Int? {
    var key = key
    return key.withUTF8 { storage.position(of: UnsafeRawBufferPointer($0)) }
  }
}

extension Value.Object: Collection {
  /// A place in an object; any change of its keys makes it invalid.
  public struct Index: Comparable, Sendable {
    let position: Int

    public static func < (a: Index, b: Index) -> Bool { a.position < b.position }
  }

  public var startIndex: Index { live(from: 0) }

  public var endIndex: Index { Index(position: storage.positionLimit) }

  /// Keys. O(1).
  public var count: Int { storage.count }

  public var isEmpty: Bool { storage.isEmpty }

  public func index(after index: Index) -> Index { live(from: index.position + 1) }

  private func live(from position: Int) -> Index {
    Index(position: storage.livePosition(from: position) ?? storage.positionLimit)
  }

  /// The pair at an index, O(1) or O(log n) as for a key.
  public subscript(index: Index) -> Element {
    withExtendedLifetime(storage) {
      (
        key: String(decoding: storage.keySlot(index.position).stringBytes, as: UTF8.self),
        value: Value(borrowing: storage.borrow(index.position))
      )
    }
  }

  /// The keys in order.
  public var keys: some Collection<String> { lazy.map(\.key) }

  /// The values in the order of the keys.
  public var values: some Collection<Value> { lazy.map(\.value) }
}

extension Value.Object: ExpressibleByDictionaryLiteral {
  /// Keeps the order of the literal; of a key that occurs twice the last value wins.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self.init(elements.lazy.map { (key: $0.0, value: $0.1) })
  }
}

extension Value.Object: Hashable {
  /// The same keys with equal values, whatever their order; skips whatever both sides share.
  public static func == (a: Value.Object, b: Value.Object) -> Bool {
    ObjectTree.equal(a.storage, b.storage)
  }

  /// O(n).
  public func hash(into hasher: inout Hasher) {
    withExtendedLifetime(storage) { storage.borrowedSlot.hash(into: &hasher) }
  }
}
