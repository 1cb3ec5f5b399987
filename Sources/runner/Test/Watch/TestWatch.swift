import ArgumentParser

/// Runs tests again when scripts change, and takes keys.
struct TestWatch {
  private var session: TestSession
  private var keys = Keys()
  private var files: FileWatch
  /// Pressed while tests ran.
  private var pressed: Character?
  private var filter: String?
  private var status = ExitCode.success

  private static let clearing: TerminalText = "\u{1B}[2J\u{1B}[3J\u{1B}[H"

  init(_ session: TestSession) {
    self.session = session
    files = FileWatch([session.plan.root] + session.paths)
  }

  /// Which tests run.
  private enum Choice {
    case all
    case failed
    case affected([TestFile])
  }

  /// Until it is told to quit; how the last run went.
  mutating func run() throws(ExitCode) -> ExitCode {
    TerminalInput.enter()
    defer { TerminalInput.restore() }
    var choice = Choice.all
    while true {
      try run(choice)
      guard !Interruption.isRequested, let next = nextChoice(after: choice) else { break }
      choice = next
    }
    return Interruption.signalStatus.map { ExitCode($0) } ?? status
  }

  // MARK: Running

  private mutating func run(_ choice: Choice) throws(ExitCode) {
    var selection = session.plan.selection
    // What is typed takes the place of what the command line says.
    if let filter { selection.filters = [filter] }
    if StandardStreams.outputIsTerminal {
      var output = OutputStream(1)
      output.write(Self.clearing)
    }
    let key = Pressed()
    var keys = keys
    let cancellation = TestSession.Cancellation {
      keys.descriptor
    } isRequested: {
      key.key = key.key ?? keys.next()
      return key.key != nil
    }
    do throws(ExitCode) {
      let found = try session.discover().files
      switch choice {
      case .all: status = try session.run(selection, of: found, cancellation: cancellation)
      case .affected(let files):
        status = try session.run(selection, of: files, cancellation: cancellation)
      case .failed:
        selection.failed = session.lastRun.failed
        status = try session.run(selection, of: found, cancellation: cancellation)
      }
    } catch {
      // What is wrong has been said, and may be put right.
      status = error
    }
    self.keys = keys
    pressed = key.key
  }

  /// A key that the closure of a run takes.
  private final class Pressed {
    var key: Character?
  }

  // MARK: Waiting

  /// Nil to quit.
  private mutating func nextChoice(after last: Choice) -> Choice? {
    pressed = pressed ?? keys.next()
    if pressed != "q" && !keys.haveEnded { sayWhatToPress() }
    while !Interruption.isRequested {
      if let key = pressed ?? keys.next() {
        pressed = nil
        switch key {
        case "q": return nil
        case "a":
          filter = nil
          return .all
        case "f": return .failed
        case "p":
          askForFilter()
          return .all
        case "\n", "\r": return last
        default: continue
        }
      }
      // The end of what is piped in says the same as `q`.
      if keys.haveEnded { return nil }
      let changed = files.changes()
      if !changed.isEmpty, let choice = affected(by: changed) { return choice }
      Interruption.wait(for: keys.descriptor, files.descriptor, atMost: files.interval)
    }
    return nil
  }

  /// The test files that a change of these scripts concerns; nil if there are none.
  private func affected(by changed: Set<String>) -> Choice? {
    guard let found = try? session.discover().files else { return nil }
    let files = found.filter { file in
      // Of a file that did not load nothing is known.
      guard let scripts = session.lastRun.scripts[file.name] else { return true }
      return Paths.real(file.path).map(changed.contains) ?? true
        || !scripts.isDisjoint(with: changed)
    }
    return files.isEmpty ? nil : .affected(files)
  }

  private func sayWhatToPress() {
    let style = TextStyle(
      takesColor: StandardStreams.errorIsTerminal && StandardStreams.outputTakesColor)
    let filter = filter.map { "  filter: \($0)" } ?? ""
    let keys: [(TerminalText, TerminalText)] = [
      ("a", "all"), ("f", "failed"), ("p", "filter"), ("Enter", "again"), ("q", "quit"),
    ]
    let help = keys.map { "\(style.bold($0)) \(style.dim($1))" as TerminalText }
    StandardStreams.error("\n\(style.cyan("Watching."))\(filter)  \(help.joined(separator: "  "))")
  }

  /// The line is typed as lines are, with echo and corrections.
  private mutating func askForFilter() {
    TerminalInput.restore()
    var stream = OutputStream(2)
    stream.write("filter, a Lua pattern (empty for none): " as TerminalText)
    if let line = keys.line() { filter = line.isEmpty ? nil : line }
    TerminalInput.enter()
  }
}
