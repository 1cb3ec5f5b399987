/// What to write instead of an operator of other languages that Lua does not have.
enum SyntaxRemedy {
  /// Lua's operators that other languages combine with `=`.
  private static let combinable = ["+", "-", "*", "/", "%", "^", "..", "//"]

  /// Returns the remedy for a message of Lua's compiler, which ends with the token at which it
  /// stopped; nil if there is none.
  ///
  /// - Parameters:
  ///   - message: such as `'then' expected near '!'`.
  ///   - line: the text of the line that the message names.
  static func remedy(for message: String, in line: Substring) -> String? {
    guard message.hasSuffix("'"), let near = message.ranges(of: " near '").last
    else { return nil }
    let token = String(message[near.upperBound...].dropLast())
    switch token {
    case "!" where line.contains("!="): return "write 'a ~= b' for 'a != b'"
    case "!": return "write 'not a' for '!a'"
    case "&" where line.contains("&&"): return "write 'a and b' for 'a && b'"
    case "|" where line.contains("||"): return "write 'a or b' for 'a || b'"
    case "=" where message.hasPrefix("'then' expected"):
      return "write 'a == b' to compare, 'a = b' assigns"
    case "+" where line.contains("++"): return "write 'a = a + 1' for 'a++'"
    case "//" where line.drop(while: \.isWhitespace).hasPrefix("//"):
      return "a comment begins with '--'"
    case _ where combinable.contains(token) && line.contains("\(token)="):
      return "write 'a = a \(token) b' for 'a \(token)= b'"
    default: return nil
    }
  }

  /// The text of a line of a script, from 1.
  static func line(_ number: Int, of source: [UInt8]) -> Substring {
    let lines = source.split(
      separator: UInt8(ascii: "\n"), maxSplits: number, omittingEmptySubsequences: false)
    guard number >= 1, number <= lines.count else { return "" }
    return String(decoding: lines[number - 1], as: UTF8.self)[...]
  }
}
