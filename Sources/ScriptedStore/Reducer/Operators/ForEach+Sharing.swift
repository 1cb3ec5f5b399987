import LuaBridge

extension ForEachNode {
  /// Runs ``react(_:_:old:_:)`` of each element. `old` is the collection from before the action,
  /// borrowed (+0). O(elements).
  final func reactElements(
    _ context: ReduceContext, _ collection: Int32, old: Slot, _ action: Slot
  ) throws(ScriptError) -> ReturnedEffects {
    let container = context.arena.pointee.peek(collection)
    var effect = ReturnedEffects.none
    let outer = context.elementPathHash
    defer { context.elementPathHash = outer }
    let root = try element.domain().root
    for position in 0..<ForEachNode.positions(of: container) {
      guard case .draft(let draft) = context.arena.pointee.child(of: collection, at: position)
      else {
        continue
      }
      let id =
        container.tag == .list
        ? idKey.value(in: context.arena.pointee.peek(draft))
        : ObjectTree(borrowing: container).keySlot(position)
      guard !id.isAbsent else { continue }
      context.elementPathHash = ForEachNode.hash(outer, id, in: container)
      let before = element(with: id, in: old, context)
      let one = try presenting(context) { () throws(ScriptError) in
        try root.react(context, draft, old: before, action)
      }
      if one.isNone { continue }
      effect = effect.followed(by: nested(one, context, collection, id))
    }
    return effect
  }

  /// The number of positions of a collection (+0), some of which may be free in a dictionary.
  private static func positions(of collection: Slot) -> Int {
    switch collection.tag {
    case .list: PersistentList.count(collection)
    case .object, .dictionary: ObjectTree(borrowing: collection).positionLimit
    default: 0
    }
  }
}
