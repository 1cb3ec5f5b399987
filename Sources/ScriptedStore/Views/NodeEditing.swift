import LuaBridge

/// Changes of nodes. All slots are borrowed (+0) unless a comment says otherwise.
enum NodeEditing {
  /// A node (+1) with another node at a path of child positions, from 0. Consumes `owned` (+1).
  static func replacing(in node: Slot, at path: ArraySlice<Int>, by owned: Slot) -> Slot {
    guard let position = path.first else { return owned }
    let list = node.field("children")
    guard list.tag == .list, position < PersistentList.count(list) else {
      owned.release()
      return node.retained()
    }
    var children = PersistentList(borrowing: list)
    children.set(
      position, replacing(in: children.borrow(position), at: path.dropFirst(), by: owned))
    return setting("children", of: node, to: children.ownedSlot())
  }

  /// The node (+1) of a row, which is the second, third … one with its id. Consumes `owned` (+1).
  static func withOccurrence(_ occurrence: Int, _ owned: Slot) -> Slot {
    if occurrence == 1 { return owned }
    defer { owned.release() }
    return setting("occurrence", of: owned, to: .integer(Int64(occurrence)))
  }

  /// A node (+1) with another value of a property, owned (+1); absent removes the property.
  static func setting(_ key: StaticString, of node: Slot, to owned: Slot) -> Slot {
    var object = ObjectTree(borrowing: node)
    let bytes = UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
    return set(bytes, of: &object, to: owned)
  }

  static func setting(_ key: String, of node: Slot, to owned: Slot) -> Slot {
    var object = ObjectTree(borrowing: node)
    var key = key
    return key.withUTF8 { set(UnsafeRawBufferPointer($0), of: &object, to: owned) }
  }

  private static func set(
    _ key: UnsafeRawBufferPointer, of object: inout ObjectTree, to owned: Slot
  ) -> Slot {
    if let position = object.position(of: key) {
      if owned.isAbsent {
        object.remove(position).release()
        object.compact()
      } else {
        object.set(position, owned)
      }
    } else if !owned.isAbsent {
      let key = StringNode.allocate(trustedUTF8: key)
      object.set(key: key, owned)
      Node.release(key)
    }
    return object.ownedSlot()
  }

  /// The node (+0) at a path of child positions, from 0; absent if there is none.
  static func node(at path: ArraySlice<Int>, in node: Slot) -> Slot {
    guard let position = path.first else { return node }
    let list = node.field("children")
    guard list.tag == .list, position < PersistentList.count(list) else { return .absent }
    return self.node(
      at: path.dropFirst(), in: PersistentList(borrowing: list).borrow(position))
  }
}
