import ScriptedStore

/// Renders a failed test in full for people.
struct FailureText {
  let style: TextStyle
  /// Whether to show the tracebacks of failed assertions too. Their source line is usually enough.
  let isVerbose: Bool

  /// How many tests with the same failure are named. The others are only counted.
  private static let nameLimit = 10

  /// What failed: a test, a hook or a file.
  struct Subject {
    let file: String
    let line: Int?
    let path: [String]

    init(_ test: ScriptTest) {
      self.init(file: test.displayedFile, line: test.line, path: test.path)
    }

    init(file: String, line: Int? = nil, path: [String] = []) {
      self.file = file
      self.line = line
      self.path = path
    }
  }

  /// One entry: the tests that failed in the same way, and their failures.
  func text(of subjects: [Subject], _ failures: [ScriptTestFailure], output: [String])
    -> TerminalText
  {
    var lines = subjects.prefix(Self.nameLimit).map(heading)
    if subjects.count > Self.nameLimit {
      lines.append(style.dim("       and \(subjects.count - Self.nameLimit) more like it"))
    }
    for failure in failures { lines += ["", body(of: failure)] }
    if !output.isEmpty {
      let printed = TerminalText(output.joined(separator: "\n"))
      lines += ["", style.dim("  it printed"), printed.indented(by: 4)]
    }
    return lines.joined(separator: "\n") + "\n\n"
  }

  private func heading(_ subject: Subject) -> TerminalText {
    let location = TerminalText(
      oneLine(subject.line.map { "\(subject.file):\($0)" } ?? subject.file))
    guard !subject.path.isEmpty else { return "\(style.alarm(" FAIL ")) \(style.bold(location))" }
    let name = TerminalText(path: subject.path, style)
    return "\(style.alarm(" FAIL ")) \(style.bold(name))  \(style.dim(location))"
  }

  private func body(of failure: ScriptTestFailure) -> TerminalText {
    var parts = [message(of: failure).indented(by: 2)]
    if let source = failure.source, let line = failure.line {
      parts.append(TerminalText(source, at: line, style).indented(by: 2))
    }
    if let traceback = failure.displayedTraceback, failure.kind != .failure || isVerbose {
      let lines = traceback.split(separator: "\n").map { style.dim("\($0)") }
      parts.append(lines.joined(separator: "\n").indented(by: 2))
    }
    return parts.joined(separator: "\n\n")
  }

  /// The location and the message. Removed and added lines of a difference are colored.
  private func message(of failure: ScriptTestFailure) -> TerminalText {
    failure.locatedMessage.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated().map { number, line in
        let text = line.drop { $0 == " " }
        let shown = TerminalText(line)
        if number == 0 { return style.red(shown) }
        if text.hasPrefix("-") && !text.hasPrefix("--") { return style.red(shown) }
        if text.hasPrefix("+") { return style.green(shown) }
        return shown
      }
      .joined(separator: "\n")
  }
}

extension TerminalText {
  /// The names of a test's blocks and of the test.
  init(path: [String], _ style: TextStyle) {
    self = path.map { TerminalText(oneLine($0)) }.joined(separator: style.dim(" › "))
  }
}
