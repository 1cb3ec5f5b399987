import ArgumentParser
import ScriptedStore

struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send a feature a file of actions and print what each of them changes.",
    discussion: """
      The input is one action a line: a JSON object with a "type", or a JSON string that holds a \
      path such as "todos[3].toggle". {"wait": seconds} waits. Blank lines are skipped. A line may \
      be \(LineReader.limit >> 20) MiB long.

      Exit status: 0; 1 when an action raised; 64 for wrong usage; 65 when a line of the input is \
      malformed; 66 when the script, or a file named by an option, is missing or does not load; 74 \
      when reading or writing fails. Ctrl-C ends the run as the end of the input does, a second one \
      at once.
      """)

  @Argument(help: "A module name under the root (todos, shop.cart), or the path of a .lua file.")
  var feature: String

  @Option(
    help: """
      The folder that `require` is confined to. (default: scripts; for a .lua path, the folder \
      that it is in)
      """)
  var root: String?

  @Option(help: ArgumentHelp("The actions; - is standard input.", valueName: "file"))
  var actions = "-"

  @Option(
    help: ArgumentHelp(
      "JSON that overrides the initial state; an object, key by key.", valueName: "json|@file"))
  var state: String?

  @Option(help: "text or json. (default: text on a terminal, else json)")
  var format: ReportFormat?

  @Flag(help: "Print the state at the end.")
  var printState = false

  @Flag(help: "Stop at the first action that raises.")
  var failFast = false

  @Flag(help: "Go on after a malformed line.")
  var keepGoing = false

  /// Here and not in `run`, so that the usage shown is this command's.
  func validate() throws {
    if let state, !state.hasPrefix("@") { _ = try StateOption(state) }
  }

  func run() throws {
    StandardStreams.prepare()
    let overrides = try state.map(StateOption.init)
    let input = try InputFile(actions)
    let store = try FeatureArgument(feature, root: root).store(overriding: overrides?.value)
    Interruption.install()

    let report = SharedReport(Report(format: format))
    var session = Session(
      store: store, report: report, failFast: failFast, keepGoing: keepGoing)
    let status = session.run(input, printState: printState)
    if status != .success { throw status }
  }
}
