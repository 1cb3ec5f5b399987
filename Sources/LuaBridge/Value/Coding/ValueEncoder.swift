/// Encodes `Encodable` values as a ``Value``.
///
/// ```swift
/// struct Todo: Codable { var id: Int; var title: String }
/// let value = try ValueEncoder().encode(Todo(id: 1, title: "Milk"))
/// // { id = 1, title = "Milk" }
/// ```
///
/// A type encodes itself with its own `encode(to:)`. Properties are in the order in which it writes
/// them. An optional that is `nil` is encoded as its type does it: a synthesized property is
/// absent, an array element is `null`. Integers stay integers and floats stay floats. A ``Value``
/// is taken as it is, with shared nodes.
///
/// A Swift dictionary and a set have no order. They are encoded in an order that is the same in
/// every run:
/// - A dictionary that encodes as an object (`[String: T]`, `[Int: T]`) is sorted by the names of
///   its keys.
/// - A set, and any other dictionary, encodes as an array; a dictionary alternates keys and values.
///   The array is sorted by number if all elements (or keys) are integers, otherwise by their JSON
///   text.
///
/// A value that cannot be state throws `EncodingError.invalidValue` with its coding path: NaN, the
/// infinities, an unsigned integer beyond `Int64.max`, and more than 128 levels.
public struct ValueEncoder {
  /// The contents of `Encoder.userInfo` for the encoding types.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  public init() {}

  /// Encodes `encodable`. O(size of the encoded value).
  public func encode(_ encodable: some Encodable) throws -> Value {
    let root = EncodedPlace()
    try root.encode(encodable, userInfo: userInfo)
    guard let value = try root.finished() else {
      throw EncodingError.invalidValue(
        encodable,
        EncodingError.Context(
          codingPath: [], debugDescription: "\(type(of: encodable)) did not encode anything"))
    }
    return value
  }
}

/// The coding path of a value, as a list linked from the value to the root. Creating one is cheap;
/// its keys are listed only for an error.
///
/// It is separate from ``EncodedPlace``. An ``EncodedPlace`` retains those inside it, so a link
/// from one of them to its parent would be a retain cycle.
final class CodingTrail {
  private let key: any CodingKey
  private let parent: CodingTrail?
  /// The number of keys.
  let level: Int

  init(_ key: any CodingKey, below parent: CodingTrail?) {
    self.key = key
    self.parent = parent
    level = (parent?.level ?? 0) + 1
  }

  var path: [any CodingKey] {
    var path: [any CodingKey] = []
    var trail: CodingTrail? = self
    while let here = trail {
      path.append(here.key)
      trail = here.parent
    }
    return path.reversed()
  }
}

/// A value that is being encoded.
///
/// It is a class because a container that was returned to a caller may be written to after its
/// parent has continued. It is read once, when encoding is finished.
final class EncodedPlace {
  /// A part of a container. Most parts are scalars, which need no ``EncodedPlace``.
  enum Entry {
    case value(Value)
    case place(EncodedPlace)
  }

  private enum Kind { case nothing, single, array, object }

  private var kind = Kind.nothing
  private var single = Value.null
  private var keys: [String] = []
  private var entries: [Entry] = []
  /// Set if the encoded type has no order.
  private var unordered: (any Unordered.Type)?

  private let trail: CodingTrail?

  /// The root value.
  init() { trail = nil }

  /// A value inside another one.
  init(in parent: EncodedPlace, _ key: any CodingKey) {
    trail = CodingTrail(key, below: parent.trail)
  }

  /// The keys from the root to this value.
  var codingPath: [any CodingKey] { trail?.path ?? [] }

  /// The number of entries of the array or object so far.
  var count: Int { entries.count }

  func set(_ value: Value) {
    kind = .single
    single = value
  }

  func becomeArray() { become(.array) }

  func becomeObject() { become(.object) }

  /// A type that requests both an array and an object is incorrect. The last request is used.
  private func become(_ container: Kind) {
    if kind == container { return }
    kind = container
    keys = []
    entries = []
  }

  func append(_ entry: Entry) { entries.append(entry) }

  /// If a key occurs twice, the last value is used when the object is finished.
  func append(_ entry: Entry, key: String) {
    keys.append(key)
    entries.append(entry)
  }

  /// The value, or nil if nothing was encoded.
  func finished() throws -> Value? {
    switch kind {
    case .nothing: return nil
    case .single: return single
    case .array:
      let elements = try entries.map { try Self.finished($0) }
      guard let unordered else { return .array(Value.List(elements)) }
      return .array(Value.List(Self.ordered(elements, inRunsOf: unordered.elementsOfOne)))
    case .object:
      var order = Array(keys.indices)
      if unordered != nil { order.sort { keys[$0] < keys[$1] } }
      return .object(
        Value.Object(try order.map { (key: keys[$0], value: try Self.finished(entries[$0])) }))
    }
  }

  /// Sorts runs of `length` elements by their first element.
  private static func ordered(_ elements: [Value], inRunsOf length: Int) -> [Value] {
    let starts = Array(stride(from: 0, to: elements.count, by: length))
    let numbers = starts.compactMap { start -> Int64? in
      if case .integer(let number) = elements[start] { number } else { nil }
    }
    func sorted(by keys: [some Comparable]) -> [Value] {
      zip(keys, starts).sorted { $0.0 < $1.0 }.flatMap { elements[$0.1..<$0.1 + length] }
    }
    if numbers.count == starts.count { return sorted(by: numbers) }
    return sorted(by: starts.map { elements[$0].json() })
  }

  private static func finished(_ entry: Entry) throws -> Value {
    switch entry {
    case .value(let value): return value
    case .place(let place): return try place.finishedElement()
    }
  }

  /// The value as a part of a container. If nothing was written, as with an unused super encoder,
  /// it is an empty object.
  func finishedElement() throws -> Value {
    let value = try finished() ?? .object([:])
    if value.depth >= maximumDepth { throw tooDeep(value, codingPath) }
    return value
  }

  func encode<T: Encodable>(
    _ encodable: T, userInfo: [CodingUserInfoKey: any Sendable]
  ) throws {
    // No container can be deeper. The encoding of a type that contains itself stops here.
    if let trail, trail.level > maximumDepth { throw tooDeep(encodable, codingPath) }
    if T.self == Value.self, let value = encodable as? Value {
      guard value.isFinite else { throw notFinite(encodable, codingPath) }
      set(value)
      return
    }
    unordered = T.self as? any Unordered.Type
    try encodable.encode(to: PlaceEncoder(place: self, sendableInfo: userInfo))
  }
}

/// The types that encode their elements in an order that differs from run to run.
private protocol Unordered {
  /// The number of consecutive array elements that belong together: 2 for a dictionary's key and
  /// value.
  static var elementsOfOne: Int { get }
}

extension Dictionary: Unordered {
  fileprivate static var elementsOfOne: Int { 2 }
}

extension Set: Unordered {
  fileprivate static var elementsOfOne: Int { 1 }
}

extension Value {
  /// False for NaN and the infinities.
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

/// The encoder that a type gets to encode itself.
struct PlaceEncoder: Encoder {
  let place: EncodedPlace
  let sendableInfo: [CodingUserInfoKey: any Sendable]
  var userInfo: [CodingUserInfoKey: Any] { sendableInfo }
  var codingPath: [any CodingKey] { place.codingPath }

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

  /// The value of an element. Only the value is retained: the element is complete when its
  /// `encode(to:)` has returned.
  func value<T: Encodable>(of encodable: T, _ key: any CodingKey) throws -> Value {
    let element = EncodedPlace(in: place, key)
    try element.encode(encodable, userInfo: sendableInfo)
    return try element.finishedElement()
  }

  /// The encoder of `place`, which is inside this encoder's value.
  func inside(_ place: EncodedPlace) -> PlaceEncoder {
    PlaceEncoder(place: place, sendableInfo: sendableInfo)
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
