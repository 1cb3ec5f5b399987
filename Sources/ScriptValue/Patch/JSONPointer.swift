/// A path in a JSON document (RFC 6901): `/todos/3/title`.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  /// The keys and indices of the path, without escapes. An empty array is the whole document.
  public var tokens: [String]

  public init(tokens: [String] = []) {
    self.tokens = tokens
  }

  /// Parses a pointer. Nil if the text is not empty and does not start with `/`, or if it has a `~`
  /// that is not part of `~0` or `~1`.
  public init?(_ text: some StringProtocol) {
    tokens = []
    if text.isEmpty { return }
    guard text.utf8.first == UInt8(ascii: "/") else { return nil }
    for escaped in text.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let token = Self.unescaped(Array(escaped)) else { return nil }
      tokens.append(token)
    }
  }

  /// Replaces `~1` by a slash and `~0` by a tilde. Nil for any other `~`.
  private static func unescaped(_ token: [UInt8]) -> String? {
    guard token.contains(UInt8(ascii: "~")) else { return String(decoding: token, as: UTF8.self) }
    var plain: [UInt8] = []
    var bytes = token.makeIterator()
    while let byte = bytes.next() {
      if byte != UInt8(ascii: "~") {
        plain.append(byte)
        continue
      }
      switch bytes.next() {
      case UInt8(ascii: "0"): plain.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): plain.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  /// The pointer as text, which ``init(_:)`` parses.
  public var description: String {
    var bytes: [UInt8] = []
    for token in tokens {
      bytes.append(UInt8(ascii: "/"))
      for byte in token.utf8 {
        switch byte {
        case UInt8(ascii: "~"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "0")]
        case UInt8(ascii: "/"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "1")]
        default: bytes.append(byte)
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the pointer with one more token.
  public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }

  /// Whether `other` is a path into the value at this pointer.
  func isProperPrefix(of other: JSONPointer) -> Bool {
    tokens.count < other.tokens.count
      && other.tokens.starts(with: tokens) { TextKey($0) == TextKey($1) }
  }
}
