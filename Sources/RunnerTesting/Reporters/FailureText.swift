import LuaBridge
import RunnerShared
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
    var line: Int?
    var path: [String] = []
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

/// Collects the failures of a run for the end of the report. Consecutive tests of a file that fail
/// in the same way share one entry, such as the tests of a block whose setup raised.
struct FailureList {
  private struct Entry {
    var subjects: [FailureText.Subject]
    let failures: [ScriptTestFailure]
    let output: [String]
  }

  private var entries: [Entry] = []

  mutating func add(_ event: TestRunEvent) {
    switch event {
    case .testEnded(let result, _):
      guard case .failed(let failures) = result.outcome else { return }
      let test = result.test
      add(
        FailureText.Subject(file: test.displayedFile, line: test.line, path: test.path), failures,
        output: result.output)
    case .blockFailed(let block, _) where !block.isReportedByTests:
      add(
        FailureText.Subject(
          file: ScriptPaths.path(of: block.file), path: block.path + [block.hook]), [block.failure])
    case .fileEnded(let outcome):
      guard let failure = outcome.loadFailure else { return }
      add(FailureText.Subject(file: outcome.run.title), [failure])
    case .began, .fileBegan, .blockFailed, .ended: break
    }
  }

  private mutating func add(
    _ subject: FailureText.Subject, _ failures: [ScriptTestFailure], output: [String] = []
  ) {
    if let last = entries.indices.last, output.isEmpty, entries[last].output.isEmpty,
      entries[last].subjects.first?.file == subject.file,
      entries[last].failures.elementsEqual(failures, by: Self.areAlike)
    {
      entries[last].subjects.append(subject)
    } else {
      entries.append(Entry(subjects: [subject], failures: failures, output: output))
    }
  }

  private static func areAlike(_ a: ScriptTestFailure, _ b: ScriptTestFailure) -> Bool {
    a.kind == b.kind && a.message == b.message && a.script == b.script && a.line == b.line
  }

  /// All failures in order.
  func text(with style: FailureText) -> TerminalText {
    entries.map { style.text(of: $0.subjects, $0.failures, output: $0.output) }.joined()
  }
}

extension TerminalText {
  /// The lines of a script around the line of a failure:
  ///
  /// ```
  ///     11 │ local before = count
  ///   → 12 │ assert.are.equal(3, count)
  /// ```
  init(_ excerpt: ScriptExcerpt, at line: Int, _ style: TextStyle) {
    let width = "\(excerpt.firstLine + excerpt.lines.count - 1)".count
    var rows: [TerminalText] = []
    for (index, source) in excerpt.lines.enumerated() {
      let number = excerpt.firstLine + index
      // Empty lines after the line of the failure are left out.
      if source.isEmpty && number > line { continue }
      let text = source.replacing("\t", with: "  ").replacing("\r", with: "")
      let start = padded("\(number)", to: width) + " │"
      let row = TerminalText(text.isEmpty ? start : "\(start) \(text)")
      rows.append(
        number == line ? "\(style.red("→ "))\(style.bold(row))" : style.dim("  \(row)"))
    }
    self = rows.joined(separator: "\n")
  }
}

extension ScriptTestFailure {
  /// The message after its location: `scripts/todos_test.lua:3: …`. The location is not repeated if
  /// the message begins with it.
  var locatedMessage: String {
    guard let path, let location, !message.hasPrefix(location) else { return displayedMessage }
    return (line.map { "\(path):\($0): " } ?? "\(path): ") + displayedMessage
  }

  /// The message without the location.
  var bareMessage: String {
    guard let location, message.hasPrefix(location + ": ") else { return displayedMessage }
    return ScriptPaths.inMessage(String(message.dropFirst(location.count + 2)))
  }

  private var displayedMessage: String { ScriptPaths.inMessage(message) }

  /// The path of the script that the failure is about.
  var path: String? { script.map(ScriptPaths.path) }

  /// The traceback with paths of scripts.
  var displayedTraceback: String? { traceback.map(ScriptPaths.inMessage) }

  /// The location by the script's name: `todos_test.lua:3`.
  private var location: String? {
    guard let script else { return nil }
    return line.map { "\(script):\($0)" } ?? script
  }
}
