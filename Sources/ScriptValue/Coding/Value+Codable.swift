/// A ``Value`` can be encoded and decoded by any encoder and decoder. Those of this package
/// preserve its nodes. Others preserve only what their format distinguishes: `JSONDecoder` reads
/// `1.0` as the integer 1, which is an equal value.
extension Value: Codable {
  /// - Throws: `EncodingError.invalidValue` for NaN and the infinities.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .array(let list):
      var container = encoder.unkeyedContainer()
      for element in list { try container.encode(element) }
    case .object(let object):
      var container = encoder.container(keyedBy: PathKey.self)
      for (key, value) in object { try container.encode(value, forKey: PathKey(key)) }
    default:
      var container = encoder.singleValueContainer()
      switch self {
      case .boolean(let boolean): try container.encode(boolean)
      case .integer(let integer): try container.encode(integer)
      case .float(let float):
        guard float.isFinite else { throw EncodingError.notFinite(float, encoder.codingPath) }
        try container.encode(float)
      case .string(let string): try container.encode(string)
      case .null, .array, .object: try container.encodeNil()
      }
    }
  }

  /// - Throws: `DecodingError.dataCorrupted` for NaN, the infinities, and more than 128 levels.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: PathKey.self) {
      var object = Value.Object()
      for key in container.allKeys {
        let value = try container.decode(Value.self, forKey: key)
        if value.depth >= maximumDepth { throw Self.tooDeep(container.codingPath) }
        object[key.stringValue] = value
      }
      self = .object(object)
      return
    }
    if var container = try? decoder.unkeyedContainer() {
      var list = Value.List()
      while !container.isAtEnd {
        let value = try container.decode(Value.self)
        if value.depth >= maximumDepth { throw Self.tooDeep(container.codingPath) }
        list.append(value)
      }
      self = .array(list)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let boolean = try? container.decode(Bool.self) {
      self = .boolean(boolean)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let float = try? container.decode(Double.self) {
      guard float.isFinite else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "\(float) is not state: only finite numbers are")
      }
      self = .float(float)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  private static func tooDeep(_ path: [any CodingKey]) -> DecodingError {
    DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: path, debugDescription: "more than \(maximumDepth) levels of containers"))
  }
}

extension Value {
  /// Encodes an `Encodable` value; same as ``ValueEncoder/encode(_:)``.
  public init(encoding encodable: some Encodable) throws {
    self = try ValueEncoder().encode(encodable)
  }

  /// Decodes the value as a `Decodable` type: `try store.state["todos"].decoded(as: [Todo].self)`.
  /// Same as ``ValueDecoder/decode(_:from:)``.
  public func decoded<T: Decodable>(as type: T.Type = T.self) throws -> T {
    try ValueDecoder().decode(type, from: self)
  }
}
