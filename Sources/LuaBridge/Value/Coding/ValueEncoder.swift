/// Encodes `Encodable` values as a ``Value``.
///
/// ```swift
/// struct Todo: Codable { var id: Int; var title: String }
/// let value = try ValueEncoder().encode(Todo(id: 1, title: "Milk"))
/// // { id = 1, title = "Milk" }
/// ```
///
/// A type is encoded by its own `encode(to:)`: properties in the order in which it writes them, an
/// optional that is `nil` as its type says: absent for a synthesized property, `null` in an array.
/// Integers stay integers and floats floats; a ``Value`` inside is taken over as it is, sharing its
/// nodes.
///
/// A Swift dictionary and a set have no order of their own, and are encoded in one that is the same in
/// every run: an object by the names of its keys (`[String: T]`, `[Int: T]`), an array (sets, and
/// dictionaries with other keys, whose keys and values alternate) by number if all are integers, else by
/// the JSON text.
///
/// What is not state is refused with an `EncodingError.invalidValue` that says where: NaN, the
/// infinities, and an unsigned integer beyond `Int64.max`.
public struct ValueEncoder {
  /// What encoding types find in `Encoder.userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  public init() {}

  /// The value of `encodable`; O(size of what it writes).
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

/// The keys down to a place, linked upwards: making one is cheap, and listing them is for errors.
/// Apart from the places, which hold those inside them, so that no two hold each other.
final class CodingTrail {
  private let key: any CodingKey
  private let parent: CodingTrail?
  /// How many keys.
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

/// A place that is being encoded. A container handed out may be written to long after its parent
/// went on, hence a class, read once at the end.
final class EncodedPlace {
  /// What stands in a container: mostly scalars, which need no place of their own.
  enum Entry {
    case value(Value)
    case place(EncodedPlace)
  }

  private enum Kind { case nothing, single, array, object }

  private var kind = Kind.nothing
  private var single = Value.null
  private var keys: [String] = []
  private var entries: [Entry] = []
  /// Set where what is encoded has no order of its own.
  private var unordered: (any Unordered.Type)?

  private let trail: CodingTrail?

  /// The outermost place.
  init() { trail = nil }

  /// A place inside another one.
  init(in parent: EncodedPlace, _ key: any CodingKey) {
    trail = CodingTrail(key, below: parent.trail)
  }

  /// The keys from the outermost place to this one.
  var codingPath: [any CodingKey] { trail?.path ?? [] }

  /// Entries so far, of an array or object.
  var count: Int { entries.count }

  func set(_ value: Value) {
    kind = .single
    single = value
  }

  func becomeArray() { become(.array) }

  func becomeObject() { become(.object) }

  /// A type that asks for an array and then for an object is broken; the last one wins.
  private func become(_ container: Kind) {
    if kind == container { return }
    kind = container
    keys = []
    entries = []
  }

  func append(_ entry: Entry) { entries.append(entry) }

  /// Keys that repeat: the last one wins, when the object is finished.
  func append(_ entry: Entry, key: String) {
    keys.append(key)
    entries.append(entry)
  }

  /// The value, or nil when nothing was encoded here.
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

  /// Runs of so many elements in the order of their first ones.
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

  /// The value as part of a container. A place that nothing was written to (a super encoder that
  /// was not used) is an empty object.
  func finishedElement() throws -> Value {
    let value = try finished() ?? .object([:])
    if value.depth >= maximumDepth { throw tooDeep(value, codingPath) }
    return value
  }

  func encode<T: Encodable>(
    _ encodable: T, userInfo: [CodingUserInfoKey: any Sendable]
  ) throws {
    // Beyond this no container can be; types that hold themselves end here.
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

/// Marks the types that write what they hold in an order that differs from run to run.
private protocol Unordered {
  /// How many elements of an array are one of theirs.
  static var elementsOfOne: Int { get }
}

extension Dictionary: Unordered {
  fileprivate static var elementsOfOne: Int { 2 }
}

extension Set: Unordered {
  fileprivate static var elementsOfOne: Int { 1 }
}

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

  /// The value of an element. It is whole when its `encode(to:)` has returned, so that nothing but
  /// the value is kept.
  func value<T: Encodable>(of encodable: T, _ key: any CodingKey) throws -> Value {
    let element = EncodedPlace(in: place, key)
    try element.encode(encodable, userInfo: sendableInfo)
    return try element.finishedElement()
  }

  /// An encoder of `place`, one key further down.
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
