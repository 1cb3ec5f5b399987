// Finds the `on` pattern of a feature that fits an action best.
//
// The patterns form a tree: `FeatureNode` looks up the first type, then each `PatternBranch`
// follows a segment's id and each `PatternNode` the next segment's name. A dispatch costs the
// nesting of the action, and not the number of patterns. Where patterns may name payload keys, it
// costs the number of keys or of patterns, whichever is smaller.
//
// 1. A longer pattern wins. Among patterns of one length the first that `PatternMatch` tries wins:
//    a literal id before `[*]` before no brackets, and a nested type before a payload key.
// 2. A segment without brackets also matches a type with an id.
// 3. Below a payload key, all segments are payload keys. The key of a binding is followed as the path of an action is:
//    the ids in it are matched by 1 and 2.

import LuaBridge

/// A segment of the pattern tree: the patterns that go on behind it, by the name of the next
/// segment.
final class PatternNode {
  /// Whether a pattern ends with this segment.
  private(set) var isEnd = false
  /// The handler of the pattern that ends with this segment; nil if only the match matters, as in a
  /// test.
  private(set) var handler: Handler?
  private(set) var next = [TextKey: PatternBranch]()
  /// How many segments the longest pattern has behind this one.
  private(set) var height = 0

  /// Adds a pattern. `path` is the part of it after this segment.
  func add(_ path: ArraySlice<ActionPath.Segment>, _ handler: Handler?) {
    height = max(height, path.count)
    guard let segment = path.first else {
      isEnd = true
      self.handler = handler
      return
    }
    next[TextKey(segment.name), default: PatternBranch()].add(segment.id, path.dropFirst(), handler)
  }
}

/// The patterns that have one more segment, by the id in that segment's brackets.
struct PatternBranch {
  private(set) var byID: [Value: PatternNode] = [:]
  /// Behind `[*]`.
  private(set) var anyID: PatternNode?
  /// Behind a segment without brackets.
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
      node = byID[id] ?? PatternNode()
      byID[id] = node
    }
    node.add(path, handler)
  }

  /// The handler if this branch is one pattern that is only a type. That is the common case, and
  /// needs no search.
  var only: Handler? {
    guard byID.isEmpty, anyID == nil, let plain, plain.next.isEmpty else { return nil }
    return plain.handler
  }
}

/// The pattern that matches an action best.
struct PatternMatch {
  let node: PatternNode
  /// The action's table at the last nested type of the pattern, borrowed (+0).
  let action: Slot
  /// The ids that the `[*]` of the pattern have matched, in their order, borrowed (+0) from the action or from `key`.
  let ids: [Slot]
  let segments: Int
  /// The path of the key, for a pattern that goes on in the key of a binding.
  let key: Action?

  /// The best match, by the order at the top of this file; nil if no pattern matches.
  static func best(_ branch: PatternBranch, _ action: Slot) -> PatternMatch? {
    var best: PatternMatch?
    follow(branch, type: action, value: action, in: nil, ids: [], segments: 1, &best)
    return best
  }

  /// Follows a segment whose name has matched. `type` is the table of the last nested type. `value`
  /// is what the segment named: the same table or, in the key of a binding, that of a segment of `key`.
  private static func follow(
    _ branch: PatternBranch, type: Slot, value: Slot, in key: Action?, ids: [Slot], segments: Int,
    _ best: inout PatternMatch?
  ) {
    let id = value.field("id")
    if !id.isAbsent {
      if !branch.byID.isEmpty, let node = branch.byID[Value(borrowing: id)] {
        visit(node, type: type, value: value, in: key, ids: ids, segments: segments, &best)
      }
      if let node = branch.anyID {
        visit(node, type: type, value: value, in: key, ids: ids + [id], segments: segments, &best)
      }
    }
    if let node = branch.plain {
      visit(node, type: type, value: value, in: key, ids: ids, segments: segments, &best)
    }
  }

  private static func visit(
    _ node: PatternNode, type: Slot, value: Slot, in key: Action?, ids: [Slot], segments: Int,
    _ best: inout PatternMatch?
  ) {
    if node.isEnd, segments > best?.segments ?? 0 {
      best = PatternMatch(node: node, action: type, ids: ids, segments: segments, key: key)
    }
    guard canWin(below: node, segments, best) else { return }
    let nested = value.field("action")
    let name = nested.isContainer ? nested.field("type") : .absent
    if name.tag == .string, let branch = node.next[TextKey(name.text)] {
      follow(
        branch, type: key == nil ? nested : type, value: nested, in: key, ids: ids,
        segments: segments + 1, &best)
    }
    // The path of a key has no payload.
    guard key == nil else { return }
    followFields(node, type: type, value: value, ids: ids, segments: segments, &best)
    guard canWin(below: node, segments, best) else { return }
    // `"binding.user"` also matches a binding with the key `user.name`, and `"binding.people"` one with `people[3].name`.
    let text = value.field("key")
    if text.tag == .string, value.field("type").isText("binding"),
      let path = try? ActionPath(bindingKey: text.text),
      let branch = node.next[TextKey(path.segments[0].name)]
    {
      // No pattern goes on further.
      let key = Action(keyPath: path.segments.prefix(node.height))
      follow(
        branch, type: type, value: key.slot, in: key, ids: ids, segments: segments + 1, &best)
    }
  }

  /// Whether a pattern below `node` may have more segments than the best match so far. `segments`
  /// is the number up to `node`.
  private static func canWin(
    below node: PatternNode, _ segments: Int, _ best: PatternMatch?
  ) -> Bool {
    segments + node.height > max(segments, best?.segments ?? 0)
  }

  /// Follows payload keys; in a payload `type` and `action` have no special meaning.
  private static func followFields(
    _ node: PatternNode, type: Slot, value: Slot, ids: [Slot], segments: Int,
    _ best: inout PatternMatch?
  ) {
    guard canWin(below: node, segments, best), value.isObject else { return }
    forEachField(of: ObjectTree(borrowing: value), in: node) { next, field in
      if next.isEnd, segments + 1 > best?.segments ?? 0 {
        best = PatternMatch(node: next, action: type, ids: ids, segments: segments + 1, key: nil)
      }
      followFields(next, type: type, value: field, ids: ids, segments: segments + 1, &best)
    }
  }

  /// Calls `body` with each field of an object whose key is the next segment of a pattern, in the
  /// object's order. The fields are borrowed (+0). Costs the number of fields or of such patterns,
  /// whichever is smaller.
  private static func forEachField(
    of object: ObjectTree, in node: PatternNode, _ body: (PatternNode, Slot) -> Void
  ) {
    guard object.count > node.next.count else {
      return object.visit { key, field in
        if let next = node.next[TextKey(key.text)]?.plain { body(next, field) }
      }
    }
    var found: [(position: Int, next: PatternNode)] = []
    for (key, branch) in node.next {
      var key = key.text
      let position = key.withUTF8 { object.position(of: UnsafeRawBufferPointer($0)) }
      if let position, let next = branch.plain { found.append((position, next)) }
    }
    found.sort { $0.position < $1.position }
    for (position, next) in found { body(next, object.borrow(position)) }
  }
}

extension Action {
  /// The path of a binding's key as nested actions.
  fileprivate init(keyPath path: ArraySlice<ActionPath.Segment>) {
    var nested: Value?
    for segment in path.reversed() {
      var object: Value.Object = ["type": .string(segment.name)]
      if case .value(let id)? = segment.id { object["id"] = id }
      object["action"] = nested
      nested = .object(object)
    }
    self.init(trusted: nested ?? .null)
  }
}
