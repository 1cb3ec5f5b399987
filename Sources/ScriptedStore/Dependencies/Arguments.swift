import ScriptValue

/// Decodes the arguments of one call, in the order of the parameters.
struct Arguments {
  private let values: [Value?]
  private var position = 0

  init(_ values: [Value?]) { self.values = values }

  /// Decodes the next argument. Throws an ``ArgumentError``.
  mutating func next<A: Decodable>(_ type: A.Type) throws -> A {
    defer { position += 1 }
    let value = position < values.count ? values[position] : nil
    // The most common types are cast, because a decoder costs about a microsecond.
    switch value {
    case let value? where type == Value.self:
      if let value = value as? A { return value }
    case .string(let text)? where type == String.self:
      if let text = text as? A { return text }
    case .integer(let number)? where type == Int.self:
      if let number = Int(exactly: number) as? A { return number }
    case nil, .null?:
      if let none = (type as? any OptionalType.Type)?.nothing as? A { return none }
    default: break
    }
    guard let value else { throw ArgumentError(position: position, reason: .absent) }
    do {
      return try value.decoded(as: type)
    } catch let error as DecodingError {
      throw ArgumentError(position: position, reason: .mismatch(error))
    }
  }
}

/// An argument that does not fit its parameter.
struct ArgumentError: Error {
  enum Reason {
    case absent
    case mismatch(DecodingError)
  }

  /// The position of the argument, from 0.
  let position: Int
  let reason: Reason
}

/// Gives access to an `Optional` of an unknown type.
protocol OptionalType {
  static var nothing: Self { get }
  static var wrapped: Any.Type { get }
  var isNil: Bool { get }
}

extension Optional: OptionalType {
  static var nothing: Wrapped? { nil }
  static var wrapped: Any.Type { Wrapped.self }
  var isNil: Bool { self == nil }
}
