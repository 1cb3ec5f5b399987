extension JSONPatch {
  /// Reads a patch document: an array of objects with `op`, `path` and what the operation needs. Members that it
  /// does not need are ignored.
  public init(_ document: Value) throws(JSONPatchError) {
    guard let list = Self.elements(of: document) else {
      throw JSONPatchError(index: nil, message: "a patch is an array of operations")
    }
    operations = []
    for (index, element) in list.enumerated() {
      operations.append(try Self.operation(element, at: index))
    }
  }

  /// Reads a patch document from JSON text. Throws a ``JSONError`` or a ``JSONPatchError``.
  public init(json text: some StringProtocol) throws {
    try self.init(Value(json: text))
  }

  private static func elements(of document: Value) -> Value.List? {
    switch document {
    case .array(let list): list
    case .object(let object) where object.isEmpty: []
    default: nil
    }
  }

  private static func operation(
    _ element: Value, at index: Int
  ) throws(JSONPatchError) -> Operation {
    func refusal(_ message: String) -> JSONPatchError {
      JSONPatchError(index: index, message: message)
    }
    guard case .object(let members) = element else { throw refusal("not an object") }
    func pointer(_ key: String) throws(JSONPatchError) -> JSONPointer {
      guard case .string(let text)? = members[key] else {
        throw refusal("\"\(key)\" is missing or not a string")
      }
      guard let pointer = JSONPointer(text) else {
        throw refusal("\"\(text)\" is not a JSON Pointer")
      }
      return pointer
    }
    func value() throws(JSONPatchError) -> Value {
      if let value = members["value"] { return value }
      throw refusal("\"value\" is missing")
    }
    guard case .string(let op)? = members["op"] else {
      throw refusal("\"op\" is missing or not a string")
    }
    switch op {
    case "add": return .add(try pointer("path"), try value())
    case "remove": return .remove(try pointer("path"))
    case "replace": return .replace(try pointer("path"), try value())
    case "move": return .move(from: try pointer("from"), to: try pointer("path"))
    case "copy": return .copy(from: try pointer("from"), to: try pointer("path"))
    case "test": return .test(try pointer("path"), try value())
    default: throw refusal("\"\(op)\" is not an operation of RFC 6902")
    }
  }

  /// The patch document, an array of objects. Values are shared, not copied.
  public var value: Value { .array(Value.List(operations.map { $0.value })) }

  /// The patch document as JSON text.
  public func json(_ options: JSONOptions = []) -> String { value.json(options) }
}

extension JSONPatch.Operation {
  /// The operation as a patch document writes it.
  public var value: Value {
    switch self {
    case .add(let path, let value):
      ["op": "add", "path": .string(path.description), "value": value]
    case .remove(let path): ["op": "remove", "path": .string(path.description)]
    case .replace(let path, let value):
      ["op": "replace", "path": .string(path.description), "value": value]
    case .move(let from, let path):
      ["op": "move", "from": .string(from.description), "path": .string(path.description)]
    case .copy(let from, let path):
      ["op": "copy", "from": .string(from.description), "path": .string(path.description)]
    case .test(let path, let value):
      ["op": "test", "path": .string(path.description), "value": value]
    }
  }
}
