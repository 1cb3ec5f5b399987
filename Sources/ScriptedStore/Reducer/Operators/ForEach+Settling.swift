import LuaBridge

/// An element that an action has added or changed.
struct ChangedElement {
  /// The position in the new collection, from 0.
  let position: Int
  /// The id in a list, or the key in an object, borrowed (+0).
  let id: Slot
  /// The element before and after the action, both borrowed (+0). `old` is absent for a new
  /// element.
  let old: Slot
  let new: Slot
}

extension ForEachNode {
  /// The elements of `after` that are not the same in `before`. Both are borrowed (+0).
  final func changed(_ before: Slot, _ after: Slot) -> [ChangedElement] {
    var changed: [ChangedElement] = []
    if after.tag == .list {
      ElementIDs.forEachChange(from: before, to: after, under: idKey.bytes) { position, old, new in
        let id = idKey.value(in: new)
        changed.append(ChangedElement(position: position, id: id, old: old, new: new))
      }
    } else if after.isObject {
      let object = ObjectTree(borrowing: after)
      func add(_ key: Slot) {
        guard let position = object.position(of: key.stringBytes) else { return }
        let (old, new) = (before.field(key.stringBytes), object.borrow(position))
        if new.isIdentical(to: old) { return }
        changed.append(
          ChangedElement(position: position, id: object.keySlot(position), old: old, new: new))
      }
      if let keys = ObjectTree.changedKeys(from: before, to: after) {
        for key in keys {
          let key = Slot.string(key)
          add(key)
          key.release()
        }
      } else {
        object.visit { key, _ in add(key) }
      }
    }
    return changed
  }

  /// Settles changed elements of `collection`, which is borrowed (+0). Returns the new collection,
  /// owned (+1), or nil if it stays as it is.
  final func settle(
    _ changed: [ChangedElement], _ context: ReduceContext, in collection: Slot
  ) throws(ScriptError) -> Slot? {
    guard let root = element.rootToSettle(context) else { return nil }
    var settled: [(position: Int, slot: Slot)] = []
    let outer = context.elementPathHash
    defer { context.elementPathHash = outer }
    for element in changed where element.new.isContainer {
      context.elementPathHash = ElementIndexes.hash(outer, element.id)
      do throws(ScriptError) {
        let slot = try root.settle(context, old: element.old, new: element.new)
        if let slot { settled.append((element.position, slot)) }
      } catch {
        for (_, slot) in settled { slot.release() }
        throw error
      }
    }
    return settled.isEmpty ? nil : ForEachNode.replacing(settled, in: collection)
  }

  /// A collection, owned (+1), with some elements replaced. Consumes the new elements, owned (+1).
  static func replacing(
    _ elements: [(position: Int, slot: Slot)], in collection: Slot
  ) -> Slot {
    if collection.tag == .list {
      var list = PersistentList(borrowing: collection)
      for (position, slot) in elements { list.set(position, slot) }
      return list.ownedSlot()
    }
    var object = ObjectTree(borrowing: collection)
    for (position, slot) in elements { object.set(position, slot) }
    return object.ownedSlot()
  }
}
