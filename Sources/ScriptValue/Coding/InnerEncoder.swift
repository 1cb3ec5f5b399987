/// The encoder that a type gets to encode itself.
struct InnerEncoder: Encoder {
  let encoded: EncodedValue
  let sendableInfo: [CodingUserInfoKey: any Sendable]
  var userInfo: [CodingUserInfoKey: Any] { sendableInfo }
  var codingPath: [any CodingKey] { encoded.codingPath }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    encoded.become(.object)
    return KeyedEncodingContainer(KeyedEncoding(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    encoded.become(.array)
    return UnkeyedEncoding(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValueEncoding(encoder: self)
  }

  /// The value of an element. Only the value is retained: the element is complete when its
  /// `encode(to:)` has returned.
  func value<T: Encodable>(of encodable: T, _ key: any CodingKey) throws -> Value {
    let element = EncodedValue(in: encoded, key)
    try element.encode(encodable, userInfo: sendableInfo)
    return try element.finishedElement()
  }

  /// The encoder of `nested`, which is inside this encoder's value.
  func inside(_ nested: EncodedValue) -> InnerEncoder {
    InnerEncoder(encoded: nested, sendableInfo: sendableInfo)
  }

  func integer<Number: FixedWidthInteger>(
    _ number: Number, _ key: (any CodingKey)? = nil
  ) throws -> Value {
    if let integer = Int64(exactly: number) { return .integer(integer) }
    throw EncodingError.refusal(
      of: number, path(to: key), "\(number) does not fit a 64-bit signed integer")
  }

  func float(_ number: Double, _ key: (any CodingKey)? = nil) throws -> Value {
    guard number.isFinite else { throw EncodingError.notFinite(number, path(to: key)) }
    return .float(number)
  }

  private func path(to key: (any CodingKey)?) -> [any CodingKey] {
    codingPath + (key.map { [$0] } ?? [])
  }
}
