/// A sequence of changes to a JSON document (RFC 6902).
///
/// ```swift
/// let patch = JSONPatch.diff(from: before, to: after)
/// print(patch.json())  // [{"op":"replace","path":"/todos/0/isComplete","value":true}]
/// let same = try patch.apply(to: before)
/// ```
public struct JSONPatch: Sendable, Hashable {
  /// One change. A path refers to the document after the previous operations.
  public enum Operation: Sendable, Hashable {
    /// Inserts an element before the index in the path (at the end if the index is `-` or the
    /// count), or sets a key.
    case add(JSONPointer, Value)
    case remove(JSONPointer)
    /// Replaces an existing value. Unlike ``add(_:_:)`` it fails if there is none.
    case replace(JSONPointer, Value)
    case move(from: JSONPointer, to: JSONPointer)
    case copy(from: JSONPointer, to: JSONPointer)
    /// Fails unless the path has an equal value, by Lua's equality (`1 == 1.0`).
    case test(JSONPointer, Value)
  }

  public var operations: [Operation]

  public init(_ operations: [Operation] = []) {
    self.operations = operations
  }

  public var isEmpty: Bool { operations.isEmpty }

  /// Returns the operations that turn `old` into `new`: only `add`, `remove` and `replace`. There are
  /// none if the values are the same in JSON. Values that are equal in Lua may differ there: `1` and
  /// `1.0`, the empty tables `[]` and `{}`, or objects with their keys in another order.
  ///
  /// Keys of objects are added at the end, so that one that moved is removed and added. So is a row,
  /// which is identified by a scalar `id`. Shared nodes are skipped: O(changes × log n) if one value was
  /// made from the other.
  public static func diff(from old: Value, to new: Value) -> JSONPatch {
    diff(from: old, to: new, at: JSONPointer())
  }

  /// Same as ``diff(from:to:)``, for values that are at a place of a document.
  package static func diff(from old: Value, to new: Value, at path: JSONPointer) -> JSONPatch {
    old.withSlot { old in
      new.withSlot { JSONPatch(Difference.between(old, $0, .inJSON), at: path) }
    }
  }

  /// Returns the operations that turn `old` into a value that is equal to `new` in Lua, where the order of
  /// keys does not count. There are none if the values are equal in Lua.
  package static func luaDiff(from old: Value, to new: Value) -> JSONPatch {
    old.withSlot { old in
      new.withSlot { JSONPatch(Difference.between(old, $0), at: JSONPointer()) }
    }
  }

  private init(_ difference: Difference?, at path: JSONPointer) {
    operations = []
    if let difference { append(difference, at: path) }
  }

  private mutating func append(_ difference: Difference, at path: JSONPointer) {
    switch difference {
    case .replaced(_, let new):
      operations.append(.replace(path, Value(borrowing: new)))
    case .members(let changes, _, _):
      for change in changes {
        append(change.edit, at: path.appending(change.key.text))
      }
    case .elements(let changes, _):
      // Everything before a change already has its final form, so the element's new index is its
      // current index.
      for change in changes {
        append(change.edit, at: path.appending(String(change.newIndex)))
      }
    }
  }

  private mutating func append(_ edit: Difference.Edit, at path: JSONPointer) {
    switch edit {
    case .removed: operations.append(.remove(path))
    case .added(let new): operations.append(.add(path, Value(borrowing: new)))
    case .changed(let difference): append(difference, at: path)
    }
  }
}

/// The reason why a patch could not be read or applied.
public struct JSONPatchError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The index of the operation that failed, from 0. Nil if the document is not a list of
  /// operations.
  public let index: Int?
  /// What is wrong, with the path or the member that is wrong.
  public let message: String

  public var description: String {
    index.map { "operation \($0): \(message)" } ?? message
  }
}
