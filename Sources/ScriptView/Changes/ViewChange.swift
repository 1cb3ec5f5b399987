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
  /// one more child after its last one.
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

extension ViewChange {
  /// The change as an object, which `docs/view-api.md` describes. A node in it is shared, not
  /// copied.
  ///
  /// The tree may nest 128 deep, as that of a view does; then the object nests 129 deep.
  public var value: Value {
    var object: Value.Object = ["change": .string(name), "path": path.value]
    switch self {
    case .replace(_, let node): object["node"] = node
    case .set(_, let properties, let removed):
      if !properties.isEmpty { object["properties"] = .object(properties) }
      if !removed.isEmpty {
        object["removed"] = .array(Value.List(removed.lazy.map { .string($0) }))
      }
    case .insert(_, let node, let before):
      object["node"] = node
      object["before"] = before?.value
    case .remove: break
    case .move(_, let before): object["before"] = before?.value
    case .window(_, let window): object["window"] = window
    }
    return .object(object)
  }

  /// Reads the object that ``value`` makes.
  public init(_ value: Value) throws(ViewChangeError) {
    func refusal(_ message: String) -> ViewChangeError {
      ViewChangeError(index: nil, message: message)
    }
    guard case .object(let object) = value, let name = object["change"]?.string else {
      throw refusal("a change is an object with its name as `change`")
    }
    guard let path = object["path"].flatMap({ ViewPath($0) }) else {
      throw refusal("the path of `\(name)` is missing or malformed")
    }
    func node() throws(ViewChangeError) -> Value {
      guard let node = object["node"] else { throw refusal("the node of `\(name)` is missing") }
      return node
    }
    func before() throws(ViewChangeError) -> ViewPath.Row? {
      guard let before = object["before"] else { return nil }
      guard let row = ViewPath.Row(before) else { throw refusal("`before` is no row") }
      return row
    }
    switch name {
    case "replace": self = .replace(path, node: try node())
    case "set":
      guard let properties = (object["properties"] ?? [:]).object,
        let removed = (object["removed"] ?? []).array
      else { throw refusal("`properties` is no object, or `removed` no list") }
      self = .set(path, properties: properties, removed: removed.compactMap(\.string))
    case "insert": self = .insert(path, node: try node(), before: try before())
    case "remove": self = .remove(path)
    case "move": self = .move(path, before: try before())
    case "window": self = .window(path, object["window"])
    default: throw refusal("there is no change `\(name)`")
    }
  }

  /// The list of changes as a value.
  public static func value(of changes: [ViewChange]) -> Value {
    .array(Value.List(changes.lazy.map(\.value)))
  }

  /// Reads the list that ``value(of:)`` makes.
  public static func changes(_ value: Value) throws(ViewChangeError) -> [ViewChange] {
    guard let list = value.array else {
      throw ViewChangeError(index: nil, message: "changes are a list")
    }
    var changes: [ViewChange] = []
    for (index, element) in list.enumerated() {
      do throws(ViewChangeError) {
        changes.append(try ViewChange(element))
      } catch {
        throw ViewChangeError(index: index, message: error.message)
      }
    }
    return changes
  }
}
