import ArgumentParser
import LuaBridge
import RunnerShared
import ScriptedStore

/// The command `runner dev`.
package struct Dev: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "dev",
    abstract: "Talk to a feature: send actions, look at its state, go back in time.",
    discussion: """
      A line is an action (a path, with a payload in Lua or JSON behind it) or a command, which \
      begins with a colon; :help lists them. Scripts are loaded again when they are saved. On a \
      terminal there are line editing, completion with Tab, and views of state, history and effects. \
      Elsewhere lines are read to the end of the input, and all that happens is text on standard \
      output. Where scripts are watched, the console waits for a script that does not load at first.

      Exit status: 0; 1 when an action or an effect raised, or a command could not be done, unless \
      the input is a terminal; 64 for wrong usage; 66 when the script is missing or does not load; 74 \
      when reading or writing fails.
      """)

  @OptionGroup
  var state: StateOptions

  @OptionGroup(title: "Journal")
  var journal: JournalOptions

  @Flag(
    inversion: .prefixedNo,
    help: "Load scripts again when they are saved. (default: on a terminal)")
  var watch: Bool?

  @Flag(help: "Stop at the first line that cannot be done, and the first action that raises.")
  var failFast = false

  @Flag(help: "Do not wait for effects when the input has ended.")
  var noWait = false

  // The last, because help lists options in this order, and these are many.
  @OptionGroup
  var options: StoreOptions

  package init() {}

  package func run() throws {
    let overrides = try state.value()
    let clock = options.dependencies.virtualClock
    let events = ConsoleEvents()
    var configuration = try options.configuration(on: clock) {
      events.add(.warning($0))
    }
    configuration.onPrint = { events.add(.printed($0)) }
    try journal.add(to: &configuration)
    let durable = journal.watch(historyLimit: Console.historyLimit) { events.add(.action($0)) }
    let location = options.feature.location
    let isTerminal = StandardStreams.inputIsTerminal && StandardStreams.outputIsTerminal
    let opened = try options.openWaiting(
      configuration, overriding: overrides, durable: durable, as: "the console",
      events: events, readsKeys: StandardStreams.inputIsTerminal, waits: watch ?? isTerminal)
    defer { opened.host.flush() }

    let screen = ConsoleOutput()
    let console = try Console(
      location.feature, opened, clock: clock, events: events,
      text: ConsoleText(style: .output), isDurable: durable != nil, write: screen.write)
    console.files = try options.dependencies.fileFolder
    console.scriptRoot = try? ScriptRoot(location.root)
    console.showDroppedResults()
    if durable != nil { console.showReturn() }
    if watch ?? isTerminal { try watchScripts(console) }
    let status: ExitCode
    if isTerminal && !StandardStreams.terminalIsDumb {
      status = TerminalConsole(console, screen, root: location.root).run()
    } else {
      let script = ConsoleScript(
        console: console, output: screen, isFailFast: failFast, waits: !noWait)
      status = script.run()
    }
    // What could not be stored is shown as well.
    opened.host.flush()
    console.settle()
    console.showEvents()
    _ = try? Awaited { await opened.host.close() }.wait()
    if status != .success { throw status }
  }

  private func watchScripts(_ console: Console) throws {
    do throws(ScriptError) {
      try console.watchScripts()
    } catch {
      // Without an explicit `--watch` the error is ignored, since `:reload` still works.
      if watch == true { throw fail(.ioError, "\(error)") }
    }
  }
}
