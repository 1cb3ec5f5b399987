/// Finds out which of a few names the only key of an object is, as `edit` is of `{ edit = … }`. What an object's
/// shape says is remembered, so that the next one of that shape needs no look at its keys.
///
/// Used by one thread at a time: what holds it belongs to a VM.
package struct TagKey: ~Copyable {
  /// What is known of a shape, which the entry holds (+1): its address is not used again while the entry is there.
  private struct Seen {
    var shape: NodeAddress?
    var tag: Int
  }

  private static let size = 8

  private let names: [[UInt8]]
  private let ignored: [UInt8]?
  private let seen: UnsafeMutablePointer<Seen>

  /// - Parameter ignored: a key that may stand beside.
  package init(_ names: [String], ignoring ignored: String?) {
    self.names = names.map { Array($0.utf8) }
    self.ignored = ignored.map { Array($0.utf8) }
    seen = .allocate(capacity: TagKey.size)
    seen.initialize(repeating: Seen(shape: nil, tag: -1), count: TagKey.size)
  }

  deinit {
    for index in 0..<TagKey.size {
      if let shape = seen[index].shape { Node.release(shape) }
    }
    seen.deallocate()
  }

  /// The index of the name, or -1 for what has another key, more than one, or none.
  package func tag(of object: Slot) -> Int {
    guard object.tag == .object else { return -1 }
    let shape = ObjectNode.shapeAddress(of: object.address)
    let mixed = UInt(bitPattern: shape) >> 4
    let entry = seen + Int(bitPattern: (mixed ^ mixed >> 4) & UInt(TagKey.size - 1))
    if entry.pointee.shape == shape { return entry.pointee.tag }
    let tag = find(in: object)
    Node.retain(shape)
    if let old = entry.pointee.shape { Node.release(old) }
    entry.pointee = Seen(shape: shape, tag: tag)
    return tag
  }

  private func find(in object: Slot) -> Int {
    guard let (key, _) = TagKey.only(in: object, ignoring: ignored) else { return -1 }
    return names.firstIndex { $0.elementsEqual(key.stringBytes) } ?? -1
  }

  /// The only key of an object and its value (+0 both); nil where there are more, or none.
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
