import Platform
import Testing

/// runner dev with a script that does not load at the start.
struct StartTests {
  let scripts: TemporaryFolder

  init() throws { scripts = try .counter() }

  private func begin(_ options: String..., feature: String = "counter") throws -> Conversation {
    try Conversation(
      ["dev", feature, "--root", scripts.path, "--clock", "virtual", "--watch"] + options)
  }

  /// The errors up to the line with which the wait begins.
  private func hearErrors(_ console: Conversation) -> [String] {
    var lines: [String] = []
    while true {
      let line = console.hearError()
      if line.isEmpty || line.hasPrefix("note: ") { return lines + [line] }
      lines.append(line)
    }
  }

  /// Puts a script in the place of another one at once, so that no half of it is read.
  private func replace(_ name: String, in folder: TemporaryFolder, by text: String) throws {
    try folder.write(text, to: "new")
    #expect(rename(folder.url("new").path, folder.url(name).path) == 0)
  }

  private static let note = "note: the console starts when a saved change loads; Ctrl-C ends"

  @Test func itTellsTheErrorAndStartsWhenASavedChangeLoads() throws {
    try scripts.write("print('at work')\nreturn {", to: "counter.lua")
    let console = try begin()
    let errors = hearErrors(console)
    #expect(errors.count == 2 && errors.last == Self.note, "\(errors)")
    #expect(errors.first?.hasPrefix("error[syntax]: \(scripts.path)/counter.lua:2: ") == true)
    console.say("increment\n:state count")
    try replace("counter.lua", in: scripts, by: "print('at work')\nerror('no luck')")
    var line = console.hearError()
    #expect(line == "at work")
    // A change may be told twice, and then the script is loaded twice.
    while line == "at work" { line = console.hearError() }
    #expect(line == "error: \(scripts.path)/counter.lua:2: no luck")
    try replace("counter.lua", in: scripts, by: counterScript)
    #expect(console.hear() == "1 increment")
    console.endInput()
    let (status, output, _) = console.end()
    #expect(status == 0)
    #expect(output.hasSuffix("\n1\n"))
  }

  @Test func aScriptThatItRequiresMayBeTheBrokenOneOrMissing() throws {
    try scripts.write("return require 'part'", to: "app.lua")
    let console = try begin(feature: "app")
    #expect(hearErrors(console).first?.contains("part") == true)
    try replace("part.lua", in: scripts, by: counterScript)
    console.say(":state count")
    #expect(console.hear() == "0")
    console.endInput()
    #expect(console.end().status == 0)
  }

  @Test func aPathIsWatchedTooOutsideOfTheRootAsWell() throws {
    let other = try TemporaryFolder(["app.lua": "return {"])
    let console = try begin(feature: other.url("app.lua").path)
    #expect(hearErrors(console).last == Self.note)
    try replace("app.lua", in: other, by: counterScript)
    console.say(":state count")
    #expect(console.hear() == "0")
    console.endInput()
    #expect(console.end().status == 0)
  }

  @Test func whatIsNotThereAtAllIsAnErrorAtOnceAndSoIsAFaultOfTheOptions() throws {
    func run(_ options: String...) throws -> RunnerProcess.Outcome {
      try RunnerProcess.run(["dev", "--watch"] + options)
    }
    for outcome in [
      try run("absent", "--root", scripts.path),
      try run("counter", "--root", scripts.path + "/absent"),
      try run("counter", "--root", scripts.path, "--dependency", "clok=1"),
      try run("counter", "--root", scripts.path, "--dependency", "clock=@absent.lua"),
    ] {
      #expect(outcome.status == 66)
      #expect(outcome.errors.hasPrefix("error: ") && !outcome.errors.contains("note: "))
    }
  }

  @Test func whereScriptsAreNotWatchedAScriptThatDoesNotLoadIsAnErrorAtOnce() throws {
    try scripts.write("return {", to: "counter.lua")
    for options in [[], ["--no-watch"]] {
      let outcome = try RunnerProcess.run(["dev", "counter", "--root", scripts.path] + options)
      #expect(outcome.status == 66)
      #expect(outcome.errors.hasPrefix("error[syntax]: \(scripts.path)/counter.lua:1: "))
      #expect(!outcome.errors.contains("note: "))
    }
  }

  @Test func aSignalEndsTheWait() throws {
    try scripts.write("return {", to: "counter.lua")
    let console = try begin()
    #expect(hearErrors(console).last == Self.note)
    console.signal(SIGINT)
    #expect(console.end().status == 130)
  }

  @Test func onATerminalCtrlDEndsItAndTheConsoleBeginsThereWhenAChangeLoads() throws {
    try scripts.write("return {", to: "counter.lua")
    for isMended in [false, true] {
      let terminal = try Terminal()
      terminal.resize(columns: 80, rows: 24)
      let process = try RunnerProcess.spawn(
        [RunnerProcess.executable.path, "dev", "counter", "--root", scripts.path],
        streams: terminal.streams, environment: ["NO_COLOR": "1"])
      let text = terminal.read(until: Self.note)
      #expect(text.contains("/counter.lua:1: ") && text.contains(Self.note))
      if isMended {
        try replace("counter.lua", in: scripts, by: counterScript)
        #expect(terminal.read(until: "Ctrl-D ends").contains("counter  Tab completes"))
        terminal.read(until: "\u{1B}[?25h")
      }
      terminal.write("\u{4}")
      var status: Int32 = 0
      // The process waits while the buffer of the terminal is full, so what it writes is taken out.
      while waitpid(process, &status, WNOHANG) == 0 { terminal.drain() }
      #expect((status >> 8) & 0xFF == (isMended ? 0 : 66))
    }
  }
}
