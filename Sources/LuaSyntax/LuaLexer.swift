/// Splits a script into tokens. Numbers and escape sequences are not validated: this lexer is for
/// text that Lua has already compiled.
package struct LuaLexer {
  package enum Token: Equatable {
    case name(String)
    case string(String)
    case number
    /// A keyword, an operator or a bracket.
    case symbol(String)
    case end
  }

  private static let keywords: Set = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]
  /// The operators of several characters. Longer ones come first, so that `...` is not read as
  /// `..`.
  private static let operators = [
    "...", "<<", ">>", "//", "==", "~=", "<=", ">=", "::", "..",
  ].map { (text: $0, bytes: Array($0.utf8)) }

  /// The characters that an escape sequence of one letter stands for, by the letter.
  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "n"): 10, UInt8(ascii: "t"): 9, UInt8(ascii: "r"): 13, UInt8(ascii: "a"): 7,
    UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "v"): 11,
  ]

  private let source: [UInt8]
  /// The texts of the comments so far.
  package private(set) var comments: [String] = []
  /// The line on which each of ``comments`` begins.
  package private(set) var commentLines: [Int] = []
  private var at = 0
  private var line = 1

  package init(_ source: [UInt8]) { self.source = source }

  private var byte: UInt8 { at < source.count ? source[at] : 0 }

  private func byte(after count: Int) -> UInt8 {
    at + count < source.count ? source[at + count] : 0
  }

  /// Passes a byte, or a line break, which may have two bytes: Lua counts `\r\n` and `\n\r` as one.
  private mutating func advance() {
    let first = byte
    at += 1
    guard Self.isLineBreak(first) else { return }
    line += 1
    if byte != first, Self.isLineBreak(byte) { at += 1 }
  }

  /// Returns the next token and the position where it begins.
  package mutating func next() throws(LuaSyntaxError) -> (Token, SourcePosition) {
    try skipSpace()
    let start = SourcePosition(offset: at, line: line)
    guard at < source.count else { return (.end, start) }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return (.string(try quoted()), start)
    case UInt8(ascii: "["):
      if let text = try longBracket() { return (.string(text), start) }
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return (number(), start)
    case UInt8(ascii: "."):
      if Self.isDigit(byte(after: 1)) { return (number(), start) }
    case let first where Self.isLetter(first):
      let begin = at
      while Self.isLetter(byte) || Self.isDigit(byte) { at += 1 }
      let word = String(decoding: source[begin..<at], as: UTF8.self)
      return (Self.keywords.contains(word) ? .symbol(word) : .name(word), start)
    default: break
    }
    for (text, bytes) in Self.operators where source[at...].starts(with: bytes) {
      at += bytes.count
      return (.symbol(text), start)
    }
    at += 1
    return (.symbol(String(UnicodeScalar(source[at - 1]))), start)
  }

  private mutating func skipSpace() throws(LuaSyntaxError) {
    while at < source.count {
      if byte == UInt8(ascii: "-") && byte(after: 1) == UInt8(ascii: "-") {
        at += 2
        commentLines.append(line)
        if byte == UInt8(ascii: "["), let text = try longBracket() {
          comments.append(text)
          continue
        }
        let begin = at
        while at < source.count && !Self.isLineBreak(byte) { at += 1 }
        comments.append(String(decoding: source[begin..<at], as: UTF8.self))
      } else if Self.isSpace(byte) {
        advance()
      } else {
        return
      }
    }
  }

  /// Reads a long string `[[…]]`, `[=[…]=]` and so on. Returns nil, and reads nothing, if this is
  /// an ordinary bracket.
  private mutating func longBracket() throws(LuaSyntaxError) -> String? {
    let start = SourcePosition(offset: at, line: line)
    var level = 0
    while byte(after: level + 1) == UInt8(ascii: "=") { level += 1 }
    guard byte(after: level + 1) == UInt8(ascii: "[") else { return nil }
    at += level + 2
    let begin = at
    while at < source.count {
      if byte == UInt8(ascii: "]") {
        var count = 0
        while byte(after: count + 1) == UInt8(ascii: "=") { count += 1 }
        if count == level && byte(after: level + 1) == UInt8(ascii: "]") {
          defer { at += level + 2 }
          return String(decoding: source[begin..<at], as: UTF8.self)
        }
      }
      advance()
    }
    throw LuaSyntaxError(position: start)
  }

  private mutating func quoted() throws(LuaSyntaxError) -> String {
    let start = SourcePosition(offset: at, line: line)
    let quote = byte
    at += 1
    var text: [UInt8] = []
    while at < source.count {
      switch byte {
      case quote:
        at += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        at += 1
        escape(into: &text)
      default:
        text.append(byte)
        advance()
      }
    }
    throw LuaSyntaxError(position: start)
  }

  /// Appends the character that an escape sequence stands for. The backslash is already read.
  private mutating func escape(into text: inout [UInt8]) {
    if let character = Self.escapes[byte] {
      text.append(character)
      at += 1
      return
    }
    switch byte {
    case UInt8(ascii: "z"):
      at += 1
      while Self.isSpace(byte) { advance() }
    case UInt8(ascii: "x"):
      let digits = source[min(at + 1, source.count)...].prefix(2)
      text.append(UInt8(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0)
      at = min(at + 3, source.count)
    case UInt8(ascii: "u") where byte(after: 1) == UInt8(ascii: "{"):
      let digits = source[at...].dropFirst(2).prefix { $0 != UInt8(ascii: "}") }
      let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
      text += String(number.flatMap(Unicode.Scalar.init) ?? "\u{FFFD}").utf8
      at = min(at + 3 + digits.count, source.count)
    case let digit where Self.isDigit(digit):
      let digits = source[at...].prefix(3).prefix(while: Self.isDigit)
      text.append(UInt8(String(decoding: digits, as: UTF8.self)) ?? 0)
      at += digits.count
    default:
      // A quote, a backslash or a line break stands for itself.
      text.append(Self.isLineBreak(byte) ? UInt8(ascii: "\n") : byte)
      advance()
    }
  }

  /// Reads as many characters as Lua takes for a number, without validating them.
  private mutating func number() -> Token {
    let isHexadecimal =
      byte == UInt8(ascii: "0") && byte(after: 1) | 0x20 == UInt8(ascii: "x")
    let exponent = UInt8(ascii: isHexadecimal ? "p" : "e")
    while true {
      if byte | 0x20 == exponent
        && (byte(after: 1) == UInt8(ascii: "+") || byte(after: 1) == UInt8(ascii: "-"))
      {
        at += 2
      } else if Self.isDigit(byte) || Self.isLetter(byte) || byte == UInt8(ascii: ".") {
        at += 1
      } else {
        return .number
      }
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }

  private static func isLineBreak(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
  }
}

/// A position in a script: a byte offset, from 0, and a source line, from 1.
package struct SourcePosition {
  package let offset: Int
  package let line: Int
}

/// The script does not follow the grammar of Lua 5.4 at `position`.
package struct LuaSyntaxError: Error {
  package let position: SourcePosition
}
