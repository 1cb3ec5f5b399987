/// The keyed container of an object.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: InnerDecoder
  let object: Value.Object
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { object.keys.compactMap { Key(stringValue: $0) } }

  private func decoder(for key: any CodingKey, _ type: Any.Type) throws -> InnerDecoder {
    if let value = object[key.stringValue] { return decoder.child(value, key) }
    throw decoder.missing(key, type)
  }

  func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool {
    guard let value = object[key.stringValue] else { throw decoder.missing(key, Value.self) }
    return value.isNull
  }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try decoder(for: key, type).boolean()
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decoder(for: key, type).string()
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decoder(for: key, type).float()
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try decoder(for: key, type).singleFloat()
  }
  func decode<Number: FixedWidthInteger & Decodable>(
    _ type: Number.Type, forKey key: Key
  ) throws -> Number {
    try decoder(for: key, type).integer()
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard let value = object[key.stringValue] else { throw decoder.missing(key, type) }
    return try decoder.decode(type, from: value, at: .key(key.stringValue), key)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(for: key, [String: Value].self).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(for: key, [Value].self).unkeyedContainer()
  }

  /// The value under the key `super`, or null if the key is missing.
  func superDecoder() throws -> any Decoder {
    decoder.child(object["super"] ?? .null, PathKey("super"))
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    decoder.child(object[key.stringValue] ?? .null, key)
  }
}

/// The unkeyed container of an array.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
  let decoder: InnerDecoder
  let list: Value.List
  var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { list.count }
  var isAtEnd: Bool { currentIndex >= list.count }

  init(decoder: InnerDecoder, list: Value.List) {
    self.decoder = decoder
    self.list = list
  }

  private func nextDecoder() throws -> InnerDecoder {
    if !isAtEnd { return decoder.child(list[currentIndex], PathKey(currentIndex)) }
    throw DecodingError.valueNotFound(
      Value.self,
      DecodingError.Context(
        codingPath: codingPath + [PathKey(currentIndex)],
        debugDescription: "the array has only \(list.count) elements"))
  }

  /// Decodes the next element. The index only advances if decoding succeeds, as the protocol
  /// requires.
  private mutating func next<T>(_ decode: (InnerDecoder) throws -> T) throws -> T {
    let result = try decode(nextDecoder())
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    guard try nextDecoder().value == .null else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.boolean() } }
  mutating func decode(_ type: String.Type) throws -> String { try next { try $0.string() } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.float() } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.singleFloat() } }
  mutating func decode<Number: FixedWidthInteger & Decodable>(
    _ type: Number.Type
  ) throws -> Number {
    try next { try $0.integer() }
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    guard decoder.record != nil, !isAtEnd else { return try next { try $0.decode(type) } }
    let result = try decoder.decode(
      type, from: list[currentIndex], at: .index(currentIndex), PathKey(currentIndex))
    currentIndex += 1
    return result
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}

/// The single-value container.
struct SingleValueDecoding: SingleValueDecodingContainer {
  let decoder: InnerDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value == .null }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.boolean() }
  func decode(_ type: String.Type) throws -> String { try decoder.string() }
  func decode(_ type: Double.Type) throws -> Double { try decoder.float() }
  func decode(_ type: Float.Type) throws -> Float { try decoder.singleFloat() }
  func decode<Number: FixedWidthInteger & Decodable>(
    _ type: Number.Type
  ) throws -> Number {
    try decoder.integer()
  }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
}
