/// Finds which of a few names is the only key of an object, such as `edit` in `{ edit = … }`.
package struct KeyMatcher: Sendable {
  private let names: [[UInt8]]
  private let ignored: [UInt8]?

  /// - Parameter ignored: A key that may be present in addition, and that does not count.
  package init(_ names: [String], ignoring ignored: String?) {
    self.names = names.map { Array($0.utf8) }
    self.ignored = ignored.map { Array($0.utf8) }
  }

  /// Returns the index of the name, or -1 for an object with another key, with several keys or with
  /// none.
  package func tag(of object: Slot) -> Int {
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
