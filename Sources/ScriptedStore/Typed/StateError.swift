import LuaBridge

/// A state that is not of the type that a ``ScriptStore`` expects.
public struct StateError: Error, Sendable, CustomStringConvertible {
  /// Where in the state: `todos[2].title`. Empty for the state itself. Indices begin with 0.
  public let path: String
  /// The type that is expected there, and other remarks.
  public let expected: String
  /// What is there; nil if there is nothing.
  public let found: Value?

  public var description: String {
    let place = path.isEmpty ? "the state" : "state.\(path)"
    let found = found.map { "is \(StateError.shortened("\($0)"))" } ?? "is absent"
    return "\(place) \(found), but \(expected); annotate the field in the script, or make the "
      + "types anew with `runner swift`"
  }

  init(_ error: any Error, decoding type: Any.Type, from value: Value) {
    var (keys, expected): ([any CodingKey], String)
    switch error as? DecodingError {
    case .typeMismatch(let type, let context)?:
      (keys, expected) = (context.codingPath, "\(type) is expected")
    case .valueNotFound(let type, let context)?:
      (keys, expected) = (context.codingPath, "\(type) is expected")
    case .keyNotFound(let key, let context)?:
      (keys, expected) = (context.codingPath + [key], "the type says that there is one")
    case .dataCorrupted(let context)?:
      (keys, expected) = (context.codingPath, context.debugDescription)
    default: (keys, expected) = ([], "\(type) is expected (\(error))")
    }
    path = keys.reduce("") { path, key in
      if let index = key.intValue { return "\(path)[\(index)]" }
      return path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)"
    }
    self.expected = expected
    found = keys.reduce(Optional(value)) { value, key in
      if let index = key.intValue, let list = value?.array {
        return list.indices.contains(index) ? list[index] : nil
      }
      return value?.object?[key.stringValue]
    }
  }

  private static func shortened(_ text: String) -> String {
    text.count > 60 ? text.prefix(60) + "…" : text
  }
}
