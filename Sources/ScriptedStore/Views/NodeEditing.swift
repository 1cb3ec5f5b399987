import ScriptView

/// Changes of nodes.
enum NodeEditing {
  /// A node with another node at a path of child positions, from 0.
  static func replacing(in node: Value, at path: ArraySlice<Int>, by new: Value) -> Value {
    guard let position = path.first else { return new }
    guard case .object(var object) = node, case .array(var children)? = object["children"],
      position < children.count
    else { return node }
    children[position] = replacing(in: children[position], at: path.dropFirst(), by: new)
    object["children"] = .array(children)
    return .object(object)
  }

  /// The node of a row, which is the second, third … one with its id.
  static func withOccurrence(_ occurrence: Int, _ node: Value) -> Value {
    occurrence == 1 ? node : setting("occurrence", of: node, to: .integer(Int64(occurrence)))
  }

  /// A node with another value of a property.
  static func setting(_ key: String, of node: Value, to new: Value) -> Value {
    guard case .object(var object) = node else { return node }
    object[key] = new
    return .object(object)
  }

  /// The node at a path of child positions, from 0; nil if there is none.
  static func node(at path: ArraySlice<Int>, in node: Value) -> Value.Object? {
    guard case .object(let object) = node else { return nil }
    guard let position = path.first else { return object }
    guard case .array(let children)? = object["children"], position < children.count else {
      return nil
    }
    return self.node(at: path.dropFirst(), in: children[position])
  }
}
