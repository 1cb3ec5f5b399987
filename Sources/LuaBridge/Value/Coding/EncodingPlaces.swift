/// The keyed container: writes the members of an object into an ``EncodedPlace``.
struct KeyedPlaces<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: PlaceEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func put(_ value: Value, _ key: any CodingKey) {
    encoder.place.append(.value(value), key: key.stringValue)
  }

  func encodeNil(forKey key: Key) throws { put(.null, key) }
  func encode(_ value: Bool, forKey key: Key) throws { put(.boolean(value), key) }
  func encode(_ value: String, forKey key: Key) throws { put(.string(value), key) }
  func encode(_ value: Double, forKey key: Key) throws { put(try encoder.float(value, key), key) }
  func encode(_ value: Float, forKey key: Key) throws {
    put(try encoder.float(Double(value), key), key)
  }
  func encode(_ value: Int, forKey key: Key) throws { put(try encoder.integer(value, key), key) }
  func encode(_ value: Int8, forKey key: Key) throws { put(try encoder.integer(value, key), key) }
  func encode(_ value: Int16, forKey key: Key) throws { put(try encoder.integer(value, key), key) }
  func encode(_ value: Int32, forKey key: Key) throws { put(try encoder.integer(value, key), key) }
  func encode(_ value: Int64, forKey key: Key) throws { put(try encoder.integer(value, key), key) }
  func encode(_ value: UInt, forKey key: Key) throws { put(try encoder.integer(value, key), key) }
  func encode(_ value: UInt8, forKey key: Key) throws { put(try encoder.integer(value, key), key) }
  func encode(_ value: UInt16, forKey key: Key) throws { put(try encoder.integer(value, key), key) }
  func encode(_ value: UInt32, forKey key: Key) throws { put(try encoder.integer(value, key), key) }
  func encode(_ value: UInt64, forKey key: Key) throws { put(try encoder.integer(value, key), key) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    put(try encoder.value(of: value, key), key)
  }

  private func nested(_ key: any CodingKey) -> PlaceEncoder {
    let place = EncodedPlace(in: encoder.place, key)
    encoder.place.append(.place(place), key: key.stringValue)
    return encoder.inside(place)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nested(key).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nested(PathKey("super")) }
  func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

/// The unkeyed container: writes the elements of an array into an ``EncodedPlace``.
struct UnkeyedPlaces: UnkeyedEncodingContainer {
  let encoder: PlaceEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.place.count }
  private var key: PathKey { PathKey(count) }

  private func put(_ value: Value) { encoder.place.append(.value(value)) }

  func encodeNil() throws { put(.null) }
  func encode(_ value: Bool) throws { put(.boolean(value)) }
  func encode(_ value: String) throws { put(.string(value)) }
  func encode(_ value: Double) throws { put(try encoder.float(value, key)) }
  func encode(_ value: Float) throws { put(try encoder.float(Double(value), key)) }
  func encode(_ value: Int) throws { put(try encoder.integer(value, key)) }
  func encode(_ value: Int8) throws { put(try encoder.integer(value, key)) }
  func encode(_ value: Int16) throws { put(try encoder.integer(value, key)) }
  func encode(_ value: Int32) throws { put(try encoder.integer(value, key)) }
  func encode(_ value: Int64) throws { put(try encoder.integer(value, key)) }
  func encode(_ value: UInt) throws { put(try encoder.integer(value, key)) }
  func encode(_ value: UInt8) throws { put(try encoder.integer(value, key)) }
  func encode(_ value: UInt16) throws { put(try encoder.integer(value, key)) }
  func encode(_ value: UInt32) throws { put(try encoder.integer(value, key)) }
  func encode(_ value: UInt64) throws { put(try encoder.integer(value, key)) }

  func encode<T: Encodable>(_ value: T) throws {
    put(try encoder.value(of: value, key))
  }

  private func nested() -> PlaceEncoder {
    let place = EncodedPlace(in: encoder.place, key)
    encoder.place.append(.place(place))
    return encoder.inside(place)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    nested().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
  func superEncoder() -> any Encoder { nested() }
}

/// The single-value container: sets the value of an ``EncodedPlace``.
struct SinglePlace: SingleValueEncodingContainer {
  let encoder: PlaceEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func put(_ value: Value) { encoder.place.set(value) }

  func encodeNil() throws { put(.null) }
  func encode(_ value: Bool) throws { put(.boolean(value)) }
  func encode(_ value: String) throws { put(.string(value)) }
  func encode(_ value: Double) throws { put(try encoder.float(value)) }
  func encode(_ value: Float) throws { put(try encoder.float(Double(value))) }
  func encode(_ value: Int) throws { put(try encoder.integer(value)) }
  func encode(_ value: Int8) throws { put(try encoder.integer(value)) }
  func encode(_ value: Int16) throws { put(try encoder.integer(value)) }
  func encode(_ value: Int32) throws { put(try encoder.integer(value)) }
  func encode(_ value: Int64) throws { put(try encoder.integer(value)) }
  func encode(_ value: UInt) throws { put(try encoder.integer(value)) }
  func encode(_ value: UInt8) throws { put(try encoder.integer(value)) }
  func encode(_ value: UInt16) throws { put(try encoder.integer(value)) }
  func encode(_ value: UInt32) throws { put(try encoder.integer(value)) }
  func encode(_ value: UInt64) throws { put(try encoder.integer(value)) }

  func encode<T: Encodable>(_ value: T) throws {
    try encoder.place.encode(value, userInfo: encoder.sendableInfo)
  }
}
