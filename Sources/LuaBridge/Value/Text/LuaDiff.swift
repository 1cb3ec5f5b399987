/// Shows what changed between two values, as a difference in Lua syntax for people to read.
///
/// ```
///   {
///     todos = {
///       -- 2 unchanged
///       [3] = {
///         id = 3,
/// -       isComplete = false,
/// +       isComplete = true,
///         -- 1 unchanged
///       },
///       -- 99,997 unchanged
///     },
///     -- 1 unchanged
///   }
/// ```
///
/// Lines of the old value begin with `-`, of the new one with `+`, those that say where with two
/// spaces. Indices are Lua's, from 1: those of the new list, of the old one for what was removed. A
/// row's `id` is shown although it did not change.
public struct LuaDiff: Sendable {
  /// Whether removed lines are red and added ones green, by ANSI escape sequences.
  public var isColored: Bool
  /// How many lines, about, there may be before the rest is only counted.
  public var lineLimit: Int

  public init(isColored: Bool = false, lineLimit: Int = 40) {
    self.isColored = isColored
    self.lineLimit = lineLimit
  }

  /// The difference, lines without a line break at the end; nil when the values are equal, as
  /// ``Value`` compares them. Costs what changed, not what is there: O(changes × log n) when one
  /// value came from the other.
  public func text(from old: Value, to new: Value) -> String? {
    let before = old.ownedSlot()
    let after = new.ownedSlot()
    defer {
      before.release()
      after.release()
    }
    return text(from: before, to: after)
  }

  /// The same for two slots (+0).
  package func text(from old: Slot, to new: Slot) -> String? {
    guard let difference = Difference.between(old, new) else { return nil }
    var page = LuaDiffPage(isColored: isColored, lineLimit: lineLimit)
    page.add(difference, LuaDiffPage.Place(label: "", end: "", indent: 0))
    return page.text(changes: difference.changeCount)
  }
}

extension Difference {
  /// How many values were added, removed or replaced.
  fileprivate var changeCount: Int {
    switch self {
    case .replaced: 1
    case .members(let changes, _, _): changes.reduce(0) { $0 + $1.edit.changeCount }
    case .elements(let changes, _): changes.reduce(0) { $0 + $1.edit.changeCount }
    }
  }
}

extension Difference.Edit {
  fileprivate var changeCount: Int {
    if case .changed(let difference) = self { return difference.changeCount }
    return 1
  }
}
