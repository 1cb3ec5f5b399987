/// Decodes `Decodable` types from a ``Value``. The inverse of ``ValueEncoder``.
///
/// Numbers are exact. An integer is decoded from a float only if that is integral and in range,
/// because `1 == 1.0` in Lua. A double is decoded from an integer only if it can represent the
/// integer. The empty table is both an empty array and an empty object. Errors are `DecodingError`s
/// with a coding path.
public struct ValueDecoder {
  /// The contents of `Decoder.userInfo` for the decoding types.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  public init() {}

  /// Decodes a `type` from `value`. O(size of the decoded part).
  public func decode<T: Decodable>(_ type: T.Type, from value: Value) throws -> T {
    try PlaceDecoder(value: value, codingPath: [], userInfo: userInfo).decode(type)
  }
}

/// The decoder of one value.
struct PlaceDecoder: Decoder {
  let value: Value
  let codingPath: [any CodingKey]
  let sendableInfo: [CodingUserInfoKey: any Sendable]
  var userInfo: [CodingUserInfoKey: Any] { sendableInfo }

  init(
    value: Value, codingPath: [any CodingKey], userInfo: [CodingUserInfoKey: any Sendable]
  ) {
    self.value = value
    self.codingPath = codingPath
    sendableInfo = userInfo
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch value {
    case .object(let object):
      return KeyedDecodingContainer(KeyedValues(decoder: self, object: object))
    case .array(let list) where list.isEmpty:
      return KeyedDecodingContainer(KeyedValues(decoder: self, object: [:]))
    default: throw mismatch([String: Value].self, "an object")
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch value {
    case .array(let list): return UnkeyedValues(decoder: self, list: list)
    case .object(let object) where object.isEmpty: return UnkeyedValues(decoder: self, list: [])
    default: throw mismatch([Value].self, "an array")
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleValue(decoder: self) }

  /// The decoder of `value`, which has the given key in this decoder's value.
  func child(_ value: Value, _ key: any CodingKey) -> PlaceDecoder {
    PlaceDecoder(value: value, codingPath: codingPath + [key], userInfo: sendableInfo)
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if type == Value.self, let value = value as? T { return value }
    return try T(from: self)
  }

  func boolean() throws -> Bool {
    if case .boolean(let boolean) = value { return boolean }
    throw mismatch(Bool.self, "a boolean")
  }

  func string() throws -> String {
    if case .string(let string) = value { return string }
    throw mismatch(String.self, "a string")
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

  func float() throws -> Double {
    switch value {
    case .float(let float): return float
    case .integer(let integer):
      if let number = Double(exactly: integer) { return number }
      throw inexact(Double.self)
    default: throw mismatch(Double.self, "a number")
    }
  }

  /// The nearest `Float`. A number that was encoded from a `Float` decodes unchanged.
  func singleFloat() throws -> Float {
    let number = Float(try float())
    if number.isFinite { return number }
    throw inexact(Float.self)
  }

  private func inexact(_ type: Any.Type) -> DecodingError {
    DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "\(value) does not fit \(type)"))
  }

  private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    let found =
      switch value {
      case .null: "null"
      case .boolean: "a boolean"
      case .integer: "an integer"
      case .float: "a float"
      case .string: "a string"
      case .array: "an array"
      case .object: "an object"
      }
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "expected \(expected), found \(found)")
    if case .null = value { return DecodingError.valueNotFound(type, context) }
    return DecodingError.typeMismatch(type, context)
  }
}
