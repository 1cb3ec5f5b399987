import RunnerShared
import ScriptChecks
import ScriptValue

/// The result of a check, printed as text, as JSON lines or as workflow commands.
struct CheckReport {
  let findings: [Finding]
  /// The number of checked scripts.
  let scripts: Int

  func count(_ severity: Finding.Severity) -> Int { findings.count { $0.severity == severity } }

  /// One line for each finding, then a summary line.
  func text(_ style: TextStyle) -> TerminalText {
    var text: TerminalText = ""
    for finding in findings {
      var position = "\(finding.path):\(finding.line)"
      if let column = finding.column { position += ":\(column)" }
      let word = TerminalText(finding.severity.rawValue)
      let severity =
        switch finding.severity {
        case .error: style.red(word)
        case .warning: style.yellow(word)
        case .hint: style.cyan(word)
        }
      let code = style.dim("[\(finding.code.rawValue)]")
      text += "\(style.bold("\(position)")): \(severity): \(Self.message(finding)) \(code)\n"
    }
    return "\(text)\(summary)\n"
  }

  private static func message(_ finding: Finding) -> String {
    ScriptPaths.inMessage(finding.message + (finding.remedy.map { "; \($0)" } ?? ""))
  }

  private var summary: String {
    let counts = Finding.Severity.allCases.compactMap { severity -> String? in
      let count = count(severity)
      return count == 0 ? nil : RunnerShared.count(count, severity.rawValue)
    }
    let found = counts.isEmpty ? "nothing found" : counts.joined(separator: ", ")
    return "\(found) in \(RunnerShared.count(scripts, "script"))"
  }

  /// One JSON object a line: the findings, then the counts.
  var json: [UInt8] {
    var lines: [UInt8] = []
    for finding in findings {
      var object: Value.Object = ["file": .string(finding.path), "line": Value(finding.line)]
      object["column"] = finding.column.map { Value($0) }
      object["severity"] = .string(finding.severity.rawValue)
      object["code"] = .string(finding.code.rawValue)
      object["message"] = .string(ScriptPaths.inMessage(finding.message))
      object["remedy"] = finding.remedy.map { .string(ScriptPaths.inMessage($0)) }
      lines += TerminalJSON.line(.object(object))
    }
    var summary: Value.Object = ["scripts": Value(scripts)]
    for severity in Finding.Severity.allCases {
      summary["\(severity.rawValue)s"] = Value(count(severity))
    }
    return lines + TerminalJSON.line(.object(summary))
  }

  /// The findings as workflow commands of GitHub Actions.
  var github: String {
    findings.map { finding in
      let name = finding.severity == .hint ? "notice" : finding.severity.rawValue
      var fields = [("file", finding.path), ("line", String(finding.line))]
      if let column = finding.column { fields.append(("col", String(column))) }
      fields.append(("title", finding.code.rawValue))
      return WorkflowCommand.line(name, fields, Self.message(finding))
    }.joined()
  }
}
