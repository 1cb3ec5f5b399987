import ScriptValue

/// Makes JSON safe to print on a terminal.
package enum TerminalJSON {
  /// JSON escapes only C0 control characters. Other characters that a terminal may obey (DEL, C1,
  /// and those that change the text direction) can occur only inside strings. They are replaced by
  /// escapes such as `\u009B`.
  package static func text(_ json: String) -> String {
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
  package static func bytes(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(where: { $0 == 0x7F || leads.contains($0) }) else { return json }
    return Array(text(String(decoding: json, as: UTF8.self)).utf8)
  }

  /// A value on a line of its own.
  package static func line(_ value: Value) -> [UInt8] {
    bytes(Array((value.json() + "\n").utf8))
  }

  /// The first bytes in UTF-8 of the escaped characters: C1, U+061C, and those from U+2000 on.
  private static let leads: Set<UInt8> = [0xC2, 0xD8, 0xE2]
}

/// Formats a workflow command of GitHub Actions: `::error file=todos.lua,line=3::message`.
package enum WorkflowCommand {
  package static func line(
    _ name: String, _ fields: [(name: String, value: String)], _ message: String
  ) -> String {
    let fields = fields.map { "\($0.name)=\(escapedField($0.value))" }
    return "::\(name) \(fields.joined(separator: ","))::\(escaped(message))\n"
  }

  private static func escaped(_ text: String) -> String {
    replacing(
      ["%": "%25", "\r": "%0D", "\n": "%0A"],
      in: VisibleText.text(of: text, keeping: ["\n", "\r", "\t"]))
  }

  private static func escapedField(_ text: String) -> String {
    replacing([":": "%3A", ",": "%2C"], in: escaped(text))
  }

  /// Replaces single scalars. As a `Character`, CR followed by LF would match neither CR nor LF.
  private static func replacing(
    _ replacements: [Unicode.Scalar: String], in text: String
  ) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      result += replacements[scalar] ?? String(scalar)
    }
  }
}
