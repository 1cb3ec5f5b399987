import ArgumentParser
import Platform
import RunnerShared

/// Runs tests again when scripts change or keys are pressed.
struct TestWatch {
  private var runner: TestRunner
  private let keys = TerminalKeys(readsLines: true)
  private var files: FileScanner
  private var filter: String?
  private var status = ExitCode.success

  private static let clearing: TerminalText = "\u{1B}[2J\u{1B}[3J\u{1B}[H"

  init(_ runner: TestRunner) {
    self.runner = runner
    self.runner.keys = keys
    files = FileScanner([runner.plan.root] + runner.paths)
  }

  private enum Choice {
    case all
    case failed
    case affected([FoundFile])
  }

  /// Runs tests until the user quits. Returns the status of the last run, or of the signal that
  /// ended it.
  mutating func run() -> ExitCode {
    TerminalInput.enter()
    defer { TerminalInput.restore() }
    var choice = Choice.all
    while true {
      run(choice)
      guard !Interruption.isRequested, let next = nextChoice(after: choice) else { break }
      choice = next
    }
    return Interruption.signalStatus ?? status
  }

  // MARK: Running

  private mutating func run(_ choice: Choice) {
    var selection = runner.plan.selection
    // A typed filter replaces the filters of the command line.
    if let filter { selection.filters = [filter] }
    if StandardStreams.outputIsTerminal {
      var output = DescriptorWriter(STDOUT_FILENO)
      output.write(Self.clearing)
    }
    do throws(ExitCode) {
      var files = try runner.findFiles()
      switch choice {
      case .all: break
      case .affected(let affected): files = affected
      case .failed: selection.failed = runner.lastRun.failed
      }
      status = try runner.run(selection, of: files)
    } catch {
      // The error is printed already, and the user may correct its cause, so watching continues.
      status = error
    }
  }

  // MARK: Waiting

  /// Waits for a key or a change. Returns nil to quit.
  private mutating func nextChoice(after last: Choice) -> Choice? {
    runner.pressed = runner.pressed ?? keys.character()
    if runner.pressed != "q" && !keys.hasEnded { sayWhatToPress() }
    while !Interruption.isRequested {
      if let key = runner.pressed ?? keys.character() {
        runner.pressed = nil
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
      // The end of piped input means the same as `q`.
      if keys.hasEnded { return nil }
      let changed = files.changes()
      if !changed.isEmpty, let choice = affected(by: changed) { return choice }
      Interruption.wait(for: keys.descriptor, files.descriptor, atMost: files.interval)
    }
    return nil
  }

  /// The test files that use one of the changed scripts; nil if there are none.
  private func affected(by changed: Set<String>) -> Choice? {
    guard let found = try? runner.findFiles() else { return nil }
    let files = found.filter { file in
      // The scripts of a file that did not load are unknown, so it runs.
      guard let scripts = runner.lastRun.scripts[file.name] else { return true }
      return file.isAffected(by: changed, using: scripts)
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

  /// Reads a filter as a normal terminal line, with echo and editing.
  private mutating func askForFilter() {
    TerminalInput.restore()
    StandardStreams.prompt("filter, a Lua pattern (empty for none): ")
    if let line = keys.line() { filter = line.isEmpty ? nil : line }
    TerminalInput.enter()
  }
}
