import ScriptValue

/// An action at one level of the reducer tree.
struct ActionCursor: ~Copyable {
  /// The action's table, borrowed (+0).
  let slot: Slot
  /// The number of the action's type in the domain's ``NameTable``; -1 for an unknown type.
  let type: Int
}

/// The keys that each level of the tree reads from an action's table. Each key remembers its
/// position in 64 shapes; with 8, the shapes of different actions collided.
struct ActionKeys: ~Copyable {
  let type = FieldKey("type", sizeBits: 6)
  let id = FieldKey("id", sizeBits: 6)
  let action = FieldKey("action", sizeBits: 6)
}
