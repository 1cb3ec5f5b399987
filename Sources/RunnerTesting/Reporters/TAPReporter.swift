import LuaBridge
import RunnerShared
import ScriptedStore

/// Writes the Test Anything Protocol, version 14: one test point per test, and the failures in
/// YAML. All files share one sequence of numbers, so that consumers of older versions count the
/// tests.
struct TAPReporter: Reporter {
  private var number = 0

  mutating func text(of event: TestRunEvent) -> String {
    switch event {
    case .began(_, let seed):
      return "TAP version 14\n" + (seed.map { "# seed \($0)\n" } ?? "")
    case .fileBegan(let run): return "# \(oneLine(run.title))\n"
    case .testEnded(let result, _): return point(result)
    case .blockFailed(let block, _):
      guard !block.isReportedByTests else { return "" }
      return point(
        isOK: false, name: block.name, diagnostics: diagnostics([block.failure]))
    case .fileEnded(let outcome):
      guard let failure = outcome.loadFailure else { return "" }
      return point(
        isOK: false, name: outcome.run.title, diagnostics: diagnostics([failure]))
    case .ended(let outcome): return end(outcome)
    }
  }

  private func end(_ outcome: TestRunOutcome) -> String {
    switch outcome.stop {
    // The plan is left out, because it would say that all tests have run.
    case .interrupted: "Bail out! interrupted\n"
    case .failures(let number): "Bail out! stopped after \(count(number, "failure"))\n"
    case nil: number == 0 ? "1..0 # SKIP no tests\n" : "1..\(number)\n"
    }
  }

  private mutating func point(_ result: ScriptTestResult) -> String {
    var lines = ["duration_ms: \(fixed(result.duration / .milliseconds(1), 3))"]
    if result.attempts > 1 { lines.append("attempts: \(result.attempts)") }
    if !result.output.isEmpty {
      lines.append(Self.field("output", result.output.joined(separator: "\n")))
    }
    switch result.outcome {
    case .passed:
      let isPlain = result.attempts == 1 && result.output.isEmpty
      return point(isOK: true, name: result.test.name, diagnostics: isPlain ? [] : lines)
    case .failed(let failures):
      return point(
        isOK: false, name: result.test.name, diagnostics: diagnostics(failures) + lines)
    case .skipped(let reason):
      let reason = reason.map { " " + Self.description($0) } ?? ""
      return point(
        isOK: true, name: result.test.name, directive: " # SKIP\(reason)", diagnostics: [])
    }
  }

  private mutating func point(
    isOK: Bool, name: String, directive: String = "", diagnostics: [String]
  ) -> String {
    number += 1
    let text =
      "\(isOK ? "ok" : "not ok") \(number) - \(Self.description(name))\(directive)\n"
    guard !diagnostics.isEmpty else { return text }
    return text + indented((["---"] + diagnostics + ["..."]).joined(separator: "\n"), by: 2) + "\n"
  }

  /// The YAML lines of a failed test: the fields of the first failure, and the messages of the
  /// others.
  private func diagnostics(_ failures: [ScriptTestFailure]) -> [String] {
    guard let first = failures.first else { return [] }
    var lines = [
      Self.field("message", first.bareMessage),
      "severity: \(first.kind == .failure ? "fail" : "error")",
    ]
    if let path = first.path {
      lines += ["at:", "  file: \(Self.quoted(path))"]
      if let line = first.line { lines.append("  line: \(line)") }
    }
    if let traceback = first.displayedTraceback { lines.append(Self.field("stack", traceback)) }
    if failures.count > 1 {
      lines.append("also:")
      lines += failures.dropFirst().map { "  - \(Self.quoted($0.locatedMessage))" }
    }
    return lines
  }

  /// A name as the description of a test point. An unescaped `#` would begin a directive.
  private static func description(_ name: String) -> String {
    oneLine(name).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
  }

  /// A YAML field. Text of several lines becomes a block, which people can read, if a plain block
  /// can hold it. Consumers of older versions understand only plain blocks.
  private static func field(_ key: String, _ text: String) -> String {
    let isBlock =
      text.contains("\n") && !text.hasPrefix(" ") && !text.hasPrefix("\n") && !text.hasSuffix("\n")
      && text.unicodeScalars.allSatisfy { $0 == "\n" || isPrintable($0) }
    return isBlock ? "\(key): |\n\(indented(text, by: 2))" : "\(key): \(quoted(text))"
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\t"
      || !VisibleText.isHidden(scalar) && scalar.value != 0xFEFF
        && !(0xFFFE...0xFFFF ~= scalar.value)
  }

  /// A string in JSON, which is also a string in YAML.
  private static func quoted(_ text: String) -> String {
    TerminalJSON.text(Value.string(text).json())
  }
}
