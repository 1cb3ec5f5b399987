/// A value that is being encoded.
///
/// It is a class because a container that was returned to a caller may be written to after its
/// parent has continued. It is read once, when encoding is finished.
final class EncodedValue {
  /// A part of a container. Most parts are scalars, which need no ``EncodedValue``.
  enum Entry {
    case value(Value)
    case nested(EncodedValue)
  }

  enum Kind { case nothing, single, array, object }

  private var kind = Kind.nothing
  private var single = Value.null
  private var keys: [String] = []
  private var entries: [Entry] = []
  /// Set if the encoded type has no order.
  private var unordered: (any UnorderedCollection.Type)?

  private let path: LinkedCodingPath?

  /// The root value.
  init() { path = nil }

  /// A value inside another one.
  init(in parent: EncodedValue, _ key: any CodingKey) {
    path = LinkedCodingPath(key, below: parent.path)
  }

  /// The keys from the root to this value.
  var codingPath: [any CodingKey] { path?.keys ?? [] }

  /// The number of entries of the array or object so far.
  var count: Int { entries.count }

  func set(_ value: Value) {
    kind = .single
    single = value
  }

  /// Makes the value an array or an object. A type that requests both is incorrect; the last
  /// request is used.
  func become(_ container: Kind) {
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
      return .array(Value.List(Self.ordered(elements, inRunsOf: unordered.elementsPerEntry)))
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
    case .nested(let nested): return try nested.finishedElement()
    }
  }

  /// The value as a part of a container. If nothing was written, as with an unused super encoder,
  /// it is an empty object.
  func finishedElement() throws -> Value {
    let value = try finished() ?? .object([:])
    if value.depth >= maximumDepth { throw EncodingError.tooDeep(value, codingPath) }
    return value
  }

  func encode<T: Encodable>(
    _ encodable: T, userInfo: [CodingUserInfoKey: any Sendable]
  ) throws {
    // No container can be deeper. The encoding of a type that contains itself stops here.
    if let path, path.level > maximumDepth { throw EncodingError.tooDeep(encodable, codingPath) }
    if T.self == Value.self, let value = encodable as? Value {
      if case .float(let number) = value, !number.isFinite {
        throw EncodingError.notFinite(encodable, codingPath)
      }
      set(value)
      return
    }
    if let value = try scriptForm(of: encodable) { return set(value) }
    unordered = T.self as? any UnorderedCollection.Type
    try encodable.encode(to: InnerEncoder(encoded: self, sendableInfo: userInfo))
  }
}
