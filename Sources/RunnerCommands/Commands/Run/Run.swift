import ArgumentParser
import RunnerShared
import ScriptedStore

struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Send a feature a file of actions and print what each of them changes.",
    discussion: """
      The input is one action a line: a JSON object with a "type", or a path with an optional payload \
      such as todos[3].rename {"title": "Milk"}; "todos[3].toggle" and ["todos[3].rename", "Milk"] are \
      taken too. {"wait": seconds} waits. Blank lines are skipped. A line may \
      be \(LineReader.limit >> 20) MiB long. What effects send is printed as it comes; the run ends \
      when the input has ended and no effect is in flight. Alarms are not waited for; a note tells of them.

      Exit status: 0; 1 when an action or an effect raised; 64 for wrong usage; 65 when a line of \
      the input is malformed; 66 when the script, or a file named by an option, is missing or does \
      not load; 74 when reading or writing fails. With --journal the store goes on where \
      its last run ended, and prints what it does before. Ctrl-C or SIGTERM ends the run as the end \
      of the input does, without waiting for effects; a second one ends it at once, and so does a \
      second in which scripts keep the run from its end.
      """)

  @Option(help: ArgumentHelp("The actions; - is standard input.", valueName: "file"))
  var actions = "-"

  @OptionGroup
  var state: StateOptions

  @OptionGroup(title: "Journal")
  var journal: JournalOptions

  @Option(help: "text or json. (default: text on a terminal, else json)")
  var format: ReportFormat?

  @Option(
    help: ArgumentHelp(
      "Write all that happens to a file as it happens, for runner replay.", valueName: "file"))
  var record: String?

  @Flag(help: "Print which effects are still in flight at the end, and which alarms are set.")
  var listEffects = false

  @Flag(help: "Print the state at the end.")
  var printState = false

  @Flag(help: "Do not wait for effects when the input has ended.")
  var noWait = false

  @Flag(help: "Stop at the first action or effect that raises.")
  var failFast = false

  @Flag(help: "Go on after a malformed line.")
  var keepGoing = false

  // The last, because help lists options in this order, and these are many.
  @OptionGroup
  var options: StoreOptions

  func run() throws {
    let overrides = try state.value()
    let input = try InputFile(actions, of: "--actions")
    try record.map(checkRecording)

    let clock = options.dependencies.virtualClock
    let report = Report(format: format ?? .usual, failFast: failFast)
    var configuration = try options.configuration(on: clock) { report.add($0) }
    try journal.add(to: &configuration)
    // A recording begins with what a durable store does when it comes back, which is little.
    let durable = journal.watch(historyLimit: record == nil ? 1 : 1_000) { report.add($0) }
    let (host, store) = try options.open(configuration, overriding: overrides, durable: durable)
    // The file stores the entries, so the history in memory needs only one.
    let recorder = try record.map { path throws(ExitCode) in
      try refusingRecording { () throws(HistoryError) in
        try RecordingFile(path, of: store.record(limit: 1))
      }
    }
    try Interruption.install()

    var lines = InputLines(input, keepGoing: keepGoing)
    let session = InputSession(
      host: host, store: store, clock: clock, report: report, waitsAtEnd: !noWait,
      listsEffects: listEffects, printsState: printState, isDurable: durable != nil)
    let status = session.run(&lines)
    StandardStreams.hint(explaining: report.firstCode)
    // Makes the store passive, so that the next run has nothing to apply.
    _ = try? Awaited { await host.close() }.wait()
    if let failure = recorder?.close() { throw fail(.ioError, "\(failure)") }
    if status != .success { throw status }
  }

  /// Ends the run before the store is opened, which makes a journal that is not there.
  private func checkRecording(_ path: String) throws(ExitCode) {
    try refusingRecording { () throws(HistoryError) in
      if let real = Paths.real(path), real == Paths.real(actions) {
        throw HistoryError("\(path) has the actions; name another file")
      }
      try RecordingFile.check(path)
      if path == journal.journal {
        throw HistoryError("\(path) is to be the journal; name another file")
      }
    }
  }

  private func refusingRecording<Result>(
    _ body: () throws(HistoryError) -> Result
  ) throws(ExitCode) -> Result {
    do throws(HistoryError) {
      return try body()
    } catch {
      throw fail(.ioError, "--record: \(error)")
    }
  }
}
