/// Encodes `Encodable` values as a ``Value``.
///
/// ```swift
/// struct Todo: Codable { var id: Int; var title: String }
/// let value = try ValueEncoder().encode(Todo(id: 1, title: "Milk"))
/// // { id = 1, title = "Milk" }
/// ```
///
/// A type is encoded by its own `encode(to:)`: properties in the order in which it writes them, the keys of a
/// Swift dictionary in name order (it has none of its own), an optional that is `nil` as its type says: absent
/// for a synthesized property, `null` in an array. Integers stay integers and floats floats; a ``Value``
/// inside is taken over as it is, sharing its nodes.
///
/// What is not state is refused with an `EncodingError.invalidValue` that says where: NaN, the infinities, and an
/// unsigned integer beyond `Int64.max`.
public struct ValueEncoder {
  /// What encoding types find in `Encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  public init() {}

  /// The value of `encodable`; O(size of what it writes).
  public func encode(_ encodable: some Encodable) throws -> Value {
    let root = EncodedPlace()
    try root.encode(encodable, at: [], userInfo: userInfo)
    guard let value = try root.finished() else {
      throw EncodingError.invalidValue(
        encodable,
        EncodingError.Context(
          codingPath: [], debugDescription: "\(type(of: encodable)) did not encode anything"))
    }
    return value
  }
}

/// A place that is being encoded. A container handed out may be written to long after its parent went on, hence
/// a class, read once at the end.
final class EncodedPlace {
  private enum Content {
    case nothing
    case value(Value)
    case array([EncodedPlace])
    case object(keys: [String], places: [EncodedPlace])
  }

  private var content = Content.nothing
  private var sortsKeys = false

  init() {}

  init(_ value: Value) { content = .value(value) }

  var count: Int {
    switch content {
    case .array(let places): places.count
    case .object(_, let places): places.count
    case .nothing, .value: 0
    }
  }

  func set(_ value: Value) { content = .value(value) }

  func becomeArray() {
    if case .array = content { return }
    content = .array([])
  }

  func becomeObject() {
    if case .object = content { return }
    content = .object(keys: [], places: [])
  }

  func append(_ place: EncodedPlace) {
    guard case .array(var places) = content else { return }
    content = .nothing
    places.append(place)
    content = .array(places)
  }

  /// Keys that repeat: the last one wins, when the object is finished.
  func append(_ place: EncodedPlace, key: String) {
    guard case .object(var keys, var places) = content else { return }
    content = .nothing
    keys.append(key)
    places.append(place)
    content = .object(keys: keys, places: places)
  }

  /// The value, or nil when nothing was encoded here.
  func finished() throws -> Value? {
    switch content {
    case .nothing: return nil
    case .value(let value): return value
    case .array(let places):
      return .array(Value.List(try places.map { try $0.finishedElement() }))
    case .object(let keys, let places):
      var object = Value.Object()
      let order =
        sortsKeys ? keys.indices.sorted { keys[$0] < keys[$1] } : Array(keys.indices)
      for i in order { object[keys[i]] = try places[i].finishedElement() }
      return .object(object)
    }
  }

  /// The value as part of a container. A place that nothing was written to (a super encoder that was not used)
  /// is an empty object.
  private func finishedElement() throws -> Value {
    let value = try finished() ?? .object([:])
    if value.depth >= maximumDepth { throw tooDeep(value, []) }
    return value
  }

  func encode<T: Encodable>(
    _ encodable: T, at path: [any CodingKey], userInfo: [CodingUserInfoKey: any Sendable]
  ) throws {
    // Beyond this no container can be; types that hold themselves end here.
    if path.count > maximumDepth { throw tooDeep(encodable, path) }
    if T.self == Value.self, let value = encodable as? Value {
      guard value.isFinite else { throw notFinite(encodable, path) }
      content = .value(value)
      return
    }
    sortsKeys = encodable is any StringKeyedDictionary
    try encodable.encode(to: PlaceEncoder(place: self, codingPath: path, userInfo: userInfo))
  }
}

/// Marks the dictionaries that write string keys, in an order that differs from run to run.
private protocol StringKeyedDictionary {}
extension Dictionary: StringKeyedDictionary where Key == String {}

extension Value {
  /// False for the two kinds of float that are not state.
  fileprivate var isFinite: Bool {
    if case .float(let number) = self { return number.isFinite }
    return true
  }
}

private func tooDeep(_ value: Any, _ path: [any CodingKey]) -> EncodingError {
  EncodingError.invalidValue(
    value,
    EncodingError.Context(
      codingPath: path, debugDescription: "more than \(maximumDepth) levels of containers"))
}

func notFinite(_ number: Any, _ path: [any CodingKey]) -> EncodingError {
  EncodingError.invalidValue(
    number,
    EncodingError.Context(
      codingPath: path, debugDescription: "\(number) is not state: only finite numbers are"))
}

/// What a type is handed to encode itself into a place.
struct PlaceEncoder: Encoder {
  let place: EncodedPlace
  let codingPath: [any CodingKey]
  let sendableInfo: [CodingUserInfoKey: any Sendable]
  var userInfo: [CodingUserInfoKey: Any] { sendableInfo }

  init(
    place: EncodedPlace, codingPath: [any CodingKey],
    userInfo: [CodingUserInfoKey: any Sendable]
  ) {
    self.place = place
    self.codingPath = codingPath
    sendableInfo = userInfo
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    place.becomeObject()
    return KeyedEncodingContainer(KeyedPlaces(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    place.becomeArray()
    return UnkeyedPlaces(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SinglePlace(encoder: self)
  }

  /// An encoder of `place`, one key further down.
  func child(_ place: EncodedPlace, _ key: any CodingKey) -> PlaceEncoder {
    PlaceEncoder(place: place, codingPath: codingPath + [key], userInfo: sendableInfo)
  }

  func integer<Number: FixedWidthInteger>(
    _ number: Number, _ key: (any CodingKey)? = nil
  ) throws -> Value {
    if let integer = Int64(exactly: number) { return .integer(integer) }
    let context = EncodingError.Context(
      codingPath: codingPath + (key.map { [$0] } ?? []),
      debugDescription: "\(number) does not fit a 64-bit signed integer")
    throw EncodingError.invalidValue(number, context)
  }

  func float(_ number: Double, _ key: (any CodingKey)? = nil) throws -> Value {
    guard number.isFinite else {
      throw notFinite(number, codingPath + (key.map { [$0] } ?? []))
    }
    return .float(number)
  }
}
