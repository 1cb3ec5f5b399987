/// Completes the keys of a payload, in Lua or JSON: `{ by = 2, de`, `{"by": 2, "de`.
struct PayloadCompleter {
  /// The keys that the action is known to have.
  let keys: [String]

  /// - Parameter text: the payload up to the cursor.
  func completion(of text: String) -> Completion {
    guard let place = Place(text) else { return .none }
    let isName = { (key: String) in
      key.allSatisfy(Place.isPartOfName) && key.first?.isNumber == false
    }
    let rest = keys.filter { isName($0) && !place.used.contains($0) }
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

    static func isPartOfName(_ character: Character) -> Bool {
      character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }

    /// Nil if the cursor is elsewhere: in a value, in an inner table, behind the table.
    init?(_ text: String) {
      guard text.hasPrefix("{") else { return nil }
      start = text.endIndex
      var depth = 0
      var expectsKey = false
      var index = text.startIndex
      while index < text.endIndex {
        let (character, begin) = (text[index], index)
        index = text.index(after: index)
        switch character {
        case "{", "[", "(":
          depth += 1
          expectsKey = depth == 1
        case "}", "]", ")":
          depth -= 1
          if depth == 0 { return nil }
        case ",", ";": expectsKey = depth == 1
        case "\"", "'":
          let end = Self.endOfString(in: text, from: begin)
          let isKey = expectsKey && character == "\""
          guard let end else {
            guard isKey else { return nil }
            (start, isQuoted) = (begin, true)
            return
          }
          if isKey {
            used.insert(String(text[index..<text.index(before: end)]))
            isQuoted = true
          }
          expectsKey = false
          index = end
        case _ where Self.isPartOfName(character):
          index = text[begin...].firstIndex { !Self.isPartOfName($0) } ?? text.endIndex
          guard expectsKey else { continue }
          if index == text.endIndex {
            (start, isQuoted) = (begin, false)
            return
          }
          used.insert(String(text[begin..<index]))
          expectsKey = false
        case _ where character.isWhitespace: break
        default: expectsKey = false
        }
      }
      if !expectsKey { return nil }
    }

    /// The index behind the quote that ends a string; nil if the string is open.
    private static func endOfString(in text: String, from start: String.Index) -> String.Index? {
      var index = text.index(after: start)
      while index < text.endIndex {
        if text[index] == text[start] { return text.index(after: index) }
        if text[index] == "\\" { index = text.index(after: index) }
        if index < text.endIndex { index = text.index(after: index) }
      }
      return nil
    }
  }
}
