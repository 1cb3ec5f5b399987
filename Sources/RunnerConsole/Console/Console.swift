import LuaBridge
import RunnerShared
import ScriptChecks
import ScriptedStore
import ScriptedStoreFiles

/// An interactive session with a store: it takes lines and writes text, independent of any
/// terminal.
///
/// All methods must be called on one thread. Events from other threads arrive through
/// ``ConsoleEvents``.
final class Console {
  let name: String
  let host: ScriptHost
  let store: Store
  let history: StoreHistory
  /// The virtual clock; nil if time passes in real time.
  let clock: VirtualClock?
  let events: ConsoleEvents
  let text: ConsoleText
  var tree: ReducerTree
  /// True after an action or an effect has raised, or a command has failed.
  private(set) var hasFailed = false
  private(set) var warnings: [RuntimeWarning] = []
  /// The numbers of the effects in the order of the last list, so that `:cancel N` means the N-th
  /// row even after effects have ended.
  var listed: [UInt64] = []
  var recording: RecordingFile?
  /// The most lines of a state to print at once; nil for no limit, when the output is no terminal.
  var lineLimit: Int?
  /// The number of columns of the screen that `:view` shows.
  var columns: () -> Int = { ScreenWidth.regular.columns }
  /// The screen, from the first `:view` on.
  var screen: ConsoleScreen?
  /// Where the files go that a person chooses on the screen of the feature; nil if they cannot.
  var files: (any FileExchange)?
  /// The script root; nil to print no warnings about the texts of scripts.
  var scriptRoot: ScriptRoot?
  /// The fields that handlers read of their actions, by the handler's source line. Nil if the scripts
  /// have not been read for that, or have changed since.
  var actionReads: [String: [[String]]]?
  /// Retains the watch on the script files; nil if they are not watched.
  var watch: ScriptWatch?
  private let write: (TerminalText) -> Void
  let isDurable: Bool
  /// Nil for a durable store, of which `events` hear from the moment at which it comes back.
  private let observation: StoreObservation?
  /// The number of the last entry of the history when it was last looked at. A reload that changes the state drops those that
  /// follow the store's position.
  private var lastKnown = 0
  /// The most actions that the console goes back to.
  static let historyLimit = 10_000

  /// - Parameter write: writes text, which includes its line breaks.
  init(
    _ name: String, _ opened: (host: ScriptHost, store: Store), clock: VirtualClock?,
    events: ConsoleEvents, text: ConsoleText, isDurable: Bool,
    write: @escaping (TerminalText) -> Void
  ) throws {
    self.name = name
    (host, store) = opened
    history = store.record(limit: Self.historyLimit)
    history.holdsEffects = true
    tree = try host.tree(of: name)
    self.clock = clock
    self.events = events
    self.text = text
    (self.isDurable, self.write) = (isDurable, write)
    observation = isDurable ? nil : store.onAction { events.add(.action($0)) }
  }

  // MARK: Lines

  /// Executes one line and shows all events that follow from it immediately. Returns false if the
  /// line asks to quit.
  func take(_ line: String) -> Bool {
    do throws(ConsoleFailure) {
      switch try ConsoleInput(line) {
      case nil: return true
      case .command("quit", _)?, .command("q", _)?: return false
      case .command(let name, let argument)?: try perform(name, argument)
      case .action(let action)?: try send(action)
      }
    } catch {
      fail("\(error)")
    }
    settle()
    showEvents()
    return true
  }

  private func send(_ action: Action) throws(ConsoleFailure) {
    let path = action.path
    if ConsoleCommand.named(path) != nil, action.payload.isEmpty, !knows(path) {
      throw ConsoleFailure("no action is called \(path); commands begin with a colon: :\(path)")
    }
    let isBack = history.isBack
    store.send(action)
    settle()
    showEvents()
    // An action that is not accepted does not replace what followed.
    if isBack && history.isBack { say(text.note("  -- not in the history: \(place)")) }
  }

  /// The position in the history: `at 3 of 14`.
  var place: String {
    let position = history.position
    return "at \(position) of \(max(position, history.last))"
  }

  private func knows(_ action: String) -> Bool {
    ActionCompleter(tree: tree, state: store.state).completion(of: action).candidates
      .contains(action)
  }

  func fail(_ message: TerminalText) {
    hasFailed = true
    say(text.failure(message))
  }

  /// Writes text and a line break.
  func say(_ text: TerminalText) { write(text + "\n") }

  // MARK: What happens

  /// Waits for all that follows at once from what has happened, and tells if a journal could not take it.
  func settle() {
    if let error = store.settle(on: clock) { fail("\(error.message)") }
  }

  /// Shows what a durable store has done when it came back.
  func showReturn() {
    settle()
    showEvents()
  }

  /// Waits until no effect is in flight, and shows events meanwhile. Returns at once on a virtual
  /// clock, where effects could wait forever.
  func finish() {
    guard clock == nil else { return }
    let isDone = WaitFlag { [store] in await store.finish() }
    while !isDone.isSet && !Interruption.isRequested {
      Interruption.wait { isDone.isSet || !events.isEmpty }
      showEvents()
    }
    settle()
    showEvents()
  }

  /// Writes the events that have arrived since the last call.
  func showEvents() { show(events.take()) }

  /// The same while a screen has the terminal, so that the text is held. Returns what the screen's
  /// last row says of it; nil for nothing.
  func takeEventsWhileHidden() -> String? {
    let events = events.take()
    show(events)
    return events.compactMap(\.onScreen).last
  }

  private func show(_ events: [ConsoleEvent]) {
    var isOtherScreen = false
    for event in events {
      switch event {
      case .screen: isOtherScreen = true
      case .action(let record):
        if record.error != nil { hasFailed = true }
        warnings += record.warnings
        lastKnown = history.last
        say(text.action(record, hasEntry: hasEntry(record)))
      case .warning(let warning):
        // The record of an action has the warnings about it; they are not shown twice.
        guard !warning.isInActionRecord else { continue }
        if warning.kind == .effectError { hasFailed = true }
        warnings.append(warning)
        say(text.warning(warning))
      case .printed(let line): say(text.printed(line))
      case .reload(.success(let report)) where !report.hasChanges:
        say(text.note("the scripts are again those that run"))
      case .reload(.success(let report)): show(report)
      case .reload(.failure(let error)): say(text.failure("\(describe(error))"))
      }
    }
    lastKnown = history.last
    if isOtherScreen { showChangedScreen() }
  }

  /// Whether the history has an action. One that a durable store does not record has the number that the next action gets, too.
  private func hasEntry(_ record: ActionRecord) -> Bool {
    guard isDurable, record.number >= history.numbers.lowerBound else { return true }
    guard let entry = history[record.number] else { return false }
    return entry.action == record.action && entry.error?.message == record.error?.message
  }
}

extension ConsoleEvent {
  /// What a screen that has the terminal says of it in a line; nil for what the screen shows itself.
  fileprivate var onScreen: String? {
    switch self {
    case .action(let record): record.error.map { "error: \($0.message)" }
    case .warning(let warning): "\(warning.head.text): \(warning)"
    case .printed(let line): line
    case .screen: nil
    case .reload(.success(let report)):
      report.hasChanges ? "reloaded \(report.reloaded.joined(separator: ", "))" : nil
    case .reload(.failure(let error)):
      error.errors.first.map { "not reloaded: \(describe($0))" }
    }
  }
}

extension StoreHistory {
  /// Whether entries follow the one whose state the store has.
  fileprivate var isBack: Bool { position < last }
  /// The number of the newest entry; that of the beginning if there is none.
  var last: Int { numbers.upperBound - 1 }
}

extension Console {
  func reload() throws(ConsoleFailure) {
    let before = store.state
    do {
      show(try host.reload())
    } catch {
      throw ConsoleFailure(describe(error))
    }
    // A durable store has recorded its migration, which is shown as an action.
    if isDurable { return }
    if let difference = text.difference(from: before, to: store.state) { say(difference) }
  }

  /// Starts to watch the scripts, and reloads them each time they are saved.
  func watchScripts() throws(ScriptError) {
    watch = try host.watch { [events] in events.add(.reload($0)) }
  }

  /// Prints the result of a reload, and updates the reducer tree for completion.
  func show(_ report: ReloadReport) {
    // On a virtual clock the output must be the same in each run, and the time that loading took is
    // not.
    say(text.reload(report, showsTime: clock == nil))
    guard report.hasChanges else { return }
    let dropped = lastKnown - history.last
    if dropped > 0 {
      say(
        text.note(
          "  gone from the history: \(count(dropped, "action")) after action \(history.last)"))
    }
    actionReads = nil
    if let new = try? host.tree(of: name) { tree = new }
    showDroppedResults(of: report.reloaded)
  }

  /// Prints the warnings about results that the feature's scripts drop.
  ///
  /// - Parameter names: the names of scripts; nil for all.
  func showDroppedResults(of names: [String]? = nil) {
    guard let scriptRoot else { return }
    let scripts = DroppedResultWarnings.scripts(of: name, under: scriptRoot)
      .filter { names?.contains($0.key) ?? true }
    for finding in DroppedResultWarnings.findings(in: scripts) {
      say(text.style.yellow(TerminalText(warning: finding)))
    }
  }
}

extension ConsoleText {
  func reload(_ report: ReloadReport, showsTime: Bool) -> TerminalText {
    guard report.hasChanges else { return note("nothing has changed") }
    let names = report.reloaded.joined(separator: ", ")
    var lines: [TerminalText] = [
      "\(style.cyan("reloaded "))\(style.bold("\(names)"))\(showsTime ? " in \(report.milliseconds) ms" : "")"
    ]
    if !report.removed.isEmpty {
      lines.append(note("  gone: \(report.removed.joined(separator: ", "))"))
    }
    for migration in report.migrations {
      let places = count(migration.places, "place")
      lines.append(
        "  migrated \(migration.feature) from version \(migration.from) to \(migration.to) in \(places)"
      )
    }
    for field in report.addedFields {
      let places = count(field.places, "place")
      lines.append("  added state.\(field.key) of \(field.feature) with its default in \(places)")
    }
    for effect in report.effects {
      let outcome = effect.outcome == .cancelled ? "was cancelled" : "finishes on the old code"
      lines.append(note("  \(effect.description): \(outcome)"))
    }
    return lines.joined(separator: "\n")
  }
}

extension Console {
  /// Completes the text before the cursor.
  func completion(of text: String) -> Completion {
    let completer = CommandCompleter(tree: tree, state: store.state) { [unowned self] path in
      payloadKeys(of: path)
    }
    return completer.completion(of: text)
  }

  /// The keys that the handlers of an action read, then those that actions in the history had at the
  /// same path.
  private func payloadKeys(of path: String) -> [String] {
    let reads = readActions()
    var keys: [String] = []
    for handler in ActionCompleter(tree: tree, state: store.state).handlers(of: path) {
      // What a handler of a nested action reads begins with `action.action`.
      let start = [String](repeating: "action", count: handler.depth)
      keys += (reads[handler.origin] ?? [])
        .filter { $0.count == handler.depth + 1 && $0.starts(with: start) }.compactMap(\.last)
    }
    let numbers = history.numbers
    let first = max(numbers.lowerBound, numbers.upperBound - Self.mostSearched)
    if !numbers.isEmpty, let types = try? ActionPath(path).names {
      for entry in history.entries(first...numbers.upperBound - 1)
      where (try? ActionPath(entry.action.path).names) == types {
        keys += entry.action.payload.keys
      }
    }
    var seen: Set = ["type"]
    return keys.filter { seen.insert($0).inserted }
  }

  /// How many entries of the history are searched for keys.
  private static let mostSearched = 1000

  private func readActions() -> [String: [[String]]] {
    if let actionReads { return actionReads }
    guard let scriptRoot else { return [:] }
    var reads: [String: [[String]]] = [:]
    for (script, path) in DroppedResultWarnings.scripts(of: name, under: scriptRoot) {
      guard let file = try? ScriptFile(name: script, path: path) else { continue }
      for (line, fields) in file.actionReads { reads["\(script):\(line)"] = fields }
    }
    actionReads = reads
    return reads
  }
}
