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
/// Four types are written as scripts have them, and not as they encode themselves: a `Date` as the
/// seconds since 1970, a `Duration` as its seconds, a `URL` as its text, and `Data` as the string of
/// its bytes, which have to be UTF-8.
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
/// infinities, an unsigned integer beyond `Int64.max`, `Data` that is not UTF-8, and more than 128
/// levels.
public struct ValueEncoder {
  /// The contents of `Encoder.userInfo` for the encoding types.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  public init() {}

  /// Encodes `encodable`. O(size of the encoded value).
  public func encode(_ encodable: some Encodable) throws -> Value {
    let root = EncodedValue()
    try root.encode(encodable, userInfo: userInfo)
    guard let value = try root.finished() else {
      throw EncodingError.refusal(
        of: encodable, [], "\(type(of: encodable)) did not encode anything")
    }
    return value
  }
}
