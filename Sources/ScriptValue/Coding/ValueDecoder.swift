/// Decodes `Decodable` types from a ``Value``. The inverse of ``ValueEncoder``.
///
/// Numbers are exact. An integer is decoded from a float only if that is integral and in range,
/// because `1 == 1.0` in Lua. A double is decoded from an integer only if it can represent the
/// integer. A `Date` and a `Duration` are decoded from seconds, a `URL` and `Data` from a string; `Data`
/// also from a list of bytes. The empty table is both an empty array and an empty object. Errors are `DecodingError`s
/// with a coding path.
public struct ValueDecoder {
  /// The contents of `Decoder.userInfo` for the decoding types.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  public init() {}

  /// Decodes a `type` from `value`. O(size of the decoded part).
  public func decode<T: Decodable>(_ type: T.Type, from value: Value) throws -> T {
    try InnerDecoder(value: value, path: nil, userInfo: userInfo).decode(type)
  }
}
