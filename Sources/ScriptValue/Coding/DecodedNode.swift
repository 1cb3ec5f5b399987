/// What was made of a container and of the containers in it. The next version of the container is
/// decoded with it: for a part that is still the same node of the tree, the result is reused.
///
/// `@unchecked Sendable`. Proof: one thread at a time uses a node, the one that has taken it out of
/// its ``ReusingDecoder``; and only results that are `Sendable` leave that.
final class DecodedNode: @unchecked Sendable {
  /// Retained, so that the node in it is neither changed in place nor replaced by another one at
  /// the same address.
  let value: Value
  private let type: any Any.Type
  private(set) var result: Any?
  private var fields: [String: DecodedNode] = [:]
  /// By index; nil for a scalar, and beyond the last container.
  private var elements: [DecodedNode?] = []
  /// The node of the version before, while this one is decoded.
  private(set) var previous: DecodedNode?
  private var alignment: VersionAlignment?

  init(_ value: Value, _ type: any Any.Type, after previous: DecodedNode?) {
    self.value = value
    self.type = type
    self.previous = previous
  }

  /// Ends the decoding with its result.
  func finish(_ result: Any) {
    self.result = result
    previous = nil
    alignment = nil
  }

  /// What was made of `value`, if this is the node of the same value and type. Instances of a class
  /// are not reused by themselves, because the caller may change an instance.
  func result<T>(of value: Value, as type: T.Type) -> T? {
    guard self.type == type, self.value.isIdentical(to: value), !(type is AnyObject.Type)
    else { return nil }
    return result as? T
  }

  /// Decodes a container that is inside of this one, or reuses the result of its last decoding.
  func decode<T: Decodable>(
    _ type: T.Type, from part: Value, at step: ValuePath.Component,
    _ decoder: (DecodedNode) -> InnerDecoder
  ) throws -> T {
    let old = previous(at: step)
    if let old, let result = old.result(of: part, as: type) {
      record(old, at: step)
      return result
    }
    let node = DecodedNode(part, type, after: old)
    let result = try decoder(node).decode(type)
    node.finish(result)
    record(node, at: step)
    return result
  }

  private func record(_ node: DecodedNode, at step: ValuePath.Component) {
    switch step {
    case .key(let key): fields[key] = node
    case .index(let index):
      while elements.count <= index { elements.append(nil) }
      elements[index] = node
    }
  }

  /// The node of the same part in the version before.
  private func previous(at step: ValuePath.Component) -> DecodedNode? {
    guard let previous else { return nil }
    switch step {
    case .key(let key): return previous.fields[key]
    case .index(let index):
      if alignment == nil {
        alignment = VersionAlignment(from: previous.value.array ?? [], to: value.array ?? [])
      }
      guard let old = alignment?.oldIndex(of: index), previous.elements.indices.contains(old)
      else { return nil }
      return previous.elements[old]
    }
  }
}

/// Which element of an older version of a list an element was. For indices that are asked for in
/// order, O(1) each.
struct VersionAlignment {
  private let hunks: [ListHunk]
  /// The first hunk that does not end before the index that was asked for last.
  private var next = 0
  private var shift = 0
  private var last = 0

  init(from old: Value.List, to new: Value.List) { hunks = new.hunks(from: old) }

  /// The index of the same element in the older version; of an element in a changed range the one
  /// that stands in its place. Nil if there is none.
  mutating func oldIndex(of index: Int) -> Int? {
    if index < last { (next, shift) = (0, 0) }
    last = index
    while next < hunks.count, index >= hunks[next].added.upperBound {
      shift += hunks[next].removed.count - hunks[next].added.count
      next += 1
    }
    guard next < hunks.count, hunks[next].added.contains(index) else { return index + shift }
    let offset = index - hunks[next].added.lowerBound
    return offset < hunks[next].removed.count ? hunks[next].removed.lowerBound + offset : nil
  }
}
