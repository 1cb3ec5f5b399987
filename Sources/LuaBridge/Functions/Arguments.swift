import ScriptValue

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decodes the arguments of one call, in the order of the parameters.
package struct Arguments {
  private let values: [HostValue?]
  private var position = 0

  package init(_ values: [HostValue?]) { self.values = values }

  /// Decodes the next argument. Throws an ``ArgumentError``.
  package mutating func next<A: Decodable>(_ type: A.Type) throws -> A {
    defer { position += 1 }
    switch position < values.count ? values[position] : nil {
    case .bytes(let bytes)?: return try Arguments.decode(bytes, as: type, at: position)
    case let value: return try Arguments.decode(value?.state, as: type, at: position)
    }
  }

  /// Decodes the argument at `position`; nil is an argument that is absent. Throws an
  /// ``ArgumentError``.
  static func decode<A: Decodable>(
    _ value: Value?, as type: A.Type, at position: Int
  ) throws -> A {
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
      throw ArgumentError(position: position, reason: .mismatch(error, value))
    }
  }
}

extension Arguments {
  /// Decodes a string that is not UTF-8, which only `Data` can take. Throws an ``ArgumentError``.
  static func decode<A: Decodable>(
    _ bytes: [UInt8], as type: A.Type, at position: Int
  ) throws -> A {
    if let data = Data(bytes) as? A { return data }
    throw ArgumentError(position: position, reason: .notText)
  }
}

/// An argument or result that does not fit its type.
struct ArgumentError: Error {
  enum Reason {
    case absent
    /// A value that is no value of state. The string is the name of its type.
    case unsuited(String)
    /// A table that is no value of state, and why.
    case unstorable(String)
    case mismatch(DecodingError, Value)
    /// A string that is not UTF-8, for a parameter that is not `Data`.
    case notText
  }

  /// The position of the argument, from 0.
  let position: Int
  let reason: Reason
}

/// Gives access to an `Optional` of an unknown type.
protocol OptionalType {
  static var nothing: Self { get }
  static var wrapped: Any.Type { get }
  /// The optional around `value`; nil if that has another type.
  static func wrap(_ value: Any) -> Self?
  /// What this wraps; nil for nothing.
  var content: Any? { get }
}

extension Optional: OptionalType {
  static var nothing: Wrapped? { nil }
  static var wrapped: Any.Type { Wrapped.self }
  static func wrap(_ value: Any) -> Wrapped?? {
    (value as? Wrapped).map { .some(.some($0)) } ?? nil
  }
  var content: Any? { self }
}
