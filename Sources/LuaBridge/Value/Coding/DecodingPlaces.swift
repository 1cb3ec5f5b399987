/// The keyed container of an object.
struct KeyedValues<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: PlaceDecoder
  let object: Value.Object
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { object.keys.compactMap { Key(stringValue: $0) } }

  private func place(_ key: any CodingKey) throws -> PlaceDecoder {
    if let value = object[key.stringValue] { return decoder.child(value, key) }
    throw DecodingError.keyNotFound(
      key,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "no value for the key \"\(key.stringValue)\""))
  }

  func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try place(key).value == .null }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try place(key).boolean() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try place(key).string() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try place(key).float() }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try place(key).singleFloat() }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try place(key).integer() }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try place(key).integer() }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try place(key).integer() }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try place(key).integer() }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try place(key).integer() }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try place(key).integer() }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try place(key).integer() }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try place(key).integer() }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try place(key).integer() }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try place(key).integer() }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try place(key).decode(type)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try place(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try place(key).unkeyedContainer()
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
struct UnkeyedValues: UnkeyedDecodingContainer {
  let decoder: PlaceDecoder
  let list: Value.List
  var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { list.count }
  var isAtEnd: Bool { currentIndex >= list.count }

  init(decoder: PlaceDecoder, list: Value.List) {
    self.decoder = decoder
    self.list = list
  }

  private func place() throws -> PlaceDecoder {
    if !isAtEnd { return decoder.child(list[currentIndex], PathKey(currentIndex)) }
    throw DecodingError.valueNotFound(
      Value.self,
      DecodingError.Context(
        codingPath: codingPath + [PathKey(currentIndex)],
        debugDescription: "the array has only \(list.count) elements"))
  }

  /// Decodes the next element. The index only advances if decoding succeeds, as the protocol
  /// requires.
  private mutating func next<T>(_ decode: (PlaceDecoder) throws -> T) throws -> T {
    let result = try decode(place())
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    guard try place().value == .null else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.boolean() } }
  mutating func decode(_ type: String.Type) throws -> String { try next { try $0.string() } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.float() } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.singleFloat() } }
  mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.integer() } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.integer() } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.integer() } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.integer() } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.integer() } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.integer() } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.integer() } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.integer() } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.integer() } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.integer() } }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try next { try $0.decode(type) }
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
struct SingleValue: SingleValueDecodingContainer {
  let decoder: PlaceDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value == .null }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.boolean() }
  func decode(_ type: String.Type) throws -> String { try decoder.string() }
  func decode(_ type: Double.Type) throws -> Double { try decoder.float() }
  func decode(_ type: Float.Type) throws -> Float { try decoder.singleFloat() }
  func decode(_ type: Int.Type) throws -> Int { try decoder.integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer() }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
}
