import ArgumentParser
import ScriptView
import ScriptedStore

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
  var feature: FeatureOptions

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

  @OptionGroup(title: "Dependencies")
  var dependencies: DependencyOptions

  @OptionGroup(title: "Limits")
  var limits: LimitOptions

  func run() throws {
    StandardStreams.prepare()
    if isLive { return try runLive() }
    let overrides = try state.value()
    let input = try actions.map { path throws(ExitCode) in try InputFile(path) }
    let clock = dependencies.clock == .virtual ? VirtualClock() : nil
    let messages = ScreenMessages()
    let configuration = try feature.configuration(
      dependencies, limits.limits(over: .standard), on: clock
    ) { messages.add($0) }
    let (host, store) = try feature.open(configuration, overriding: overrides, dependencies)
    defer { host.flush() }
    try requireView(of: store, host)
    try Interruption.install()

    let shown = ShownScreen(store, environment: screen.environment, clock: clock, messages)
    let isMalformed = try input.map { input in try send(input, to: shown) } ?? false
    let tree = shown.tree
    try StandardStreams.output(bytes(of: tree))
    messages.add(ViewNode(tree).failures)
    if isMalformed { throw ExitCode.dataError }
    if messages.hasErrors { throw ExitCode.failure }
  }

  func requireView(of store: Store, _ host: ScriptHost) throws {
    guard !store.hasView else { return }
    let tree = try exitingOnScriptError { try host.tree(of: feature.location.feature) }
    throw fail(.noInput, "\(MissingView(tree))")
  }

  /// Sends the actions of an input. Returns whether one of its lines was malformed.
  func send(_ input: InputFile, to shown: ShownScreen) throws -> Bool {
    var lines = InputLines(input, keepGoing: keepGoing)
    while let line = lines.next() {
      switch line {
      case .blank: break
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
    case .json: TerminalJSON.bytes(Array((tree.inReadingOrder.json() + "\n").utf8))
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
