import LuaSyntax

/// Completes the keys of a payload, in Lua or JSON: `{ by = 2, de`, `{"by": 2, "de`.
struct PayloadCompleter {
  /// The keys that the action is known to have.
  let keys: [String]

  /// - Parameter text: the payload up to the cursor.
  func completion(of text: String) -> Completion {
    guard let place = Place(text) else { return .none }
    let rest = keys.filter { key in
      !place.used.contains(key) && key.first?.isNumber == false
        && key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
    return Completion(
      prefix: String(text[..<place.start]),
      candidates: rest.map { place.isQuoted ? "\"\($0)\": " : "\($0) = " },
      matching: String(text[place.start...]))
  }

  /// The place of the cursor, where a key of the outermost table may stand.
  private struct Place {
    /// Where the key begins; its quote, if it has one.
    private(set) var start: String.Index
    private(set) var used: Set<String> = []
    /// Whether the keys are strings, as in JSON.
    private(set) var isQuoted = false

    /// Nil if the cursor is elsewhere: in a value, in an inner table, behind the table.
    init?(_ text: String) {
      guard text.hasPrefix("{") else { return nil }
      start = text.endIndex
      var lexer = LuaLexer(Array(text.utf8))
      var depth = 0
      var expectsKey = false
      while true {
        let (token, position): (LuaLexer.Token, SourcePosition)
        do throws(LuaSyntaxError) {
          (token, position) = try lexer.next()
        } catch {
          // A string is open.
          start = text.utf8.index(text.startIndex, offsetBy: error.position.offset)
          isQuoted = true
          guard expectsKey, text[start] == "\"" else { return nil }
          return
        }
        let begin = text.utf8.index(text.startIndex, offsetBy: position.offset)
        switch token {
        case .symbol("{"), .symbol("["), .symbol("("):
          depth += 1
          expectsKey = depth == 1
        case .symbol("}"), .symbol("]"), .symbol(")"):
          depth -= 1
          if depth == 0 { return nil }
        case .symbol(","), .symbol(";"): expectsKey = depth == 1
        case .end:
          guard expectsKey, lexer.comments.isEmpty else { return nil }
          return
        case .symbol(let mark) where mark.first?.isLetter == false: expectsKey = false
        case .name(let word), .symbol(let word):
          guard expectsKey else { break }
          if text[begin...] == word {
            (start, isQuoted) = (begin, false)
            return
          }
          used.insert(word)
          expectsKey = false
        case .string(let key):
          if expectsKey, text[begin] == "\"" {
            used.insert(key)
            isQuoted = true
          }
          expectsKey = false
        case .number: expectsKey = false
        }
      }
    }
  }
}
