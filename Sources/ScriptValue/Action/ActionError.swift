/// Why a value or a path is not an action.
public struct ActionError: Error, Hashable, CustomStringConvertible {
  /// What is wrong, and what is needed.
  public let message: String

  package init(_ message: String) { self.message = message }

  package init(tooDeep path: String) {
    message = "the action \"\(path)\" nests deeper than \(maximumDepth)"
  }

  public var description: String { message }
}

extension Value {
  /// The action of a child as its parent gets it. Nil if it nests deeper than values may.
  package static func nesting(_ action: Value, type: String, id: Value? = nil) -> Value? {
    guard action.depth < maximumDepth, id.map({ $0.depth < maximumDepth }) != false else {
      return nil
    }
    var object = Value.Object()
    object["type"] = .string(type)
    if let id { object["id"] = id }
    object["action"] = action
    return .object(object)
  }
}
