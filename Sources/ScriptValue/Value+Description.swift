extension Value: CustomStringConvertible, CustomDebugStringConvertible {
  /// The value in Lua syntax on one line: `{ id = 1, title = "Milk" }`, `{ 1, 2.0, null }`. O(n).
  public var description: String {
    let slot = ownedSlot()
    defer { slot.release() }
    var text = ""
    LuaSyntax.append(slot, to: &text)
    return text
  }

  /// Same as ``description``.
  public var debugDescription: String { description }
}

extension Value.List: CustomStringConvertible, CustomDebugStringConvertible {
  /// The list in Lua syntax on one line. O(n).
  public var description: String { Value.array(self).description }

  /// Same as ``description``.
  public var debugDescription: String { description }
}

extension Value.Object: CustomStringConvertible, CustomDebugStringConvertible {
  /// The object in Lua syntax on one line. O(n).
  public var description: String { Value.object(self).description }

  /// Same as ``description``.
  public var debugDescription: String { description }
}
