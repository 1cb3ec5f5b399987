/// Finds which of a few names is the only key of an object, such as `edit` in `{ edit = … }`. It
/// caches the result by shape, so that the next object of a cached shape needs no search.
///
/// The cache is direct-mapped, as in ``FieldKey``.
///
/// Not thread-safe: a VM owns it, and one thread at a time runs in the VM.
package struct KeyMatcher: ~Copyable {
  /// A cache entry. It retains its shape (+1), so that the shape's address cannot be reused for
  /// another shape while the entry exists.
  private struct Seen {
    var shape: NodeAddress?
    var tag: Int
  }

  private static let size = 8

  private let names: [[UInt8]]
  private let ignored: [UInt8]?
  private let seen: UnsafeMutablePointer<Seen>

  /// - Parameter ignored: A key that may be present in addition, and that does not count.
  package init(_ names: [String], ignoring ignored: String?) {
    self.names = names.map { Array($0.utf8) }
    self.ignored = ignored.map { Array($0.utf8) }
    seen = .allocate(capacity: KeyMatcher.size)
    seen.initialize(repeating: Seen(shape: nil, tag: -1), count: KeyMatcher.size)
  }

  deinit {
    for index in 0..<KeyMatcher.size {
      if let shape = seen[index].shape { Node.release(shape) }
    }
    seen.deallocate()
  }

  /// Returns the index of the name, or -1 for an object with another key, with several keys or with
  /// none.
  package func tag(of object: Slot) -> Int {
    guard object.tag == .object else { return -1 }
    let shape = ObjectNode.shapeAddress(of: object.address)
    let mixed = UInt(bitPattern: shape) >> 4
    let entry = seen + Int(bitPattern: (mixed ^ mixed >> 4) & UInt(KeyMatcher.size - 1))
    if entry.pointee.shape == shape { return entry.pointee.tag }
    let tag = find(in: object)
    Node.retain(shape)
    if let old = entry.pointee.shape { Node.release(old) }
    entry.pointee = Seen(shape: shape, tag: tag)
    return tag
  }

  private func find(in object: Slot) -> Int {
    guard let (key, _) = KeyMatcher.only(in: object, ignoring: ignored) else { return -1 }
    return names.firstIndex { $0.elementsEqual(key.stringBytes) } ?? -1
  }

  /// Returns the only key of an object and its value (both +0), or nil if there are several keys or
  /// none.
  package static func only(in object: Slot, ignoring ignored: [UInt8]?) -> (key: Slot, value: Slot)?
  {
    guard object.tag == .object, ObjectNode.count(of: object.address) <= 2 else { return nil }
    var found: (key: Slot, value: Slot)?
    var isOnly = true
    ObjectTree(borrowing: object).visit { key, value in
      if let ignored, ignored.elementsEqual(key.stringBytes) { return }
      if found != nil { isOnly = false }
      found = (key, value)
    }
    return isOnly ? found : nil
  }
}
