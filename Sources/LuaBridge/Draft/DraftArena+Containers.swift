import ScriptValue

/// Changes of a draft's container. Only a container that the draft owns is changed in place (2).
extension DraftArena {
  /// Overwrites a live position of the draft's container by an owned slot (+1). Copies the
  /// container first if the draft is not its only owner.
  @inline(__always)
  mutating func store(_ owned: Slot, in draft: Int32, at position: Int) {
    let entry = drafts + Int(draft)
    switch entry.pointee.container.tag {
    case .object:
      var address = entry.pointee.container.address
      if entry.pointee.isOwned && Node.isUnique(&address) {
        ObjectNode.replace(address, at: position, by: owned)
      } else {
        let copy = ObjectNode.copy(address, replacing: position, by: owned)
        setContainer(Slot(tag: .object, address: copy), of: draft)
      }
    case .list:
      if entry.pointee.isOwned {
        withList(draft) { $0.set(position, owned) }
      } else {
        let copy = ListNode.replacing(entry.pointee.container.address, position, by: owned)
        setContainer(Slot(tag: .list, address: copy), of: draft)
      }
    default:
      withObject(draft) { $0.set(position, owned) }
    }
  }

  /// Changes the draft's container as a list. It must be a list, or empty.
  @inline(__always)
  mutating func withList<R>(_ draft: Int32, _ body: (inout PersistentList) -> R) -> R {
    own(draft)
    let entry = drafts + Int(draft)
    var list = PersistentList(owning: entry.pointee.container)
    let result = body(&list)
    entry.pointee.container = list.ownedSlot()
    return result
  }

  /// Changes the draft's container as an object. It must be an object or dictionary, or empty.
  @inline(__always)
  mutating func withObject<R>(_ draft: Int32, _ body: (inout ObjectTree) -> R) -> R {
    own(draft)
    let entry = drafts + Int(draft)
    var object = ObjectTree(owning: entry.pointee.container)
    let result = body(&object)
    entry.pointee.container = object.ownedSlot()
    return result
  }

  /// Makes the draft own its container (+1), before the container is changed.
  @inline(__always)
  private mutating func own(_ draft: Int32) {
    let entry = drafts + Int(draft)
    if entry.pointee.isOwned { return }
    entry.pointee.container.retain()
    entry.pointee.isOwned = true
  }

  /// Replaces the draft's container by an owned one (+1).
  @inline(__always)
  mutating func setContainer(_ owned: Slot, of draft: Int32) {
    let entry = drafts + Int(draft)
    if entry.pointee.isOwned { entry.pointee.container.release() }
    entry.pointee.container = owned
    entry.pointee.isOwned = true
  }

  /// The draft's container (+1). The draft only borrows it afterwards.
  @inline(__always)
  mutating func takeContainer(of draft: Int32) -> Slot {
    let entry = drafts + Int(draft)
    if !entry.pointee.isOwned { entry.pointee.container.retain() }
    entry.pointee.isOwned = false
    return entry.pointee.container
  }
}
