import LuaBridge
import ScriptedStore

/// A store that somebody talks to: lines in, text out. It knows of no terminal.
///
/// All of it is for one thread; what happens on others comes as ``ConsoleEvents``.
final class Console {
  let name: String
  let host: ScriptHost
  let store: Store
  let history: StoreHistory
  /// What time passes on, nil if it does by itself.
  let clock: VirtualClock?
  let events: ConsoleEvents
  let text: ConsoleText
  var tree: ReducerTree
  /// An action or an effect raised, or a command could not be done.
  private(set) var hasFailed = false
  private(set) var warnings: [RuntimeWarning] = []
  /// Which effects were listed last, as people name them by their place in the list.
  var listed: [UInt64] = []
  /// What writes a recording.
  var recording: RecordingFile?
  /// How long a state may be that is shown as a whole; nil where nobody looks at a screen.
  var lineLimit: Int?
  /// What loads scripts when they are saved.
  var watch: ScriptWatch?
  private let write: (TerminalText) -> Void
  private let observation: Observation

  /// - Parameter write: gets text with the ends of its lines.
  init(
    _ feature: FeatureArgument, _ opened: (host: ScriptHost, store: Store), clock: VirtualClock?,
    events: ConsoleEvents, text: ConsoleText, write: @escaping (TerminalText) -> Void
  ) throws {
    name = feature.name
    (host, store) = opened
    history = store.record()
    tree = try host.tree(of: feature.name)
    self.clock = clock
    self.events = events
    self.text = text
    self.write = write
    observation = store.onAction { events.add(.action($0)) }
  }

  // MARK: Lines

  /// Does what a line says, and all that follows from it at once. False at the wish to end.
  func take(_ line: String) -> Bool {
    do throws(ConsoleFailure) {
      switch try ConsoleInput(line) {
      case .nothing: return true
      case .command("quit", _), .command("q", _): return false
      case .command(let name, let argument): try perform(name, argument)
      case .action(let action): try send(action)
      }
    } catch {
      fail(error)
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
    store.send(action)
  }

  private func knows(_ action: String) -> Bool {
    ActionCompleter(tree: tree, state: store.state).completion(of: action).candidates
      .contains(action)
  }

  func fail(_ failure: ConsoleFailure) {
    hasFailed = true
    say(text.failure("\(failure)"))
  }

  /// Writes a line, or several.
  func say(_ text: TerminalText) { write(text + "\n") }

  // MARK: What happens

  /// Waits until all that was begun is done and told of; on a virtual clock, what takes none of its time as well, or what
  /// is written would depend on how fast the world is.
  func settle() {
    let (store, isTold) = (store, Occurrence())
    Task {
      // Observers hear in order.
      for await _ in store.values() { break }
      isTold.set()
    }
    Interruption.wait { isTold.isSet }
    guard let clock else { return }
    let isDone = Occurrence()
    clock.whenSettled(isDone.set)
    Interruption.wait { isDone.isSet }
  }

  /// Waits until nothing is in flight, and tells of what happens meanwhile.
  func finish() {
    guard clock == nil else { return }
    let (store, isDone) = (store, Occurrence())
    Task {
      await store.finish()
      isDone.set()
    }
    while !isDone.isSet && !Interruption.isRequested {
      Interruption.wait { isDone.isSet || !events.isEmpty }
      showEvents()
    }
    settle()
    showEvents()
  }

  /// Writes what has happened since it was called last.
  func showEvents() {
    for event in events.take() {
      switch event {
      case .action(let record):
        if record.error != nil { hasFailed = true }
        warnings += record.warnings
        say(text.action(record))
      case .warning(let warning):
        // Those of actions come with their record.
        guard warning.action == nil || !warning.kind.belongsToAction else { continue }
        if warning.kind == .effectError { hasFailed = true }
        warnings.append(warning)
        say(text.warning(warning))
      case .printed(let line): say(text.printed(line))
      case .reload(.success(let report)) where !report.hasChanges:
        say(text.note("the scripts are again those that run"))
      case .reload(.success(let report)): show(report)
      case .reload(.failure(let error)): say(text.failure("\(ConsoleText.refusal(error))"))
      }
    }
  }

  /// What a line may become.
  func completion(of text: String) -> Completion {
    CommandCompleter(tree: tree, state: store.state).completion(of: text)
  }
}

extension RuntimeWarning.Kind {
  /// Whether an action's record has it, if there is an action.
  fileprivate var belongsToAction: Bool {
    switch self {
    case .effectError, .sendAfterEnd, .cancellationSwallowed, .memoryFull, .locked,
      .vanishedHandler, .lostLocal:
      false
    default: true
    }
  }
}
