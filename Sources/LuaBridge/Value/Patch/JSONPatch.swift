/// A sequence of changes to a JSON document (RFC 6902).
///
/// ```swift
/// let patch = JSONPatch.diff(from: before, to: after)
/// print(patch.json())  // [{"op":"replace","path":"/todos/0/isComplete","value":true}]
/// let same = try patch.apply(to: before)
/// ```
public struct JSONPatch: Sendable, Hashable {
  /// One change. Paths are those of the document as the operations before have left it.
  public enum Operation: Sendable, Hashable {
    /// Inserts before an element (`-`, or the count: at the end), or sets a key.
    case add(JSONPointer, Value)
    case remove(JSONPointer)
    /// Replaces what is there; unlike ``add(_:_:)`` it must be.
    case replace(JSONPointer, Value)
    case move(from: JSONPointer, to: JSONPointer)
    case copy(from: JSONPointer, to: JSONPointer)
    /// Fails unless an equal value is there, equal as in Lua (`1 == 1.0`).
    case test(JSONPointer, Value)
  }

  public var operations: [Operation]

  public init(_ operations: [Operation] = []) {
    self.operations = operations
  }

  public var isEmpty: Bool { operations.isEmpty }

  /// The operations, `add`, `remove` and `replace` only, that turn `old` into a value equal to
  /// `new`; none when they are equal, `1` and `1.0` and all empty tables being so. The order of an
  /// object's keys is not kept.
  ///
  /// Rows are recognized by a scalar `id`, so that one that moved is removed and added, not
  /// rewritten. Costs what changed, as shared nodes are stepped over: O(changes × log n) when one
  /// value came from the other.
  public static func diff(from old: Value, to new: Value) -> JSONPatch {
    let before = old.ownedSlot()
    let after = new.ownedSlot()
    defer {
      before.release()
      after.release()
    }
    return JSONPatch(from: before, to: after)
  }

  /// The same for two slots (+0).
  package init(from old: Slot, to new: Slot) {
    operations = []
    if let difference = Difference.between(old, new) { append(difference, at: JSONPointer()) }
  }

  private mutating func append(_ difference: Difference, at place: JSONPointer) {
    switch difference {
    case .replaced(_, let new):
      operations.append(.replace(place, Value(borrowing: new)))
    case .members(let changes, _, _):
      for change in changes {
        let key = String(decoding: change.key.stringBytes, as: UTF8.self)
        append(change.edit, at: place.appending(key))
      }
    case .elements(let changes, _):
      // What lies before a change is already as it will be, so its new index is its place now.
      for change in changes {
        append(change.edit, at: place.appending(String(change.newIndex)))
      }
    }
  }

  private mutating func append(_ edit: Difference.Edit, at place: JSONPointer) {
    switch edit {
    case .removed: operations.append(.remove(place))
    case .added(let new): operations.append(.add(place, Value(borrowing: new)))
    case .changed(let difference): append(difference, at: place)
    }
  }
}

/// Why a patch could not be read or applied.
public struct JSONPatchError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The operation that failed, from 0; nil if the document is not a list of operations.
  public let index: Int?
  /// What is wrong, with the place that it is about.
  public let message: String

  public var description: String {
    index.map { "operation \($0): \(message)" } ?? message
  }
}
