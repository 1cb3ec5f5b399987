import ScriptValue

extension StringProtocol {
  /// The first word, and the rest without blanks at its ends.
  package var splitAtBlank: (first: String, rest: String) {
    guard let blank = firstIndex(where: \.isWhitespace) else { return (String(self), "") }
    return (String(self[..<blank]), self[blank...].trimmed)
  }
}

/// Indents each line. Empty lines stay empty.
package func indented(_ text: String, by count: Int) -> String {
  let space = String(repeating: " ", count: count)
  return text.split(separator: "\n", omittingEmptySubsequences: false)
    .map { $0.isEmpty ? "" : space + $0 }
    .joined(separator: "\n")
}

/// A word as it stands in a command for a shell.
package func shellWord(_ word: String) -> String {
  let isPlain = word.allSatisfy {
    $0.isASCII && ($0.isLetter || $0.isNumber || "_-./:".contains($0))
  }
  return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
}

/// Text for one line, such as a name: line breaks become blanks, and all other control characters
/// are escaped.
package func oneLine(_ text: String) -> String {
  VisibleText.text(of: text.split(whereSeparator: \.isNewline).joined(separator: " "), keeping: [])
}

/// A number with this many decimal digits: `fixed(1.5, 2)` is `1.50`.
package func fixed(_ number: Double, _ digits: Int) -> String {
  var scale = 1
  for _ in 0..<digits { scale *= 10 }
  let units = Int((max(0, min(number, 1e12)) * Double(scale)).rounded())
  guard digits > 0 else { return "\(units)" }
  let rest = "\(units % scale)"
  return "\(units / scale)." + String(repeating: "0", count: digits - rest.count) + rest
}

/// A duration for people: `8 ms`, `1.25 s`.
package func duration(_ seconds: Double) -> String {
  seconds < 0.9995 ? "\(fixed(seconds * 1000, 0)) ms" : "\(fixed(seconds, 2)) s"
}

/// A number with its noun: `1 file`, `3 files`.
package func count(_ number: Int, _ noun: String) -> String {
  number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
}

/// A number, or other text, at the right of a column of this width.
package func padded(_ text: String, to width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
