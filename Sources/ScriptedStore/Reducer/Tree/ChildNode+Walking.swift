import LuaBridge

extension ChildNode {
  /// Walks the child's part of a parent's state (+0, borrowed). Returns the new parent state, owned
  /// (+1); nil if nothing changed.
  final func walkChild(_ walk: StateWalk, in parent: Slot) throws(ScriptError) -> Slot? {
    // A script's functions compute this child's state from the parent's each time. There is nothing
    // stored to migrate.
    guard state.isPath else { return nil }
    let found = state.childState(in: parent)
    let path = "." + (state.key ?? "")
    guard found.isContainer else {
      if walk.checks && !found.isAbsent && found.tag != .null {
        throw walk.refusal("must be a table (\(origin)), not \(Value(borrowing: found))", at: path)
      }
      return nil
    }
    let root = try child.domain().root
    let new = try walk.under(path, state.path) { () throws(ScriptError) in
      try root.walk(walk, found)
    }
    return new.map { state.replacing(in: parent, by: $0) }
  }
}
