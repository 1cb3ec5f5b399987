import LuaBridge

/// The state of `scripted.cases`, an object with its case as the only key: what generated enums are
/// decoded from and encoded as.
public struct TaggedState {
  /// The case that the state is in.
  public let name: String
  private let container: KeyedDecodingContainer<Case>

  /// - Throws: a `DecodingError` if the state is in none of the cases.
  public init(from decoder: any Decoder, cases: [String]) throws {
    container = try decoder.container(keyedBy: Case.self)
    // An element of a stack has its id beside its case.
    guard let key = container.allKeys.first(where: { cases.contains($0.stringValue) }) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "one of the keys \(cases.joined(separator: ", ")) is expected")
      )
    }
    name = key.stringValue
  }

  public func decoded<T: Decodable>() throws -> T {
    try container.decode(T.self, forKey: Case(stringValue: name))
  }

  public static func encode(
    _ state: some Encodable, as name: String, to encoder: any Encoder
  ) throws {
    var container = encoder.container(keyedBy: Case.self)
    try container.encode(state, forKey: Case(stringValue: name))
  }

  private struct Case: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
