import LuaBridge

/// The keys of a feature's `on`, arranged by their first type and then segment by segment, so that what a
/// dispatch costs depends on the action's nesting and not on how many patterns there are. Where patterns may
/// name payload keys, the smaller of both numbers counts.
final class PatternNode {
  /// Whether a pattern ends here.
  private(set) var isEnd = false
  /// What the pattern that ends here is for.
  private(set) var handler: Handler?
  private(set) var next: [String: PatternBranch] = [:]
  /// Segments that the longest pattern has below this one.
  private(set) var height = 0

  /// Adds the rest of a pattern.
  func add(_ path: ArraySlice<ActionPath.Segment>, _ handler: Handler?) {
    height = max(height, path.count)
    guard let segment = path.first else {
      isEnd = true
      self.handler = handler
      return
    }
    next[segment.name, default: PatternBranch()].add(segment.id, path.dropFirst(), handler)
  }
}

/// Where the patterns with one more segment go on: by the id in its brackets.
struct PatternBranch {
  private(set) var byID: [(id: Value, node: PatternNode)] = []
  /// The same for a look-up where there are many.
  private var indices: [Value: Int] = [:]
  private(set) var anyID: PatternNode?
  /// Without brackets.
  private(set) var plain: PatternNode?

  mutating func add(
    _ id: ActionPath.ID?, _ path: ArraySlice<ActionPath.Segment>, _ handler: Handler?
  ) {
    let node: PatternNode
    switch id {
    case nil:
      node = plain ?? PatternNode()
      plain = node
    case .any?:
      node = anyID ?? PatternNode()
      anyID = node
    case .value(let id)?:
      if let known = indices[id] {
        node = byID[known].node
      } else {
        node = PatternNode()
        indices[id] = byID.count
        byID.append((id, node))
      }
    }
    node.add(path, handler)
  }

  /// As many ids are compared with faster than one is looked up.
  private static let few = 8

  /// Where the patterns with this id (+0) go on.
  func node(with id: Slot) -> PatternNode? {
    guard byID.count > PatternBranch.few else {
      return byID.first { id.isEqual(to: $0.id) }?.node
    }
    return indices[Value(borrowing: id)].map { byID[$0].node }
  }

  /// The handler if this is nothing but one type: the common case needs no search.
  var only: Handler? {
    guard byID.isEmpty, anyID == nil, let plain, plain.next.isEmpty else { return nil }
    return plain.handler
  }
}

/// The pattern that an action matches best.
struct PatternMatch {
  let node: PatternNode
  /// The action at the pattern's last nested type (+0).
  let action: Slot
  /// What each `[*]` stood for (+0).
  let ids: [Slot]
  let segments: Int

  /// Of the patterns that match, the one with most segments; of those, the first that is tried: a literal
  /// id before any, any before no brackets, and a nested type before a payload key.
  static func best(_ branch: PatternBranch, _ action: Slot) -> PatternMatch? {
    var best: PatternMatch?
    follow(branch, type: action, value: action, ids: [], segments: 1, &best)
    return best
  }

  /// `type` is the last nested type's table, `value` what the last segment named: the same, or a payload
  /// field.
  private static func follow(
    _ branch: PatternBranch, type: Slot, value: Slot, ids: [Slot], segments: Int,
    _ best: inout PatternMatch?
  ) {
    let id = value.field("id")
    if !id.isAbsent {
      if !branch.byID.isEmpty, let node = branch.node(with: id) {
        visit(node, type: type, value: value, ids: ids, segments: segments, &best)
      }
      if let node = branch.anyID {
        visit(node, type: type, value: value, ids: ids + [id], segments: segments, &best)
      }
    }
    if let node = branch.plain {
      visit(node, type: type, value: value, ids: ids, segments: segments, &best)
    }
  }

  private static func visit(
    _ node: PatternNode, type: Slot, value: Slot, ids: [Slot], segments: Int,
    _ best: inout PatternMatch?
  ) {
    if node.isEnd, segments > best?.segments ?? 0 {
      best = PatternMatch(node: node, action: type, ids: ids, segments: segments)
    }
    guard canWin(below: node, segments, best) else { return }
    let nested = value.field("action")
    let name = nested.isContainer ? nested.field("type") : .absent
    if name.tag == .string,
      let branch = node.next[String(decoding: name.stringBytes, as: UTF8.self)]
    {
      follow(branch, type: nested, value: nested, ids: ids, segments: segments + 1, &best)
    }
    followFields(node, type: type, value: value, ids: ids, segments: segments, &best)
    guard canWin(below: node, segments, best) else { return }
    // `"binding.user"` also matches the key `user.name`.
    let key = value.field("key")
    if key.tag == .string, value.field("type").isText("binding") {
      let path = String(decoding: key.stringBytes, as: UTF8.self).split(separator: ".")
      followKey(path[...], node, type: type, segments: segments, ids: ids, &best)
    }
  }

  /// Whether a pattern below a node, which has so many segments, may be a better match than the best so far.
  private static func canWin(
    below node: PatternNode, _ segments: Int, _ best: PatternMatch?
  ) -> Bool {
    segments + node.height > max(segments, best?.segments ?? 0)
  }

  /// What is in a payload is fields all the way down, whatever they are named.
  private static func followFields(
    _ node: PatternNode, type: Slot, value: Slot, ids: [Slot], segments: Int,
    _ best: inout PatternMatch?
  ) {
    guard canWin(below: node, segments, best), value.tag == .object || value.tag == .dictionary
    else { return }
    forEachField(of: ObjectTree(borrowing: value), in: node) { next, field in
      if next.isEnd, segments + 1 > best?.segments ?? 0 {
        best = PatternMatch(node: next, action: type, ids: ids, segments: segments + 1)
      }
      followFields(next, type: type, value: field, ids: ids, segments: segments + 1, &best)
    }
  }

  /// Calls `body` with the fields (+0) of an object with whose keys patterns go on, in the object's order. Costs the
  /// number of the fields or of those patterns, whichever are fewer.
  private static func forEachField(
    of object: ObjectTree, in node: PatternNode, _ body: (PatternNode, Slot) -> Void
  ) {
    guard object.count > node.next.count else {
      return object.visit { key, field in
        let key = String(decoding: key.stringBytes, as: UTF8.self)
        if let next = node.next[key]?.plain { body(next, field) }
      }
    }
    var found: [(position: Int, next: PatternNode)] = []
    for (key, branch) in node.next {
      var key = key
      let position = key.withUTF8 { object.position(of: UnsafeRawBufferPointer($0)) }
      if let position, let next = branch.plain { found.append((position, next)) }
    }
    found.sort { $0.position < $1.position }
    for (position, next) in found { body(next, object.borrow(position)) }
  }

  private static func followKey(
    _ path: ArraySlice<Substring>, _ node: PatternNode, type: Slot, segments: Int, ids: [Slot],
    _ best: inout PatternMatch?
  ) {
    guard let first = path.first, let next = node.next[String(first)]?.plain else { return }
    if next.isEnd, segments + 1 > best?.segments ?? 0 {
      best = PatternMatch(node: next, action: type, ids: ids, segments: segments + 1)
    }
    followKey(path.dropFirst(), next, type: type, segments: segments + 1, ids: ids, &best)
  }
}

extension Slot {
  /// Whether the slot (+0) equals the value, as Lua compares.
  fileprivate func isEqual(to value: Value) -> Bool {
    let other = value.ownedSlot()
    defer { other.release() }
    return Slot.equal(self, other)
  }

  func isText(_ text: StaticString) -> Bool {
    tag == .string
      && UTF8Text.equals(
        stringBytes, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
