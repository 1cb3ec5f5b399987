import ScriptValue

/// Keeps the identity of what has not changed in a tree that was made anew.
public enum ViewTreeReuse {
  /// Returns `new` with each part that is deeply equal to the part of `old` in its place replaced
  /// by the old one's node; if all is equal, `old` itself. Rows correspond by their ids.
  ///
  /// ``ViewDifference`` then enters only what differs. O(size of `new`).
  public static func reusing(_ old: Value, in new: Value) -> Value { new.reusing(old) }
}
