import LuaBridge

/// Text for people, as their terminal may get it.
///
/// What is written in this program stays as it is, and so may hold colours and keys of the terminal. Whatever is put
/// into it comes from scripts, files or the system, and cannot: control characters are escaped, but for line breaks
/// and tabs. The only way past that is to write text as a literal here.
struct TerminalText: Sendable, Hashable {
  /// What is written.
  private(set) var text: String

  /// Somebody else's text.
  init(_ foreign: some StringProtocol) { text = VisibleText.text(of: String(foreign)) }

  private init(escaped text: String) { self.text = text }

  var isEmpty: Bool { text.isEmpty }
  var bytes: [UInt8] { Array(text.utf8) }

  static func + (left: TerminalText, right: TerminalText) -> TerminalText {
    TerminalText(escaped: left.text + right.text)
  }

  static func += (left: inout TerminalText, right: TerminalText) { left.text += right.text }

  /// Each line further to the right; empty ones stay empty.
  func indented(by count: Int) -> TerminalText {
    TerminalText(escaped: runner.indented(text, by: count))
  }

  /// The lines, without their ends.
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
  /// What is in a string counts as somebody else's. Warnings are errors, so that nobody loses colours by this.
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
  /// What differs between two values; nil for none.
  init?(from old: Value, to new: Value, _ style: TextStyle) {
    // It writes strings and keys as Lua does, which escapes them.
    guard let text = LuaDiff(isColored: style.takesColor).text(from: old, to: new) else {
      return nil
    }
    self.init(escaped: text)
  }
}

/// A name where there is one line for it: line breaks are spaces, and nothing moves the cursor.
func oneLine(_ text: String) -> String {
  VisibleText.text(of: text.split(whereSeparator: \.isNewline).joined(separator: " "), keeping: [])
}

/// Each line of a text further to the right; empty ones stay empty.
func indented(_ text: String, by count: Int) -> String {
  let space = String(repeating: " ", count: count)
  return text.split(separator: "\n", omittingEmptySubsequences: false)
    .map { $0.isEmpty ? "" : space + $0 }
    .joined(separator: "\n")
}

/// JSON as a terminal may get it.
enum TerminalJSON {
  /// JSON lets all but C0 stand in strings as it is. What a terminal may obey beyond that is in strings alone, and is
  /// written there as `\u009B`.
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

  /// The same for what was written as bytes.
  static func bytes(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(where: { $0 == 0x7F || leads.contains($0) }) else { return json }
    return Array(text(String(decoding: json, as: UTF8.self)).utf8)
  }

  /// With which such characters begin in UTF-8: C1, U+061C, and those from U+2000 on.
  private static let leads: Set<UInt8> = [0xC2, 0xD8, 0xE2]
}
