import ScriptValue

/// A change of a view's tree.
///
/// Changes are made in their order. A path leads through the tree as the changes before have left
/// it.
public enum ViewChange: Sendable, Hashable {
  /// The node at a path is another one, or none (null).
  case replace(ViewPath, node: Value)
  /// Properties of the node at a path have other values, or went. A presented child that comes is a
  /// new value of `sheet`.
  case set(ViewPath, properties: Value.Object, removed: [String])
  /// The `forEach` at a path has one more row, before another one or at the end. Of any other node:
  /// one more child behind its last one.
  case insert(ViewPath, node: Value, before: ViewPath.Row?)
  /// The row of a `forEach` at a path went, or the last child of another node.
  case remove(ViewPath)
  /// The row at a path is before another row of the same `forEach`, or at the end.
  case move(ViewPath, before: ViewPath.Row?)
  /// The list at a path has another window, or none any more.
  case window(ViewPath, Value?)

  /// The path of the node that changes; of an insertion that of the node around it.
  public var path: ViewPath {
    switch self {
    case .replace(let path, _), .set(let path, _, _), .insert(let path, _, _), .remove(let path),
      .move(let path, _), .window(let path, _):
      path
    }
  }

  /// The name of the change in its value.
  public var name: String {
    switch self {
    case .replace: "replace"
    case .set: "set"
    case .insert: "insert"
    case .remove: "remove"
    case .move: "move"
    case .window: "window"
    }
  }
}

/// Why changes do not fit to a tree, or a value is no change.
public struct ViewChangeError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The index of the change, from 0; nil for a value that is no list of changes.
  public let index: Int?
  public let message: String

  init(index: Int?, message: String) {
    self.index = index
    self.message = message.asMessage
  }

  public var description: String { index.map { "change \($0): \(message)" } ?? message }
}
