/// The changes that turn one list of rows into another, as a table of a database takes them: by the ids
/// of the rows.
///
/// 1. They are made in this order: `removed`, `updated`, `runs`. A row that moves is removed and inserted.
/// 2. The rows that are neither removed nor inserted have the same order in both lists.
///
/// Shared nodes of the lists are skipped: O(changes × log n).
public struct RowChanges: Sendable {
  public struct Row: Sendable {
    /// A string or a number.
    public let id: Value
    /// The row itself, which contains the id.
    public let value: Value
  }

  /// Rows that are inserted one behind the other.
  public struct Run: Sendable {
    public let rows: [Row]
    /// The id of the row before them; nil if they are the first rows of the list.
    public let previous: Value?
    /// The id of the row behind them, which is not inserted; nil if they are the last rows.
    public let next: Value?
  }

  /// The ids of removed rows.
  public private(set) var removed: [Value] = []
  /// Rows whose content differs, and which stay where they are.
  public private(set) var updated: [Row] = []
  /// In the order of the list.
  public private(set) var runs: [Run] = []

  public var isEmpty: Bool { removed.isEmpty && updated.isEmpty && runs.isEmpty }

  /// A row that no table can have.
  package struct Failure: Error {
    package let message: String
  }

  /// - Parameter field: the field of a row that is its id.
  /// - Throws: if a new row is no object with an id. Whether two rows have one id is not checked.
  package init(from old: Value.List, to new: Value.List, id field: String) throws(Failure) {
    let key = Array(field.utf8)
    var inserted: [Range<Int>] = []
    for (before, after) in RowChanges.changedIndices(from: old, to: new) {
      let oldID = before.flatMap { RowChanges.id($0, in: old, key) }
      if let after, let oldID, oldID == RowChanges.id(after, in: new, key) {
        updated.append(Row(id: oldID, value: new[after]))
        continue
      }
      if let oldID { removed.append(oldID) }
      guard let after else { continue }
      if let last = inserted.last, last.upperBound == after {
        inserted[inserted.count - 1] = last.lowerBound..<after + 1
      } else {
        inserted.append(after..<after + 1)
      }
    }
    for range in inserted {
      var rows: [Row] = []
      for index in range {
        guard let id = RowChanges.id(index, in: new, key) else {
          throw Failure(
            message: "row \(index + 1) is no table whose '\(field)' is a string or a number")
        }
        // A text of SQLite ends at a zero byte, so the row would not be found again.
        guard id.string?.utf8.contains(0) != true else {
          throw Failure(message: "the '\(field)' of row \(index + 1) has a zero byte in it")
        }
        rows.append(Row(id: id, value: new[index]))
      }
      runs.append(
        Run(
          rows: rows,
          previous: range.lowerBound > 0 ? RowChanges.id(range.lowerBound - 1, in: new, key) : nil,
          next: range.upperBound < new.count ? RowChanges.id(range.upperBound, in: new, key) : nil))
    }
  }

  /// The id of the row at an index; nil if it has none.
  private static func id(_ index: Int, in list: Value.List, _ key: [UInt8]) -> Value? {
    withExtendedLifetime(list) {
      let id = key.withUnsafeBytes { list.storage.borrow(index).field($0) }
      guard !id.isAbsent, !id.isContainer else { return nil }
      let value = Value(borrowing: id)
      guard value.string != nil || value.double != nil else { return nil }
      return value
    }
  }

  /// The indices of rows that were removed (no `after`), inserted (no `before`) or changed, in order.
  private static func changedIndices(
    from old: Value.List, to new: Value.List
  ) -> [(before: Int?, after: Int?)] {
    if old.isEmpty || new.isEmpty {
      return old.indices.map { ($0, nil) } + new.indices.map { (nil, $0) }
    }
    return withExtendedLifetime((old, new)) {
      let difference = Difference.between(old.storage.borrowedSlot, new.storage.borrowedSlot)
      guard case .elements(let changes, _)? = difference else { return [] }
      return changes.map { change in
        switch change.edit {
        case .removed: (change.oldIndex, nil)
        case .added: (nil, change.newIndex)
        case .changed: (change.oldIndex, change.newIndex)
        }
      }
    }
  }
}
