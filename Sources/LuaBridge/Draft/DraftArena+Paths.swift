import CLua
import ScriptValue

/// Paths of drafts, and messages about values that do not fit into the state.
extension DraftArena {
  /// How many containers the draft is nested in, itself included.
  func depth(of draft: Int32) -> Int {
    var depth = 1
    var ancestor = drafts[Int(draft)].parent
    while ancestor >= 0 {
      depth += 1
      ancestor = drafts[Int(ancestor)].parent
    }
    return depth
  }

  /// The draft's path for messages, such as `state.todos[3]`; indices are 1-based as in Lua.
  func path(of draft: Int32) -> String {
    let parent = drafts[Int(draft)].parent
    guard parent >= 0 else { return draft == 0 ? "state" : "a removed table" }
    if parent == shared.values { return "the shared value \(sharedName(of: draft))" }
    let position = position(of: draft)
    let container = drafts[Int(parent)].container
    if container.tag == .list { return path(of: parent) + "[\(position + 1)]" }
    let key = ObjectTree(borrowing: container).keySlot(position)
    return path(of: parent) + DraftArena.segment(key.stringBytes)
  }

  /// One key of a path: `.key`, or `["odd key"]`.
  static func segment(_ key: UnsafeRawBufferPointer) -> String {
    var text = ""
    LuaSyntax.appendKey(key, to: &text)
    return text.hasPrefix("[") ? text : "." + text
  }

  /// The path of a key or index of the draft.
  func path(of draft: Int32, _ key: UnsafePointer<sl_key>) -> String {
    guard let bytes = key.pointee.bytes else { return path(of: draft) + "[\(key.pointee.integer)]" }
    let key = UnsafeRawBufferPointer(start: bytes, count: key.pointee.length)
    return path(of: draft) + DraftArena.segment(key)
  }

  /// The error for a value that would nest deeper than state may. Releases `owned` (+1).
  func tooDeep(_ owned: Slot, at path: String) -> DraftError {
    owned.release()
    return DraftError(message: "\(path): \(SL_REASON_DEPTH)")
  }

  func tooLarge() -> DraftError {
    DraftError(
      message: "what is in state, or goes there, may not have more than "
        + "\(core.pointee.limits.state) bytes, that of tables in it several times counted as often")
  }
}
