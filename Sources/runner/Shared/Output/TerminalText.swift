import LuaBridge

/// Text for people, safe to print on their terminal.
///
/// 1. A string literal in this program is trusted. It may contain escape sequences, such as
///    colours.
/// 2. Every other text comes from scripts, files or the system and is not trusted. Its control
///    characters are escaped, except line breaks and tabs.
/// 3. Only a literal, or a private initializer for text that is already escaped, avoids the
///    escaping.
struct TerminalText: Sendable, Hashable {
  /// The escaped text.
  private(set) var text: String

  /// Escapes text that is not trusted.
  init(_ foreign: some StringProtocol) { text = VisibleText.text(of: String(foreign)) }

  private init(escaped text: String) { self.text = text }

  var isEmpty: Bool { text.isEmpty }
  var bytes: [UInt8] { Array(text.utf8) }

  static func + (left: TerminalText, right: TerminalText) -> TerminalText {
    TerminalText(escaped: left.text + right.text)
  }

  static func += (left: inout TerminalText, right: TerminalText) { left.text += right.text }

  /// Indents each line. Empty lines stay empty.
  func indented(by count: Int) -> TerminalText {
    TerminalText(escaped: runner.indented(text, by: count))
  }

  /// The lines without their line breaks.
  var lines: [TerminalText] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { TerminalText(escaped: String($0)) }
  }
}

extension TerminalText: ExpressibleByStringInterpolation {
  init(stringLiteral literal: String) { text = literal }
  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }

    mutating func appendInterpolation(_ part: TerminalText) { text += part.text }

    mutating func appendInterpolation(_ foreign: some CustomStringConvertible) {
      text += VisibleText.text(of: foreign.description)
    }
  }
}

extension DefaultStringInterpolation {
  /// Text in a plain string counts as untrusted and loses its colours. The deprecation makes this
  /// an error, since warnings are errors in this package.
  @available(
    *, deprecated, message: "write it into a TerminalText; a String would have its colours escaped"
  )
  mutating func appendInterpolation(_ text: TerminalText) { appendInterpolation(text.text) }
}

extension Sequence<TerminalText> {
  func joined(separator: TerminalText = "") -> TerminalText {
    var result: TerminalText = ""
    var isFirst = true
    for part in self {
      if !isFirst { result += separator }
      isFirst = false
      result += part
    }
    return result
  }
}

extension TerminalText {
  /// The difference of two values; nil if they are equal.
  init?(from old: Value, to new: Value, _ style: TextStyle) {
    // `LuaDiff` writes strings and keys as Lua literals, so they are already escaped.
    guard let text = LuaDiff(isColored: style.takesColor).text(from: old, to: new) else {
      return nil
    }
    self.init(escaped: text)
  }
}

/// Text for one line, such as a name: line breaks become blanks, and all other control characters
/// are escaped.
func oneLine(_ text: String) -> String {
  VisibleText.text(of: text.split(whereSeparator: \.isNewline).joined(separator: " "), keeping: [])
}

/// Indents each line. Empty lines stay empty.
func indented(_ text: String, by count: Int) -> String {
  let space = String(repeating: " ", count: count)
  return text.split(separator: "\n", omittingEmptySubsequences: false)
    .map { $0.isEmpty ? "" : space + $0 }
    .joined(separator: "\n")
}

/// Makes JSON safe to print on a terminal.
enum TerminalJSON {
  /// JSON escapes only C0 control characters. Other characters that a terminal may obey (DEL, C1,
  /// and those that change the text direction) can occur only inside strings. They are replaced by
  /// escapes such as `\u009B`.
  static func text(_ json: String) -> String {
    guard json.utf8.contains(where: { $0 == 0x7F || leads.contains($0) }) else { return json }
    var result = ""
    for scalar in json.unicodeScalars {
      if VisibleText.isHidden(scalar), scalar.value >= 0x7F {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The same as ``text(_:)`` for bytes in UTF-8.
  static func bytes(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(where: { $0 == 0x7F || leads.contains($0) }) else { return json }
    return Array(text(String(decoding: json, as: UTF8.self)).utf8)
  }

  /// The first bytes in UTF-8 of the escaped characters: C1, U+061C, and those from U+2000 on.
  private static let leads: Set<UInt8> = [0xC2, 0xD8, 0xE2]
}
