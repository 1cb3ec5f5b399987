/// What to write instead of the syntax of other languages that Lua does not have.
///
/// Each remedy is found by the token at which Lua's compiler stopped, and by words of the lines near it. Nothing is
/// parsed: a remedy only adds to a message that there is anyway.
enum SyntaxRemedy {
  /// Lua's operators that other languages combine with `=`.
  private static let combinable = ["+", "-", "*", "/", "%", "^", "..", "//"]

  /// Returns the remedy for a message of Lua's compiler; nil if there is none.
  ///
  /// - Parameters:
  ///   - message: such as `'then' expected near '!'`.
  ///   - line: the number of the line that the message names.
  static func remedy(for message: String, at line: Int, of source: SourceLines) -> String? {
    guard let token = token(of: message) else { return nil }
    return remedy(for: message, token, operatorIn: source[line])
      ?? remedy(for: message, token, wordAt: line, of: source)
      ?? remedy(for: message, token, blockBefore: line, of: source)
  }

  /// The token at the end of a message, without quotes: `… near '!'` or `… near <eof>`.
  private static func token(of message: String) -> String? {
    guard let near = message.ranges(of: " near ").last else { return nil }
    let token = message[near.upperBound...]
    return token.count > 2 && token.first == "'" && token.last == "'"
      ? String(token.dropFirst().dropLast()) : String(token)
  }

  // MARK: Operators and Literals

  private static func remedy(
    for message: String, _ token: String, operatorIn line: Substring
  ) -> String? {
    switch token {
    case "!" where line.contains("!="): return "write 'a ~= b' for 'a != b'"
    case "!": return "write 'not a' for '!a'"
    case "&" where line.contains("&&"): return "write 'a and b' for 'a && b'"
    case "|" where line.contains("||"): return "write 'a or b' for 'a || b'"
    case "?" where line.contains("??"): return "write 'a or b' for 'a ?? b'"
    case "?" where line.contains("?."): return "write 'a and a.b' for 'a?.b'"
    case "?": return "write 'c and a or b' for 'c ? a : b'"
    case "=" where message.hasPrefix("'then' expected"):
      return "write 'a == b' to compare, 'a = b' assigns"
    case "+" where line.contains("++"): return "write 'a = a + 1' for 'a++'"
    case "//" where line.drop(while: \.isWhitespace).hasPrefix("//"):
      return "a comment begins with '--'"
    case "[" where message.hasPrefix("unexpected symbol"):
      return "write '{ a, b }' for a list '[a, b]'"
    case _ where token.hasSuffix("\\("): return #"write '"a " .. x' for '"a \(x)"'"#
    case _ where combinable.contains(token) && line.contains("\(token)="):
      return "write 'a = a \(token) b' for 'a \(token)= b'"
    default: return nil
    }
  }

  // MARK: Words

  /// Statements that begin with a word that Lua does not have. Lua stops behind that word, which it
  /// takes for a name.
  private static let statements = [
    "let": "write 'local x = …'", "var": "write 'local x = …'", "const": "write 'local x = …'",
    "func": "write 'function f(…) … end'", "fn": "write 'function f(…) … end'",
    "def": "write 'function f(…) … end'",
    "guard": "write 'if not condition then return end' for 'guard'",
    "switch": "write 'if … then … elseif … then … end' for 'switch'",
    "case": "write 'if … then … elseif … then … end' for 'switch'",
  ]

  /// Statements with a block in braces, and the word that Lua has in place of the brace. Lua reads
  /// `c {` as a call with a table, so that it may stop behind the brace.
  private static let blocks = [
    "if": (word: "then", remedy: "write 'if condition then … end', without braces"),
    "while": (word: "do", remedy: "write 'while condition do … end', without braces"),
    "for": (word: "do", remedy: "write 'for index, x in ipairs(list) do … end', without braces"),
  ]

  private static func remedy(
    for message: String, _ token: String, wordAt line: Int, of source: SourceLines
  ) -> String? {
    let words = words(of: source[line])
    if let (word, _) = zip(words, words.dropFirst()).first(where: {
      statements[$0] != nil && $1 == token
    }) {
      return statements[word]
    }
    let begun =
      opening(of: message)
      ?? stride(from: line - 1, to: 0, by: -1).first { source[$0].contains("{") } ?? line
    for number in Set([line, begun]).sorted() where source[number].contains("{") {
      let words = Self.words(of: source[number])
      for word in words {
        if let block = blocks[word], !words.contains(block.word) { return block.remedy }
      }
      if words.first == "switch" || words.first == "guard" { return statements[words[0]] }
    }
    return nil
  }

  /// The line with the opening of what the message misses the end of: `(to close '{' at line 3)`.
  private static func opening(of message: String) -> Int? {
    guard let start = message.ranges(of: "' at line ").last else { return nil }
    return Int(message[start.upperBound...].prefix(while: \.isNumber))
  }

  private static func words(of line: Substring) -> [String] {
    line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
  }

  // MARK: Blocks

  private static func remedy(
    for message: String, _ token: String, blockBefore line: Int, of source: SourceLines
  ) -> String? {
    let misses = message.hasPrefix("'end' expected") || message.hasPrefix("'<eof>' expected")
    if misses, token.first?.isLetter == true, !["else", "elseif", "end", "until"].contains(token) {
      // A block ends at one of these words, or behind its `return`.
      return
        "'return' must be the last statement of its block: an 'end' is missing behind it, or write "
        + "'do return … end'"
    }
    guard misses || message.hasPrefix("unexpected symbol"),
      ["<eof>", ",", ")", "}", "end"].contains(token)
    else { return nil }
    // An `end` is missing: the reason may be between here and the beginning of the function.
    let opening = opening(of: message)
    for number in stride(from: line, to: 0, by: -1) {
      let words = words(of: source[number])
      if zip(words, words.dropFirst()).contains(where: { $0 == "else" && $1 == "if" }) {
        return "an 'else if' needs an 'end' of its own; write 'elseif'"
      }
      if opening.map({ $0 == number }) ?? words.contains("function") { return nil }
    }
    return nil
  }
}
