import ScriptValue

/// Formats a workflow command of GitHub Actions: `::error file=todos.lua,line=3::message`.
enum WorkflowCommand {
  static func line(
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
