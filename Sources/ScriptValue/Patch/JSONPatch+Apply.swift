extension JSONPatch {
  /// Returns the document that results from applying all operations to `document`. If an operation
  /// fails, none is applied: values are never changed in place. O(operations × log n).
  public func apply(to document: Value) throws(JSONPatchError) -> Value {
    var document = document
    for (index, operation) in operations.enumerated() {
      do throws(Refusal) {
        try Self.apply(operation, to: &document)
      } catch {
        throw JSONPatchError(index: index, message: error.message)
      }
    }
    return document
  }

  private struct Refusal: Error {
    var message: String
    init(_ message: String) { self.message = message }
  }

  private static func apply(
    _ operation: Operation, to document: inout Value
  ) throws(Refusal) {
    switch operation {
    case .add(let path, let value): try add(value, at: path, to: &document)
    case .remove(let path): _ = try remove(path, from: &document)
    case .replace(let path, let value):
      try checkDepth(of: value, at: path)
      try edit(&document, path.tokens[...], path) { (_: Value) throws(Refusal) in value }
    case .move(let from, let to):
      if from.isProperPrefix(of: to) {
        throw Refusal("cannot move \"\(from)\" to \"\(to)\", which lies inside it")
      }
      let value = try remove(from, from: &document)
      try add(value, at: to, to: &document)
    case .copy(let from, let to): try add(try value(at: from, in: document), at: to, to: &document)
    case .test(let path, let expected):
      let found = try value(at: path, in: document)
      if found != expected {
        throw Refusal("test failed: \"\(path)\" is not what was expected")
      }
    }
  }

  // MARK: Reading

  private static func value(at path: JSONPointer, in document: Value) throws(Refusal) -> Value {
    var value = document
    for (step, token) in path.tokens.enumerated() {
      guard let child = child(token, of: value) else { throw missing(path, upTo: step) }
      value = child
    }
    return value
  }

  private static func child(_ token: String, of value: Value) -> Value? {
    switch value {
    case .object(let object): return object[token]
    case .array(let list):
      guard let index = index(token), index < list.count else { return nil }
      return list[index]
    default: return nil
    }
  }

  /// An array index by RFC 6901: digits without a leading zero. Nil for any other token.
  private static func index(_ token: String) -> Int? {
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      token == "0" || token.utf8.first != UInt8(ascii: "0")
    else { return nil }
    return Int(token)
  }

  private static func missing(_ path: JSONPointer, upTo step: Int) -> Refusal {
    Refusal("there is nothing at \"\(JSONPointer(tokens: Array(path.tokens[...step])))\"")
  }

  // MARK: Writing

  /// Replaces the value at the path `tokens` by the result of `change`.
  private static func edit(
    _ value: inout Value, _ tokens: ArraySlice<String>, _ path: JSONPointer,
    _ change: (Value) throws(Refusal) -> Value
  ) throws(Refusal) {
    guard let token = tokens.first else {
      value = try change(value)
      return
    }
    guard var child = child(token, of: value) else { throw missing(path, upTo: tokens.startIndex) }
    try edit(&child, tokens.dropFirst(), path, change)
    switch value {
    case .object(var object):
      object[token] = child
      value = .object(object)
    case .array(var list):
      if let index = index(token) { list[index] = child }
      value = .array(list)
    default: break
    }
  }

  private static func checkDepth(of value: Value, at path: JSONPointer) throws(Refusal) {
    guard path.tokens.count + value.depth > maximumDepth else { return }
    throw Refusal("the value at \"\(path)\" would nest more than \(maximumDepth) deep")
  }

  private static func add(
    _ new: Value, at path: JSONPointer, to document: inout Value
  ) throws(Refusal) {
    try checkDepth(of: new, at: path)
    guard let last = path.tokens.last else {
      document = new
      return
    }
    try edit(&document, path.tokens.dropLast(), path) { (parent: Value) throws(Refusal) -> Value in
      switch parent {
      case .object(var object):
        object[last] = new
        return .object(object)
      case .array(var list):
        let position = last == "-" ? list.count : index(last)
        guard let position else {
          // The empty table is also an object.
          if list.isEmpty { return .object([last: new]) }
          throw Refusal("\"\(path)\" does not end in an index of the array")
        }
        guard position <= list.count else {
          throw Refusal("\"\(path)\" is beyond the end of the array of \(list.count)")
        }
        list.insert(new, at: position)
        return .array(list)
      default: throw Refusal("\"\(path)\" is not inside an array or object")
      }
    }
  }

  /// Removes the value at `path` and returns it.
  private static func remove(
    _ path: JSONPointer, from document: inout Value
  ) throws(Refusal) -> Value {
    let removed = try value(at: path, in: document)
    guard let last = path.tokens.last else {
      document = .null
      return removed
    }
    try edit(&document, path.tokens.dropLast(), path) { (parent: Value) throws(Refusal) -> Value in
      switch parent {
      case .object(var object):
        object[last] = nil
        return .object(object)
      case .array(var list):
        if let index = index(last) { list.remove(at: index) }
        return .array(list)
      default: return parent
      }
    }
    return removed
  }
}
