import ScriptValue

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How bytes from outside of the program become values for scripts, whose strings in state must be
/// UTF-8.
package enum ContentFormat: String, CaseIterable, Sendable {
  /// UTF-8 text as a string, without a byte order mark at its start.
  case text
  /// JSON text as the value that it represents.
  case json
  /// Any bytes as a string in Base64.
  case base64

  /// The value that a script gets for these bytes.
  package func value(of bytes: [UInt8]) throws(ContentError) -> Value {
    let withoutMark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    switch self {
    case .text:
      guard let text = String(validating: withoutMark, as: UTF8.self) else { throw .notUTF8 }
      return .string(text)
    case .json:
      do {
        return try Value(json: withoutMark)
      } catch {
        throw .malformed(error)
      }
    case .base64:
      return .string(Data(bytes).base64EncodedString())
    }
  }

  /// The bytes that a script's value represents; nil if the value has the wrong type.
  package func bytes(of value: Value) -> [UInt8]? {
    switch self {
    case .text: return value.string.map { Array($0.utf8) }
    case .json:
      var bytes: [UInt8] = []
      value.appendJSON(to: &bytes)
      return bytes
    case .base64: return value.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
  }

  /// What ``bytes(of:)`` accepts, for messages.
  package var expected: String {
    switch self {
    case .text: "a string"
    case .json: "a value"
    case .base64: "a string in Base64"
    }
  }
}

/// The reason why bytes cannot be decoded.
package enum ContentError: Error {
  case notUTF8
  case malformed(JSONError)
}
