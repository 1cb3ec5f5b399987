/// The keyed container: writes the members of an object into an ``EncodedValue``.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: InnerEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func put(_ value: Value, _ key: any CodingKey) {
    encoder.encoded.append(.value(value), key: key.stringValue)
  }

  func encodeNil(forKey key: Key) throws { put(.null, key) }
  func encode(_ value: Bool, forKey key: Key) throws { put(.boolean(value), key) }
  func encode(_ value: String, forKey key: Key) throws { put(.string(value), key) }
  func encode(_ value: Double, forKey key: Key) throws { put(try encoder.float(value, key), key) }
  func encode(_ value: Float, forKey key: Key) throws {
    put(try encoder.float(Double(value), key), key)
  }
  func encode<Number: FixedWidthInteger & Encodable>(_ value: Number, forKey key: Key) throws {
    put(try encoder.integer(value, key), key)
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    put(try encoder.value(of: value, key), key)
  }

  private func nested(_ key: any CodingKey) -> InnerEncoder {
    let nested = EncodedValue(in: encoder.encoded, key)
    encoder.encoded.append(.nested(nested), key: key.stringValue)
    return encoder.inside(nested)
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

/// The unkeyed container: writes the elements of an array into an ``EncodedValue``.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
  let encoder: InnerEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.encoded.count }
  private var key: PathKey { PathKey(count) }

  private func put(_ value: Value) { encoder.encoded.append(.value(value)) }

  func encodeNil() throws { put(.null) }
  func encode(_ value: Bool) throws { put(.boolean(value)) }
  func encode(_ value: String) throws { put(.string(value)) }
  func encode(_ value: Double) throws { put(try encoder.float(value, key)) }
  func encode(_ value: Float) throws { put(try encoder.float(Double(value), key)) }
  func encode<Number: FixedWidthInteger & Encodable>(_ value: Number) throws {
    put(try encoder.integer(value, key))
  }

  func encode<T: Encodable>(_ value: T) throws {
    put(try encoder.value(of: value, key))
  }

  private func nested() -> InnerEncoder {
    let nested = EncodedValue(in: encoder.encoded, key)
    encoder.encoded.append(.nested(nested))
    return encoder.inside(nested)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    nested().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
  func superEncoder() -> any Encoder { nested() }
}

/// The single-value container: sets the value of an ``EncodedValue``.
struct SingleValueEncoding: SingleValueEncodingContainer {
  let encoder: InnerEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func put(_ value: Value) { encoder.encoded.set(value) }

  func encodeNil() throws { put(.null) }
  func encode(_ value: Bool) throws { put(.boolean(value)) }
  func encode(_ value: String) throws { put(.string(value)) }
  func encode(_ value: Double) throws { put(try encoder.float(value)) }
  func encode(_ value: Float) throws { put(try encoder.float(Double(value))) }
  func encode<Number: FixedWidthInteger & Encodable>(_ value: Number) throws {
    put(try encoder.integer(value))
  }

  func encode<T: Encodable>(_ value: T) throws {
    try encoder.encoded.encode(value, userInfo: encoder.sendableInfo)
  }
}
