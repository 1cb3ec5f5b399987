/// Makes text of scripts and files safe for a terminal. Characters that control the terminal, or
/// that make text look like other text, are written as escapes of a Lua string: `\027` or
/// `\u{202e}`.
package enum VisibleText {
  /// The characters that stay in text of several lines.
  package static let layout: Set<Unicode.Scalar> = ["\n", "\t"]

  /// - Parameter kept: Control characters that are not escaped.
  package static func text(of text: String, keeping kept: Set<Unicode.Scalar> = layout) -> String {
    guard text.unicodeScalars.contains(where: { isHidden($0) && !kept.contains($0) }) else {
      return text
    }
    var result = ""
    for scalar in text.unicodeScalars {
      if isHidden(scalar), !kept.contains(scalar) {
        result += escape(of: scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether the character is in C0 or C1, is DEL, separates lines or paragraphs, or changes the
  /// direction of text.
  package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  package static func escape(of scalar: Unicode.Scalar) -> String {
    guard scalar.value < 0x80 else { return "\\u{\(String(scalar.value, radix: 16))}" }
    let digits = String(scalar.value)
    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
  }
}
