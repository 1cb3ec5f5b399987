/// A place in a JSON document (RFC 6901): `/todos/3/title`.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  /// The keys and indices on the way down, unescaped; none for the whole document.
  public var tokens: [String]

  public init(tokens: [String] = []) {
    self.tokens = tokens
  }

  /// Reads a pointer; nil if the text is neither empty nor starts with `/`, or has a `~` that is
  /// not `~0` or `~1`.
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

  /// `~1` stands for a slash, `~0` for a tilde.
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

  /// The pointer's text: what ``init(_:)`` reads.
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

  /// The pointer one step further down.
  public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }

  /// Whether `other` lies below this place.
  func isProperPrefix(of other: JSONPointer) -> Bool {
    tokens.count < other.tokens.count && other.tokens.starts(with: tokens)
  }
}
