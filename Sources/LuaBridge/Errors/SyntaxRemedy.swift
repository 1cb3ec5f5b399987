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
      ?? comment(token, in: source[line]) ?? labelled(message, token, in: source[line])
      ?? remedy(for: message, token, wordAt: line, of: source)
      ?? remedy(for: message, token, blockBefore: line, of: source)
  }

  // MARK: Jumps

  /// The line of a `goto` or `break` that leads nowhere, and a message with the remedy; nil for other
  /// messages. Lua finds such a jump at the end of the function, and names its line in the text only.
  static func jump(_ message: String) -> (message: String, line: Int)? {
    guard
      let line = message.ranges(of: " at line ").last.flatMap({ range in
        Int(message[range.upperBound...].prefix(while: \.isNumber))
      })
    else { return nil }
    if message.hasPrefix("break outside loop") {
      return ("there is no loop around this 'break'; leave a function with 'return'", line)
    }
    let names = message.split(separator: "'", omittingEmptySubsequences: false)
    guard names.count > 2 else { return nil }
    if message.hasPrefix("<goto ") {
      return (
        "this 'goto' jumps into the scope of the local '\(names[1])'; declare the local in front of it, "
          + "or put it into 'do … end'", line
      )
    }
    guard message.hasPrefix("no visible label '") else { return nil }
    let label = names[1]
    let remedy =
      label == "continue"
      ? "write '::continue::' in front of the 'end' of the loop"
      : "write '::\(label)::' where it leads to, in the same block or in one around it"
    return ("there is no label '\(label)' for this 'goto'; \(remedy)", line)
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
    case "/" where line.contains("/*"), "*" where line.contains("/*"):
      return "a comment begins with '--', one of several lines is '--[[ … ]]'"
    case "." where line.contains("return ."):
      return "write 'return effect.none', or nothing, for 'return .none'"
    case ":" where message.hasPrefix("'}' expected") && line.contains("\":"):
      return "write 'name = value' in a table, for '\"name\": value'"
    case "in" where message.hasPrefix("'}' expected") && line.contains("{"):
      return "write 'function(send) … end' for '{ send in … }'"
    case "[" where message.hasPrefix("unexpected symbol"):
      return "write '{ a, b }' for a list '[a, b]'"
    case _ where token.hasSuffix("\\("): return #"write '"a " .. x' for '"a \(x)"'"#
    case _ where combinable.contains(token) && line.contains("\(token)="):
      return "write 'a = a \(token) b' for 'a \(token)= b'"
    default: return nil
    }
  }

  /// The remedy for `// words`, which Lua takes for a division. There is no text before it, which might
  /// have an address in it.
  private static func comment(_ token: String, in line: Substring) -> String? {
    guard let slashes = line.firstRange(of: "//"),
      !line[..<slashes.lowerBound].contains(where: { "\"'".contains($0) })
    else { return nil }
    let words = line[slashes.upperBound...].split(whereSeparator: \.isWhitespace)
    let isComment =
      token == "//" || words.count > 1 && words.dropFirst().contains { $0.hasPrefix(token) }
    return isComment ? "a comment begins with '--'" : nil
  }

  /// The remedy for `name: value` in a table, and for `rows[id: 1]`. Lua takes the colon for that of a
  /// method, whose name or arguments it then misses.
  private static func labelled(
    _ message: String, _ token: String, in line: Substring
  ) -> String? {
    guard ["<name> expected", "function arguments expected"].contains(where: message.hasPrefix),
      let colon = line.ranges(of: ": ").first(where: { line[$0.upperBound...].contains(token) }),
      let label = words(of: line[..<colon.lowerBound]).last,
      line[..<colon.lowerBound].hasSuffix(label)
    else { return nil }
    return line[..<colon.lowerBound].hasSuffix("[\(label)")
      ? "write 'scripted.list.find(list, id)' for 'list[id: id]'"
      : "write '\(label) = …' in a table, for '\(label): …'"
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
    "try": "write 'f()' for 'try f()': an error is raised by itself, and 'pcall(f)' catches it",
    "await": "write 'f()' for 'await f()': a function that waits does so by itself",
    "throw": "write 'error(…)' for 'throw …'", "continue": continuing,
    "case": "write 'if … then … elseif … then … end' for 'switch'",
  ]

  private static let continuing =
    "write 'goto continue', and '::continue::' in front of the 'end' of the loop"

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
    if message.hasPrefix("syntax error"), words.first == token,
      Self.words(of: source[line - 1]).last == "continue"
    {
      return continuing
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

/// The lines of a script, which are counted from 1.
struct SourceLines {
  private let lines: [Substring]

  init(_ source: [UInt8]) {
    lines = String(decoding: source, as: UTF8.self)
      .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  /// The text of a line; empty for a line that the script does not have.
  subscript(number: Int) -> Substring {
    lines.indices.contains(number - 1) ? lines[number - 1] : ""
  }
}
