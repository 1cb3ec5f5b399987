import ScriptedStore

/// A failed test in full, for people.
struct FailureText {
  let style: TextStyle
  let excerpt: SourceExcerpt
  /// Tracebacks of failed assertions as well, whose place says enough as a rule.
  let isVerbose: Bool

  /// How many tests that fail alike are named before the rest is only counted.
  private static let nameLimit = 10

  init(root: String, style: TextStyle, isVerbose: Bool) {
    self.style = style
    self.isVerbose = isVerbose
    excerpt = SourceExcerpt(root: root, style: style)
  }

  /// Something that failed: a test, a hook, a file.
  struct Subject {
    let file: String
    let line: Int?
    let path: [String]

    init(_ test: ScriptTest) { self.init(file: test.file, line: test.line, path: test.path) }

    init(file: String, line: Int? = nil, path: [String] = []) {
      self.file = file
      self.line = line
      self.path = path
    }
  }

  /// Those that failed of the same, and what that is.
  func text(of subjects: [Subject], _ failures: [ScriptTestFailure], output: [String]) -> String {
    var lines = subjects.prefix(Self.nameLimit).map(heading)
    if subjects.count > Self.nameLimit {
      lines.append(style.dim("       and \(subjects.count - Self.nameLimit) more like it"))
    }
    for failure in failures { lines += ["", body(of: failure)] }
    if !output.isEmpty {
      lines += ["", style.dim("  it printed"), indented(output.joined(separator: "\n"), by: 4)]
    }
    return lines.joined(separator: "\n") + "\n\n"
  }

  private func heading(_ subject: Subject) -> String {
    let place = oneLine(subject.line.map { "\(subject.file):\($0)" } ?? subject.file)
    guard !subject.path.isEmpty else { return "\(style.alarm(" FAIL ")) \(style.bold(place))" }
    let name = subject.path.map(oneLine).joined(separator: style.dim(" › "))
    return "\(style.alarm(" FAIL ")) \(style.bold(name))  \(style.dim(place))"
  }

  private func body(of failure: ScriptTestFailure) -> String {
    var parts = [indented(message(of: failure), by: 2)]
    if let script = failure.script, let line = failure.line,
      let source = excerpt.text(of: script, line: line)
    {
      parts.append(indented(source, by: 2))
    }
    if let traceback = failure.traceback, failure.kind != .failure || isVerbose {
      let lines = traceback.split(separator: "\n").map { style.dim(String($0)) }
      parts.append(indented(lines.joined(separator: "\n"), by: 2))
    }
    return parts.joined(separator: "\n\n")
  }

  /// The place, what happened, and the difference with what goes and comes in colour.
  private func message(of failure: ScriptTestFailure) -> String {
    failure.locatedMessage.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated().map { number, line in
        let line = String(line)
        let text = line.drop { $0 == " " }
        if number == 0 { return style.red(line) }
        if text.hasPrefix("-") && !text.hasPrefix("--") { return style.red(line) }
        if text.hasPrefix("+") { return style.green(line) }
        return line
      }
      .joined(separator: "\n")
  }
}

/// Each line of a text further to the right; empty ones stay empty.
func indented(_ text: String, by count: Int) -> String {
  let space = String(repeating: " ", count: count)
  return text.split(separator: "\n", omittingEmptySubsequences: false)
    .map { $0.isEmpty ? "" : space + $0 }
    .joined(separator: "\n")
}

/// A name where there is one line for it: line breaks are spaces, and no terminal obeys it.
func oneLine(_ text: String) -> String {
  visible(text.split(whereSeparator: \.isNewline).joined(separator: " "))
}

/// A text whose control characters are written as in a Lua string, but for line breaks.
func visible(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isControl) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    guard isControl(scalar) else {
      result.unicodeScalars.append(scalar)
      continue
    }
    let isASCII = scalar.value < 0x80
    let number = String(scalar.value, radix: isASCII ? 10 : 16)
    result +=
      isASCII
      ? "\\" + String(repeating: "0", count: 3 - number.count) + number : "\\u{\(number)}"
  }
  return result
}

/// In C0, C1, or DEL; line breaks are none.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\r"
}
