/// Shows the changes between two values, for people, in Lua syntax.
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
/// Lines of the old value begin with `-`, and lines of the new value with `+`. Lines that show the
/// location begin with two spaces. Indices count from 1, as in Lua. They are those of the new list;
/// for a removed element, those of the old list. The `id` of a row is shown even if it has not
/// changed.
public struct LuaDiff: Sendable {
  /// Whether removed lines are red and added lines are green, by ANSI escape sequences.
  public var isColored: Bool
  /// The approximate number of lines after which the remaining changes are only counted.
  public var lineLimit: Int

  public init(isColored: Bool = false, lineLimit: Int = 40) {
    self.isColored = isColored
    self.lineLimit = lineLimit
  }

  /// Returns the difference as lines, without a line break at the end. Nil if the values are equal
  /// as ``Value`` compares them. The cost is that of the change: O(changes × log n) if one value
  /// was made from the other.
  public func text(from old: Value, to new: Value) -> String? {
    old.withSlot { old in new.withSlot { text(from: old, to: $0) } }
  }

  /// Same as the public function, for two slots (+0).
  package func text(from old: Slot, to new: Slot) -> String? {
    guard let difference = Difference.between(old, new) else { return nil }
    var page = LuaDiffPage(isColored: isColored, lineLimit: lineLimit)
    page.add(difference, LuaDiffPage.LineFrame(label: "", suffix: "", indent: 0))
    return page.text(changes: difference.changeCount)
  }
}

extension Difference {
  /// The number of values that were added, removed or replaced.
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
