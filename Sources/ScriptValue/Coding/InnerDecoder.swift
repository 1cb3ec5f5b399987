/// The decoder of one value.
struct InnerDecoder: Decoder {
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
      return KeyedDecodingContainer(KeyedDecoding(decoder: self, object: object))
    case .array(let list) where list.isEmpty:
      return KeyedDecodingContainer(KeyedDecoding(decoder: self, object: [:]))
    default: throw mismatch([String: Value].self, "an object")
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch value {
    case .array(let list): return UnkeyedDecoding(decoder: self, list: list)
    case .object(let object) where object.isEmpty: return UnkeyedDecoding(decoder: self, list: [])
    default: throw mismatch([Value].self, "an array")
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    SingleValueDecoding(decoder: self)
  }

  /// The decoder of `value`, which has the given key in this decoder's value.
  func child(_ value: Value, _ key: any CodingKey) -> InnerDecoder {
    InnerDecoder(value: value, codingPath: codingPath + [key], userInfo: sendableInfo)
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

  /// The context of an error at this decoder's value.
  func context(_ text: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath, debugDescription: text)
  }

  private func inexact(_ type: Any.Type) -> DecodingError {
    .dataCorrupted(context("\(value) does not fit \(type)"))
  }

  private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    let found =
      switch value {
      case .integer: "an integer"
      case .float: "a float"
      default: value.kind
      }
    let context = context("expected \(expected), found \(found)")
    if case .null = value { return .valueNotFound(type, context) }
    return .typeMismatch(type, context)
  }
}
