import ScriptValue

// Edits for children that may be absent.
extension StateAccess {
  /// Removes the child's state from the parent's draft.
  func remove(_ context: ReduceContext, from draft: Int32) {
    var draft = draft
    for index in keys.indices.dropLast() {
      guard case .draft(let next) = context.arena.pointee.child(of: draft, key: keys[index]) else {
        return
      }
      draft = next
    }
    context.arena.pointee.removeValue(of: draft, key: keys[keys.count - 1])
  }

  /// Returns a parent's state with another state of the child, owned (+1). `state` is borrowed
  /// (+0). Consumes `owned` (+1); an absent slot removes the child's state. If the state has no
  /// such path, it is returned as it is.
  func replacing(in state: Slot, by owned: Slot) -> Slot {
    replacing(in: state, from: 0, by: owned)
  }

  private func replacing(in state: Slot, from index: Int, by owned: Slot) -> Slot {
    var object = ObjectTree(borrowing: state)
    guard let position = object.position(of: keys[index].bytes) else {
      owned.release()
      return object.ownedSlot()
    }
    if index + 1 < keys.count {
      object.set(position, replacing(in: object.borrow(position), from: index + 1, by: owned))
    } else if owned.isAbsent {
      object.remove(position).release()
      object.compact()
    } else {
      object.set(position, owned)
    }
    return object.ownedSlot()
  }
}
