import LuaBridge

/// Something for each of many paths of a state: a tree by the steps of the paths.
///
/// It compares two versions of the state, and visits only branches whose value changed. Of the nodes
/// of list elements it visits only those whose element changed.
final class PathTree<Content> {
  var content: Content
  private var keys: [TextKey: PathTree] = [:]
  private var indices: [Int: PathTree] = [:]
  /// By the field that identifies elements, then by the element's id.
  private var elements: [TextKey: [Value: PathTree]] = [:]

  init(_ content: Content) { self.content = content }

  var hasChildren: Bool { !(keys.isEmpty && indices.isEmpty && elements.isEmpty) }

  func child(at step: StatePath.Step) -> PathTree? {
    switch step {
    case .key(let key): keys[TextKey(key)]
    case .index(let index): indices[index]
    case .element(let id, let field): elements[TextKey(field)]?[id]
    }
  }

  func child(under key: String) -> PathTree? { keys[TextKey(key)] }
  func child(at index: Int) -> PathTree? { indices[index] }

  /// Sets the child at a step; nil removes it.
  func set(_ child: PathTree?, at step: StatePath.Step) {
    switch step {
    case .key(let key): keys[TextKey(key)] = child
    case .index(let index): indices[index] = child
    case .element(let id, let field):
      let field = TextKey(field)
      elements[field, default: [:]][id] = child
      if elements[field]?.isEmpty == true { elements[field] = nil }
    }
  }

  /// Removes the nodes below that have no children, that only this tree refers to, and for which
  /// `isIdle` returns true. Returns how many are left, with this one. O(nodes).
  func prune(_ isIdle: (Content) -> Bool) -> Int {
    var left = 1
    func prune(_ child: inout PathTree?) {
      let below = child?.prune(isIdle) ?? 0
      if below == 1, let content = child?.content, isIdle(content),
        isKnownUniquelyReferenced(&child)
      {
        child = nil
      } else {
        left += below
      }
    }
    for key in Array(keys.keys) { prune(&keys[key]) }
    for index in Array(indices.keys) { prune(&indices[index]) }
    for field in Array(elements.keys) {
      for id in Array((elements[field] ?? [:]).keys) { prune(&elements[field, default: [:]][id]) }
      if elements[field]?.isEmpty == true { elements[field] = nil }
    }
    return left
  }

  // MARK: Changes

  /// Calls `visit` with each node whose value differs between two versions (+0) of the value at this
  /// node, and with both versions. The versions may be equal, but are not the same node.
  func visitChanges(
    from old: Slot, to new: Slot, _ visit: (PathTree, _ old: Slot, _ new: Slot) -> Void
  ) {
    if old.isIdentical(to: new) { return }
    visit(self, old, new)
    if !keys.isEmpty { visitKeys(old, new, visit) }
    if !indices.isEmpty { visitIndices(old, new, visit) }
    for (field, children) in elements {
      visitElements(children, under: field.text, from: old, to: new, visit)
    }
  }

  private func visitKeys(_ old: Slot, _ new: Slot, _ visit: (PathTree, Slot, Slot) -> Void) {
    if keys.count > 32, let changed = ObjectTree.changedKeys(from: old, to: new) {
      for key in changed {
        keys[TextKey(key)]?.visitChanges(
          from: old.field(named: key), to: new.field(named: key), visit)
      }
      return
    }
    for (key, child) in keys {
      child.visitChanges(from: old.field(named: key.text), to: new.field(named: key.text), visit)
    }
  }

  private func visitIndices(_ old: Slot, _ new: Slot, _ visit: (PathTree, Slot, Slot) -> Void) {
    guard old.tag == .list, new.tag == .list, indices.count > 8 else {
      for (index, child) in indices {
        child.visitChanges(from: old.element(index), to: new.element(index), visit)
      }
      return
    }
    let before = PersistentList(borrowing: old)
    let after = PersistentList(borrowing: new)
    after.forEachDifference(from: before) { index, old, new in
      indices[index]?.visitChanges(from: old, to: new, visit)
      return true
    }
    for index in min(before.count, after.count)..<max(before.count, after.count) {
      indices[index]?.visitChanges(from: old.element(index), to: new.element(index), visit)
    }
  }

  private func visitElements(
    _ children: [Value: PathTree], under field: String, from old: Slot, to new: Slot,
    _ visit: (PathTree, Slot, Slot) -> Void
  ) {
    guard !old.isObject && !new.isObject else {
      for (id, child) in children {
        let step = StatePath.Step.element(id: id, field: field)
        var hint = 0
        child.visitChanges(
          from: step.look(at: old, hint: &hint), to: step.look(at: new, hint: &hint), visit)
      }
      return
    }
    var key = field
    key.withUTF8 { key in
      let moved = ElementIDs.changed(from: old, to: new, under: UnsafeRawBufferPointer(key))
      for (id, versions) in moved {
        children[id]?.visitChanges(from: versions.old, to: versions.new, visit)
      }
    }
  }
}
