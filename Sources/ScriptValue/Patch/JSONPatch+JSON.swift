extension JSONPatch {
  /// Reads a patch document: an array of objects with `op`, `path` and the members that the
  /// operation requires. Other members are ignored.
  public init(_ document: Value) throws(JSONPatchError) {
    guard let list = document.array else {
      throw JSONPatchError(index: nil, message: "a patch is an array of operations")
    }
    operations = []
    for (index, element) in list.enumerated() {
      operations.append(try Self.operation(element, at: index))
    }
  }

  /// Reads a patch document from JSON text.
  /// - Throws: ``JSONError`` or ``JSONPatchError``
  public init(json text: some StringProtocol) throws {
    try self.init(Value(json: text))
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

  /// The patch as a document: an array of objects. Values are shared, not copied.
  /// - Throws: ``JSONPatchError`` if a value nests more than 126 deep, because it then exceeds a
  ///   document's depth limit of 128. ``json()`` has no such limit.
  public var document: Value {
    get throws(JSONPatchError) {
      var list = Value.List()
      for (index, operation) in operations.enumerated() {
        guard let document = operation.document else {
          throw JSONPatchError(
            index: index, message: "the value nests more than \(maximumDepth - 2) deep")
        }
        list.append(document)
      }
      return .array(list)
    }
  }

  /// Returns the patch document as JSON text on one line.
  public func json() -> String {
    withJSON { bytes in String(decoding: bytes, as: UTF8.self) }
  }

  /// Appends the patch document to a buffer as JSON text in UTF-8.
  public func appendJSON(to buffer: inout [UInt8]) {
    withJSON { bytes in buffer.append(contentsOf: bytes) }
  }

  private func withJSON<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var writer = JSONWriter([])
    writer.write("[")
    for (index, operation) in operations.enumerated() {
      writer.write(index == 0 ? "{\"op\":" : ",{\"op\":")
      writer.write(string: operation.name)
      if let from = operation.from {
        writer.write(",\"from\":")
        writer.write(string: from.description)
      }
      writer.write(",\"path\":")
      writer.write(string: operation.path.description)
      if let value = operation.value {
        writer.write(",\"value\":")
        value.withSlot { writer.write($0) }
      }
      writer.write("}")
    }
    writer.write("]")
    return writer.bytes.withUnsafeBufferPointer(body)
  }
}

extension JSONPatch.Operation {
  /// The member `op` of a patch document.
  public var name: String {
    switch self {
    case .add: "add"
    case .remove: "remove"
    case .replace: "replace"
    case .move: "move"
    case .copy: "copy"
    case .test: "test"
    }
  }

  /// The path of the value that is changed or tested.
  public var path: JSONPointer {
    switch self {
    case .add(let path, _), .remove(let path), .replace(let path, _), .move(_, let path),
      .copy(_, let path), .test(let path, _):
      path
    }
  }

  /// The path from which `move` and `copy` take the value.
  public var from: JSONPointer? {
    switch self {
    case .move(let from, _), .copy(let from, _): from
    default: nil
    }
  }

  /// The value of `add`, `replace` and `test`.
  public var value: Value? {
    switch self {
    case .add(_, let value), .replace(_, let value), .test(_, let value): value
    default: nil
    }
  }

  /// The operation as an object of a patch document, or nil if its value nests too deep.
  fileprivate var document: Value? {
    var object: Value.Object = ["op": .string(name)]
    if let from { object["from"] = .string(from.description) }
    object["path"] = .string(path.description)
    if let value {
      guard value.depth <= maximumDepth - 2 else { return nil }
      object["value"] = value
    }
    return .object(object)
  }
}
