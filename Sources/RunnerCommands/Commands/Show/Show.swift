import ArgumentParser
import Dispatch
import LuaBridge
import RunnerShared
import ScriptView
import ScriptedStore
import ScriptedStoreTerminal
import Synchronization

enum ShowFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case html
  case json
}

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the screen of a feature.",
    discussion: """
      The screen is what the feature's view returns for its state. On a terminal it is used: Tab and \
      arrows move, Enter uses, Escape goes back, Ctrl-C leaves, and scripts are loaded again when they \
      are saved. Elsewhere, and with --format, it is printed once: as text, as HTML with a node a line, \
      or as the tree of nodes in JSON. --actions sends the lines of a file first, as runner run takes \
      them. Effects in flight are not waited for; {"wait": seconds} lines let time pass.

      Exit status: 0; 1 when a view on the screen, an action or an effect raised; 64 for wrong usage; \
      65 when a line of the input is malformed; 66 when the script, or a file named by an option, is \
      missing or does not load, or the feature has no view; 74 when reading or writing fails.
      """)

  @OptionGroup
  var options: StoreOptions

  @Option(
    help: ArgumentHelp(
      "Actions to send first; - is standard input. (default: none)", valueName: "file"))
  var actions: String?

  @OptionGroup
  var state: StateOptions

  @Option(help: "text, html or json. (default: text; on a terminal the screen is used)")
  var format: ShowFormat?

  @OptionGroup
  var screen: ScreenOptions

  @Flag(help: "Go on after a malformed line.")
  var keepGoing = false

  func run() throws {
    let overrides = try state.value()
    let input = try actions.map { path throws(ExitCode) in try InputFile(path, of: "--actions") }
    let clock = options.dependencies.virtualClock
    if isLive { return try use(overriding: overrides, sending: input, on: clock) }
    let messages = ScreenMessages()
    let configuration = try options.configuration(on: clock) { messages.add($0) }
    let (host, store) = try options.open(configuration, overriding: overrides)
    defer { host.flush() }
    try options.feature.requireView(of: store, host)
    try Interruption.install()

    let shown = ShownScreen(store, environment: screen.environment, clock: clock, messages)
    let isMalformed = try input.map { input in try send(input, to: shown) } ?? false
    let tree = shown.tree
    try StandardStreams.output(bytes(of: tree))
    messages.add(ViewNode(tree).failures)
    if isMalformed { throw ExitCode.dataError }
    if messages.hasErrors { throw ExitCode.failure }
  }

  /// Sends the actions of an input. Returns whether one of its lines was malformed.
  func send(_ input: InputFile, to shown: ShownScreen) throws -> Bool {
    var lines = InputLines(input, keepGoing: keepGoing)
    while let line = lines.next() {
      switch line {
      case .action(let action): shown.send(action)
      case .wait(let seconds): shown.pass(seconds)
      }
    }
    if lines.isUnreadable { throw ExitCode.ioError }
    if lines.isMalformed && !keepGoing { throw ExitCode.dataError }
    return lines.isMalformed
  }

  private func bytes(of tree: Value) -> [UInt8] {
    switch format ?? .text {
    case .text:
      TerminalText(TextDrawing.draw(tree, width: screen.columns) + "\n").bytes
    case .html: TerminalText(HTMLDrawing.draw(tree) + "\n").bytes
    case .json: TerminalJSON.line(tree.inReadingOrder)
    }
  }
}

extension Value {
  /// The same value, with the keys of objects in an order that is the same in each run and easy to
  /// read: `kind`, the others by name, and `children` at last.
  fileprivate var inReadingOrder: Value {
    switch self {
    case .array(let list): return .array(Value.List(list.map(\.inReadingOrder)))
    case .object(let object):
      var ordered = Value.Object()
      let names = object.keys.filter { $0 != "kind" && $0 != "children" }.sorted()
      for name in ["kind"] + names + ["children"] {
        if let value = object[name] { ordered[name] = value.inReadingOrder }
      }
      return .object(ordered)
    default: return self
    }
  }
}

/// `runner show` on a terminal: the feature is alive until the person leaves.
extension Show {
  /// Whether the screen is used rather than printed.
  var isLive: Bool {
    format == nil && actions != "-" && StandardStreams.inputIsTerminal
      && StandardStreams.outputIsTerminal && !StandardStreams.terminalIsDumb
  }

  func use(
    overriding overrides: Value?, sending input: InputFile?, on clock: VirtualClock?
  ) throws {
    let log = MessageLog()
    let messages = ScreenMessages { log.add($0) }
    let configuration = try options.configuration(on: clock) { messages.add($0) }
    defer { log.print() }
    let opened = try options.openWaiting(
      configuration, overriding: overrides, as: "the screen", readsKeys: true, waits: true)
    defer { opened.host.flush() }
    try options.feature.requireView(of: opened.store, opened.host)
    if let input {
      let environment = screen.environment(columns: TerminalWindow.size.columns)
      let shown = ShownScreen(opened.store, environment: environment, clock: clock, messages)
      if try send(input, to: shown) { throw ExitCode.dataError }
    }
    try use(opened, messages, log)
  }

  private func use(
    _ opened: (host: ScriptHost, store: Store), _ messages: ScreenMessages, _ log: MessageLog
  ) throws {
    // Nothing may throw while the screen has the terminal.
    let files = try options.dependencies.fileFolder
    let errors = CapturedErrors { log.add(TerminalText($0)) }
    let observation = opened.store.onAction { messages.add($0) }
    // Without it saved scripts are not loaded; the screen can be used all the same.
    let watch = try? opened.host.watch { log.add($0) }
    TerminalInput.enter(keepsControlKeys: true)
    TerminalWindow.watch()
    let live = LiveScreen(opened.store, TerminalKeys(), files: files) { [screen] in
      screen.environment(columns: $0)
    }
    live.hasEvents = { log.hasMessage }
    live.takeEvents = { log.takeMessage() }
    let end = live.run()
    TerminalInput.restore()
    errors?.end()
    withExtendedLifetime((observation, watch)) {}
    guard case .interrupted = end, let status = Interruption.signalStatus else { return }
    throw status
  }
}

extension MessageLog {
  /// Adds what came of scripts that were saved.
  func add(_ reload: Result<ReloadReport, ReloadError>) {
    switch reload {
    case .success(let report):
      guard report.hasChanges else { return say("the scripts are again those that run") }
      say("reloaded \(report.reloaded.joined(separator: ", ")) in \(report.milliseconds) ms")
    case .failure(let error):
      add("error: \(describe(error))")
      say("not reloaded: \(error.errors.first.map { describe($0) } ?? "")")
    }
  }
}

/// A store whose screen is looked at.
struct ShownScreen {
  private let store: Store
  private let views: ViewTree
  /// The virtual clock; nil if time passes in real time.
  private let clock: VirtualClock?
  private let observation: StoreObservation

  /// Begins to look: nodes with `task` and `onAppear` have sent their actions when this returns.
  init(
    _ store: Store, environment: Value.Object, clock: VirtualClock?, _ messages: ScreenMessages
  ) {
    self.store = store
    self.clock = clock
    observation = store.onAction { messages.add($0) }
    views = store.view(environment: environment)
    store.settle(on: clock)
  }

  /// The tree of what is on the screen.
  var tree: Value { views.value }

  func send(_ action: Action) {
    store.send(action)
    store.settle(on: clock)
  }

  /// Lets time pass, in seconds.
  func pass(_ seconds: Double) {
    if let clock { clock.pass(seconds) } else { Interruption.wait(atMost: seconds) }
    store.settle(on: clock)
  }
}

/// What standard error has beside a screen: errors and warnings of its views, of actions and of
/// effects. They arrive on several threads.
final class ScreenMessages: Sendable {
  private let failed = Mutex(false)
  /// Writes a message, which may have several lines.
  private let write: @Sendable (TerminalText) -> Void
  /// The most errors of views that are printed. A list may have one in each row.
  private static let mostFailures = 10

  init(write: @escaping @Sendable (TerminalText) -> Void = { StandardStreams.error($0) }) {
    self.write = write
  }

  var hasErrors: Bool { failed.withLock { $0 } }

  func add(_ record: ActionRecord) {
    if let error = record.error { report(TerminalText(error, of: record)) }
  }

  func add(_ warning: RuntimeWarning) {
    guard warning.kind != .effectError else {
      return report(TerminalText(effectError: warning))
    }
    let effect: TerminalText = warning.effectText.map { "\n\($0)" } ?? ""
    write(TerminalText(warning) + effect)
  }

  /// Prints the errors of views, each once, however many rows have it.
  func add(_ failures: [ViewFailure]) {
    var seen: Set<ViewFailure> = []
    let different = failures.filter { seen.insert($0).inserted }
    for failure in different.prefix(Self.mostFailures) { report("error: \(TerminalText(failure))") }
    let rest = different.count - Self.mostFailures
    if rest > 0 { write("note: there are \(count(rest, "more error"))") }
  }

  private func report(_ failure: TerminalText) {
    failed.withLock { $0 = true }
    write(failure)
  }
}
