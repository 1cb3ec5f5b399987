import LuaBridge

extension ForEachNode {
  /// Walks the elements in a parent's state (+0, borrowed). Returns the new parent state, owned
  /// (+1); nil if nothing changed.
  final func walkElements(_ walk: StateWalk, in parent: Slot) throws(ScriptError) -> Slot? {
    let found = state.childState(in: parent)
    let path = "." + (state.key ?? "")
    guard found.isContainer else {
      if walk.checks && !found.isAbsent {
        throw walk.refusal("must be a list (\(origin)), not \(Value(borrowing: found))", at: path)
      }
      return nil
    }
    return try walk.under(path, state.path) { () throws(ScriptError) in
      let elements = ForEachNode.elements(of: found)
      if walk.checks {
        for (_, segment, element) in elements where !element.isContainer {
          throw walk.refusal(
            "must be a table (\(origin)), not \(Value(borrowing: element))", at: segment)
        }
        if found.tag == .list { try checkIDs(elements, walk) }
      }
      let root = try element.domain().root
      var changed: [(position: Int, slot: Slot)] = []
      do throws(ScriptError) {
        for (position, segment, element) in elements where element.isContainer {
          let new = try walk.under(segment, [nil]) { () throws(ScriptError) in
            try root.walk(walk, element)
          }
          if let new { changed.append((position, new)) }
        }
      } catch {
        for (_, slot) in changed { slot.release() }
        throw error
      }
      if changed.isEmpty { return nil }
      let collection = ForEachNode.replacing(changed, in: found)
      return state.replacing(in: parent, by: collection)
    }
  }

  private typealias Elements = [(position: Int, segment: String, element: Slot)]

  /// The elements of a list or object, borrowed (+0), with the path segments that messages show.
  private static func elements(of collection: Slot) -> Elements {
    var elements: Elements = []
    if collection.tag == .list {
      PersistentList(borrowing: collection).visit {
        elements.append((elements.count, "[\(elements.count + 1)]", $0))
      }
    } else if collection.isObject {
      ObjectTree(borrowing: collection).visit {
        elements.append((elements.count, ".\($0.text)", $1))
      }
    }
    return elements
  }

  private func checkIDs(_ elements: Elements, _ walk: StateWalk) throws(ScriptError) {
    let name = idKey.text
    var seen: [Value: String] = [:]
    for (_, segment, element) in elements {
      let id = idKey.value(in: element)
      guard !id.isAbsent, id.tag != .null else {
        throw walk.refusal("has no '\(name)', by which \(origin) finds it", at: segment)
      }
      let value = Value(borrowing: id)
      if let other = seen[value] {
        throw walk.refusal("has the \(name) \(value), which \(other) has (\(origin))", at: segment)
      }
      seen[value] = segment
    }
  }
}
