import ScriptValue

extension ForEachNode {
  final func inspectObject(
    _ context: ReduceContext, _ before: Slot, _ after: Slot, _ elements: ReducerNode?,
    _ inFlight: EffectPlace?
  ) {
    if let inFlight {
      ObjectTree.forEachRemovedKey(from: before, to: after) { key in
        inFlight.child(action, Value(borrowing: key))?.cancelAll()
      }
    }
    guard let elements else { return }
    guard let changed = ObjectTree.changedKeys(from: before, to: after) else {
      ObjectTree(borrowing: after).visit { key, value in
        let previous = before.field(key.stringBytes)
        inspectElement(context, elements, inFlight, id: key, old: previous, new: value)
      }
      return
    }
    for key in changed {
      let id = Value.string(key).ownedSlot()
      defer { id.release() }
      inspectElement(
        context, elements, inFlight, id: id, old: before.field(named: key),
        new: after.field(named: key))
    }
  }

  final func inspectList(
    _ context: ReduceContext, _ before: Slot, _ after: Slot, _ elements: ReducerNode?,
    _ inFlight: EffectPlace?
  ) {
    let key = idKey.bytes
    var removed: ((Slot) -> Void)?
    if let inFlight {
      removed = { inFlight.child(self.action, Value(borrowing: $0))?.cancelAll() }
    }
    let duplicates = context.indexes.update(
      from: before, to: after, under: key, at: listKey(context),
      visit: { old, new in
        guard let elements else { return }
        let id = ElementIDs.id(of: new, under: key)
        var old = old
        if old.isAbsent, inFlight?.child(action, Value(ifPresent: id))?.hasChildren == true {
          // The element has moved. Places below it need its old version to find children that are
          // gone.
          old =
            ElementIDs.firstAndDuplicate(of: id, under: key, in: before)
            .map { PersistentList(borrowing: before).borrow($0.position) } ?? .absent
        }
        inspectElement(context, elements, inFlight, id: id, old: old, new: new)
      }, removed: removed)
    for duplicate in duplicates {
      let element = PersistentList(borrowing: after).borrow(duplicate.second)
      warnDuplicate(
        context, ElementIDs.id(of: element, under: key), duplicate.first, duplicate.second)
    }
  }

  private func inspectElement(
    _ context: ReduceContext, _ elements: ReducerNode, _ inFlight: EffectPlace?, id: Slot,
    old: Slot, new: Slot
  ) {
    guard new.isContainer, !new.isIdentical(to: old) else { return }
    let place = inFlight?.child(action, Value(ifPresent: id))
    guard elements.inspects || place != nil else { return }
    let outer = context.elementPathHash
    context.elementPathHash = ElementIndexes.hash(outer, id)
    context.effects = place
    elements.inspect(context, old: old, new: new)
    context.effects = nil
    context.elementPathHash = outer
  }
}
