/// The decoder of one value.
struct InnerDecoder: Decoder {
  let value: Value
  private let path: LinkedCodingPath?
  let sendableInfo: [CodingUserInfoKey: any Sendable]
  /// Gets what is made of the containers in the value; nil if that is not to be reused.
  let record: DecodedNode?
  var userInfo: [CodingUserInfoKey: Any] { sendableInfo }
  var codingPath: [any CodingKey] { path?.keys ?? [] }

  init(
    value: Value, path: LinkedCodingPath?, userInfo: [CodingUserInfoKey: any Sendable],
    record: DecodedNode? = nil
  ) {
    self.value = value
    self.path = path
    sendableInfo = userInfo
    self.record = record
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch value {
    case .object(let object):
      return KeyedDecodingContainer(KeyedDecoding(decoder: self, object: object))
    case .array(let list) where list.isEmpty:
      return KeyedDecodingContainer(KeyedDecoding(decoder: self, object: [:]))
    default: throw mismatch([String: Value].self, "an object", name: "an object")
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch value {
    case .array(let list): return UnkeyedDecoding(decoder: self, list: list)
    case .object(let object) where object.isEmpty: return UnkeyedDecoding(decoder: self, list: [])
    default: throw mismatch([Value].self, "an array", name: "an array")
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    SingleValueDecoding(decoder: self)
  }

  /// The decoder of `value`, which has the given key in this decoder's value.
  func child(_ value: Value, _ key: any CodingKey, record: DecodedNode? = nil) -> InnerDecoder {
    InnerDecoder(
      value: value, path: LinkedCodingPath(key, below: path), userInfo: sendableInfo,
      record: record)
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if type == Value.self, let value = value as? T { return value }
    return try scriptForm(type) ?? T(from: self)
  }

  /// Decodes a part of this decoder's value, or reuses the result of its last decoding.
  func decode<T: Decodable>(
    _ type: T.Type, from part: Value, at step: @autoclosure () -> ValuePath.Component,
    _ key: any CodingKey
  ) throws -> T {
    guard let record, part.isFilledContainer, type != Value.self else {
      return try child(part, key).decode(type)
    }
    return try record.decode(type, from: part, at: step()) { child(part, key, record: $0) }
  }

  func boolean() throws -> Bool {
    if case .boolean(let boolean) = value { return boolean }
    throw mismatch(Bool.self, "a boolean")
  }

  /// - Parameter type: the type that is made of the string, for errors.
  func string(for type: Any.Type = String.self) throws -> String {
    if case .string(let string) = value { return string }
    throw mismatch(type, "a string")
  }

  func integer<Number: FixedWidthInteger>() throws -> Number {
    switch value {
    case .integer(let integer):
      if let number = Number(exactly: integer) { return number }
    case .float(let float):
      if let number = Number(exactly: float) { return number }
    default: throw mismatch(Number.self, "an integer")
    }
    throw inexact(Number.self)
  }

  /// - Parameter type: the type that is made of the number, for errors.
  func float(for type: Any.Type = Double.self) throws -> Double {
    switch value {
    case .float(let float): return float
    case .integer(let integer):
      if let number = Double(exactly: integer) { return number }
      throw inexact(type)
    default: throw mismatch(type, "a number")
    }
  }

  /// The nearest `Float`. A number that was encoded from a `Float` decodes unchanged.
  func singleFloat() throws -> Float {
    let number = Float(try float())
    if number.isFinite { return number }
    throw inexact(Float.self)
  }
}

// Errors.
extension InnerDecoder {
  /// The error for a key that the value does not have.
  func missing(_ key: any CodingKey, _ type: Any.Type) -> DecodingError {
    let error = ValueTypeError(
      path: ValuePath(codingPath: codingPath).appending(.key(key.stringValue)),
      expected: "\(type)", found: "nothing")
    return .keyNotFound(
      key,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "no value for the key \"\(key.stringValue)\"",
        underlyingError: error))
  }

  private func context(_ text: String, _ expected: String, _ found: String)
    -> DecodingError.Context
  {
    let error = ValueTypeError(
      path: ValuePath(codingPath: codingPath), expected: expected, found: found)
    return DecodingError.Context(
      codingPath: codingPath, debugDescription: text, underlyingError: error)
  }

  func inexact(_ type: Any.Type) -> DecodingError {
    .dataCorrupted(context("\(value) does not fit \(type)", "\(type)", "\(value)"))
  }

  private func mismatch(
    _ type: Any.Type, _ expected: String, name: String? = nil
  ) -> DecodingError {
    let found =
      switch value {
      case .integer: "an integer"
      case .float: "a float"
      default: value.kind
      }
    let context = context("expected \(expected), found \(found)", name ?? "\(type)", found)
    if case .null = value { return .valueNotFound(type, context) }
    return .typeMismatch(type, context)
  }
}
