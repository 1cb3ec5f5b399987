import Foundation
import Platform
import Testing

/// runner dev on a terminal.
struct TerminalConsoleTests {
  let scripts: TemporaryFolder
  /// Where what was typed is kept.
  let home: TemporaryFolder

  init() throws {
    scripts = try .counter()
    try scripts.write(notesScript, to: "notes.lua")
    home = try TemporaryFolder()
  }

  func open(_ feature: String, _ options: String...) throws -> ConsoleOnTerminal {
    try ConsoleOnTerminal(
      ["dev", feature, "--root", scripts.path] + options,
      environment: ["XDG_STATE_HOME": home.path, "NO_COLOR": "1"], in: scripts.folder)
  }

  // MARK: Typing

  @Test func aLineThatIsTypedIsDoneAndTheConsoleEndsWithCtrlD() throws {
    let console = try open("counter")
    console.type("increment { by = 2 }\r")
    let text = console.read(until: "+   count = 2,")
    #expect(text.contains("› increment { by = 2 }\r\n"))
    #expect(text.contains("1 increment { by = 2 }\r\n"))
    console.type(Keys.control("d"))
    #expect(console.end() == 0)
  }

  @Test func aKeyWithNumbersThatNoKeyHasIsPassedOver() throws {
    let console = try open("counter")
    for number in [Int.min, .max] { console.type("\u{1B}[1;\(number)H\u{1B}[\(number);\(number)~") }
    console.type("increment\r")
    console.read(until: "+   count = 1,")
    console.quit()
  }

  @Test(arguments: [
    ("remove these \(Keys.control("u"))one", "one"),
    ("two one\(Keys.control("a"))\(Keys.alt("d"))\(Keys.delete)", "one"),
    ("one two\(Keys.control("w"))\(Keys.backspace)", "one"),
    ("oen\(Keys.control("t"))", "one"),
    ("ne\(Keys.home)o\(Keys.end)", "one"),
    ("onetwo\(Keys.left)\(Keys.left)\(Keys.left)\(Keys.control("k"))", "one"),
    ("one\(Keys.control("k"))\(Keys.control("u"))\(Keys.control("y"))", "one"),
    ("two.one\(Keys.alt("b"))\(Keys.alt("\u{7F}"))", "one"),
    ("one\(Keys.alt("b"))\(Keys.alt("f"))!\(Keys.control("_"))", "one"),
    (
      "x日本👍\(Keys.control("b"))\(Keys.control("d"))\(Keys.backspace)\(Keys.backspace)\(Keys.backspace)one",
      "one"
    ),
    ("né\(Keys.backspace)\(Keys.control("a"))o\(Keys.control("e"))e", "one"),
  ])
  func linesAreEditedAsEmacsAndReadlineDo(keys: String, line: String) throws {
    let console = try open("notes")
    console.type(keys + "\r")
    console.read(until: "1 \(line)\r\n")
    console.quit()
  }

  @Test func whatIsPastedOverSeveralLinesIsOne() throws {
    let console = try open("notes")
    console.type("note " + Keys.paste("{\n  text = 'a',\n\n}") + "\r")
    console.read(until: #"1 note { text = "a" }"#)
    console.quit()
  }

  @Test func ctrlCDropsTheLine() throws {
    let console = try open("notes")
    console.type("wrong\(Keys.control("c"))one\r")
    console.read(until: "1 one\r\n")
    console.quit()
  }

  // MARK: History

  @Test func whatWasTypedComesBackInTheNextRunToo() throws {
    let first = try open("notes")
    first.type("one\r")
    first.read(until: "1 one")
    first.type("two\r\(Keys.up)\(Keys.up)\r")
    first.read(until: "3 one")
    first.quit()

    let second = try open("notes")
    second.type("draft\(Keys.up)\(Keys.up)\(Keys.up)\(Keys.up)\(Keys.down)\r")
    second.read(until: "1 two")
    second.type("dra\(Keys.up)\(Keys.down)ft\r")
    second.read(until: "2 draft")
    second.quit()
  }

  @Test func aPipeInPlaceOfTheHistoryKeepsNobodyWaiting() throws {
    let first = try open("notes")
    first.type("one\r")
    first.read(until: "1 one")
    first.quit()
    let folder = FileManager.default.enumerator(atPath: home.path)
    let found = folder?.compactMap { $0 as? String }.first { $0.hasSuffix(".history") }
    let path = home.url(try #require(found)).path
    try FileManager.default.removeItem(atPath: path)
    try #require(mkfifo(path, 0o600) == 0)
    let second = try open("notes")
    second.type("two\r")
    second.read(until: "1 two")
    second.quit()
  }

  @Test func ctrlRSearchesInIt() throws {
    let console = try open("notes")
    for line in ["one", "note 1", "two"] { console.type(line + "\r") }
    console.type("\(Keys.control("r"))o\(Keys.control("r"))\(Keys.control("r"))")
    console.type("\r")
    console.read(until: "4 one")
    console.type(
      "\(Keys.control("r"))note\(Keys.control("g"))\(Keys.control("r"))not\(Keys.end)2\r")
    console.read(until: "5 note { value = 12 }")
    console.quit()
  }

  // MARK: Completion

  @Test func tabCompletesWhatIsBegunWithTheActionsThatThereAreAndTheIdsInTheState() throws {
    let console = try open("notes")
    console.type("rows[\t")
    console.read(until: "a].  b].")
    console.type("\tren\t { name = 'x' }\r")
    console.read(until: #"1 rows[a].rename { name = "x" }"#)
    console.type(":sta\t row\t[2].n\t\r")
    console.read(until: "\"second\"")
    console.type(":sh\t\r")
    console.read(until: "no value is shared; ")
    console.type(":vi\t of\t\r")
    console.read(until: "the screen is not shown")
    console.quit()
  }

  @Test func tabOffersTheActionsThatAreAnOperatorsOwnWhereItHasThem() throws {
    try scripts.write(
      """
      local scripted = require "scripted"
      local Row = scripted.feature { name = "Row", on = { tap = function() end } }
      local App = scripted.feature { name = "App", state = { rows = {}, path = {} }, on = {} }
      return App:forEach("rows", Row):stack("path", Row):ifLet("sheet", Row)
      """, to: "app.lua")
    let console = try open("app")
    console.type("path.pu\t { state = { n = 1 } }\r")
    console.read(until: "1 path.push { state = { n = 1 } }")
    console.type("sheet.di\t\r")
    console.read(until: "2 sheet.dismiss")
    console.type("rows.pu\t\r")
    console.read(until: "3 rows.pu\r\n")
    console.quit()
  }

  @Test func tabGoesThroughWhatThereIsAndEscapeBackToWhatWasTyped() throws {
    let console = try open("notes")
    console.type("n\t\t\t\r")
    console.read(until: "1 note\r\n")
    console.type("n\t\t")
    console.read(until: "› never\r\n")
    console.type(Keys.escape)
    console.read(until: "› n\r\n")
    console.type("ote 3\r")
    console.read(until: "2 note { value = 3 }")
    console.quit()
  }

  // MARK: What comes meanwhile

  @Test func whatEffectsSendAndScriptsPrintComesAboveTheLineThatIsBeingTypedWhichStays() throws {
    let console = try open("notes")
    console.type("later\r")
    let start = console.read(until: "1 later")
    console.type("no")
    let text = start + console.read(until: "2 one  -- sent by an effect of Notes")
    // It comes by standard error, so before that or after it.
    if !text.contains("│ in the meantime") { console.read(until: "│ in the meantime") }
    console.type("te 7\r")
    console.read(until: "3 note { value = 7 }")
    console.quit()
  }

  @Test func ctrlCEndsACommandThatTakesLongAndTheConsoleGoesOn() throws {
    let console = try open("notes")
    console.type(":wait 1000\r")
    console.read(until: "› :wait 1000\r\n")
    console.signal(SIGINT)
    console.read(until: "interrupted")
    console.type("one\r")
    console.read(until: "1 one")
    console.quit()
  }

  @Test func ctrlCEndsTheWaitForAnEffectAlsoAfterAKey() throws {
    let server = try OneAnswerServer(nil)
    try scripts.write(busyScript, to: "busy.lua")
    let console = try open("busy", "--clock", "virtual", "--allow-host", server.host)
    let line = "fetch { url = 'http://\(server.host)/' }"
    console.type("\(line)\r")
    console.read(until: "› \(line)\r\n")
    console.signal(SIGINT)
    console.read(until: "interrupted")
    // What follows waits for the same effect.
    console.type(Keys.function(1))
    console.read(until: "writes what happened as a test")
    #expect(console.terminal.sendsSignals)
    console.signal(SIGINT)
    console.read(until: "interrupted")
    console.read(until: "\u{1B}[?25h")
  }

  @Test func aScriptThatIsSavedIsLoadedWithALineThatSaysSoInTheMiddleOfTyping() throws {
    let console = try open("counter")
    console.type("increment { by =")
    try scripts.write(
      counterScript.replacing("(action.by or 1)", with: "action.by * 10"), to: "counter.lua")
    let text = console.read(until: " ms\r\n")
    #expect(text.contains("reloaded counter.lua in "))
    console.type(" 2 }\r")
    console.read(until: "+   count = 20,")
    try scripts.write("return {", to: "counter.lua")
    console.read(until: "error: not reloaded, the old code runs on:\r\n  counter.lua:1: ")
    console.type("increment { by = 1 }\r")
    console.read(until: "+   count = 30,")
    console.quit()
  }

  @Test func itIsNotIfNoWatchIsGiven() throws {
    let console = try open("counter", "--no-watch")
    try scripts.write(
      counterScript.replacing("(action.by or 1)", with: "10"), to: "counter.lua")
    usleep(200_000)
    console.type("increment\r")
    console.read(until: "+   count = 1,")
    console.type(":reload\r")
    console.read(until: "reloaded counter.lua in ")
    console.type("increment\r")
    console.read(until: "+   count = 11,")
    console.quit()
  }

  // MARK: Views

  @Test func theStateIsATreeThatIsUnfoldedAndAValueInItSet() throws {
    let console = try open("notes")
    console.type(Keys.function(2))
    let folded = console.read(until: "q back")
    #expect(folded.contains("▾ state 2 keys"))
    #expect(
      folded.contains(#"▸ rows { { id = "a", name = "first" }, { id = "b", name = "second" } }"#))
    console.type("\(Keys.down)\(Keys.down)\(Keys.right)\(Keys.right)\(Keys.right)")
    console.read(until: #"name "first""#)
    console.type("\(Keys.down)\(Keys.down)\r")
    console.read(until: #":set rows[1].name "first""#)
    console.type("\(Keys.control("w"))'by hand'\r")
    console.read(until: #"+       name = "by hand","#)
    console.quit()
  }

  @Test func theTreeOfTheStateMarksWhatTheLastActionHasChangedAndTheHistoryHasItsCalls() throws {
    try scripts.write(askingScript, to: "asking.lua")
    let console = try open("asking", "--clock", "virtual")
    console.type("stamp\r\(Keys.function(2))")
    let text = console.read(until: "q back")
    #expect(text.contains("› · ▾ state 2 keys"), "\(text)")
    #expect(text.contains("  ~     stamp \"0000"), "\(text)")
    #expect(text.contains("        count 0"), "\(text)")
    console.type("q\(Keys.function(3))")
    let history = console.read(until: "q back")
    #expect(history.contains(#"handler  uuid → "0000"#), "\(history)")
    #expect(history.contains("effect   date.now → 978307200.0"), "\(history)")
    console.type("q")
    console.quit()
  }

  @Test func theHistoryIsLookedThroughAndTheStoreMovedInIt() throws {
    let console = try open("counter")
    console.type("increment\rincrement { by = 5 }\r\(Keys.function(3))")
    let text = console.read(until: "q back")
    #expect(text.contains("● 2 increment { by = 5 }"))
    #expect(text.contains("+   count = 6,"))
    console.type("\(Keys.left)")
    console.read(until: "at 1 of 2")
    console.type("q:state count\r")
    console.read(until: "\r\n1\r\n")
    console.type(Keys.right)
    console.read(until: "at 2 of 2")
    console.quit()
  }

  @Test func effectsInFlightAreListedAndCancelledByAKey() throws {
    let console = try open("notes")
    console.type("never\r\(Keys.function(4))")
    console.read(until: "Notes (notes.lua:27)")
    console.type("c")
    console.read(until: "nothing is in flight")
    console.type("q:effects\r")
    console.read(until: "no effect is in flight")
    console.quit()
  }

  @Test func aViewIsDrawnAnewWhenTheSizeChangesAndWhatHappenedMeanwhileIsToldOfAfterwards() throws {
    let console = try open("notes")
    console.type("arrive\r\(Keys.function(2))")
    console.read(until: "q back")
    console.resize(columns: 40, rows: 8)
    console.read(until: "state of notes")
    console.read(until: "last \"arrived\"")
    console.type("q")
    console.read(until: "2 note { text = \"arrived\" }  -- sent by an effect of Notes")
    console.quit()
  }

  @Test(arguments: [79, 40, 20, 9, 3])
  func noRowIsAsWideAsTheTerminalWhateverItsSize(columns: Int) throws {
    let console = try ConsoleOnTerminal(
      ["dev", "notes", "--root", scripts.path], columns: columns,
      environment: ["XDG_STATE_HOME": home.path, "NO_COLOR": "1"])
    console.type("note 'a long line that does not fit into a narrow terminal 日本語'")
    console.type("\r")
    let text = console.read(until: "1 note")
    // What is drawn again and again is between hiding the cursor and showing it.
    for frame in text.components(separatedBy: "\u{1B}[?25l") {
      guard let end = frame.range(of: "\u{1B}[?25h") else { continue }
      let plain = frame[..<end.lowerBound].replacing(/\e\[[0-9;?]*[A-Za-z]/, with: "")
      for row in plain.split(separator: "\r\n") {
        #expect(row.replacing("\r", with: "").count < columns)
      }
    }
    console.quit()
  }

  // MARK: The end

  @Test func aRecordingThatCouldNotBeWrittenIsToldAtTheEnd() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let console = try open("counter")
    console.type(":record /dev/full\r")
    console.read(until: "recording into /dev/full")
    console.type("increment\r")
    console.read(until: "+   count = 1,")
    console.type(Keys.control("d"))
    console.read(until: "error: /dev/full: No space left on device")
    #expect(console.end() == 74)
  }

  @Test(arguments: [("D", 0), ("quit", 0), ("TERM", 143), ("HUP", nil), ("USR1", nil)])
  func theTerminalIsAsItWasAfterwards(end: String, status: Int32?) throws {
    let console = try open("counter")
    #expect(!console.terminal.takesLines)
    switch end {
    case "D": console.type(Keys.control("d"))
    case "quit": console.type(":quit\r")
    case "TERM": console.signal(SIGTERM)
    case "USR1": console.signal(SIGUSR1)
    default: console.signal(SIGHUP)
    }
    #expect(console.end() == status)
    #expect(console.terminal.takesLines)
  }
}

/// What terminals send for keys.
private enum Keys {
  static func control(_ letter: Character) -> String {
    String(Character(Unicode.Scalar((letter.asciiValue ?? 0) & 0x1F)))
  }
  static func alt(_ character: Character) -> String { "\u{1B}\(character)" }
  static func function(_ number: Int) -> String {
    "\u{1B}O" + String(Character(Unicode.Scalar(UInt8(ascii: "P") + UInt8(number - 1))))
  }
  static func paste(_ text: String) -> String { "\u{1B}[200~\(text)\u{1B}[201~" }
  static let escape = "\u{1B}"
  static let backspace = "\u{7F}"
  static let delete = "\u{1B}[3~"
  static let (up, down, right, left) = ("\u{1B}[A", "\u{1B}[B", "\u{1B}[C", "\u{1B}[D")
  static let (home, end) = ("\u{1B}[H", "\u{1B}OF")
}

/// A console in a terminal that a test is the other side of.
final class ConsoleOnTerminal {
  let terminal: Terminal
  private let process: pid_t
  private var hasEnded = false

  init(
    _ arguments: [String], columns: Int = 80, environment: [String: String],
    in folder: URL = RunnerProcess.repository
  ) throws {
    terminal = try Terminal()
    terminal.resize(columns: columns, rows: 24)
    process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path] + arguments, streams: terminal.streams,
      environment: environment, in: folder)
    // Until it has drawn something the terminal edits lines itself.
    terminal.read(until: "\u{1B}[?25h")
  }

  deinit {
    if !hasEnded {
      kill(process, SIGKILL)
      _ = RunnerProcess.wait(for: process)
    }
  }

  func type(_ keys: String) { terminal.write(keys) }

  /// What it writes, up to and with a text; that it comes is expected.
  @discardableResult
  func read(until end: String, sourceLocation: SourceLocation = #_sourceLocation) -> String {
    let text = terminal.read(until: end)
    #expect(text.contains(end), sourceLocation: sourceLocation)
    return text
  }

  func resize(columns: Int, rows: Int) {
    terminal.resize(columns: columns, rows: rows)
    kill(process, SIGWINCH)
  }

  func signal(_ number: Int32) { kill(process, number) }

  /// Waits for its end.
  func end() -> Int32? {
    hasEnded = true
    var status: Int32 = 0
    // The process waits while the buffer of the terminal is full, so what it writes is taken out.
    while waitpid(process, &status, WNOHANG) == 0 { terminal.drain() }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
  }

  func quit() {
    type(":quit\r")
    #expect(end() == 0)
  }
}

private let notesScript = """
  local scripted = require "scripted"
  local effect = scripted.effect

  local Row = scripted.feature {
    name = "Row", on = { rename = function(state, action) state.name = action.name end },
  }
  local Notes = scripted.feature {
    name = "Notes",
    state = { last = "", rows = { { id = "a", name = "first" }, { id = "b", name = "second" } } },
    dependencies = { "clock" },
    on = {
      one = function() end, two = function() end, draft = function() end,
      later = function()
        return effect.run(function(send, deps)
          deps.clock.sleep(0.2)
          print("in the meantime")
          send("one")
        end)
      end,
      arrive = function()
        return effect.run(function(send, deps)
          deps.clock.sleep(1)
          send("note", { text = "arrived" })
        end)
      end,
      never = function()
        return effect.run(function(_, deps) deps.clock.sleep(1e6) end)
      end,
      note = function(state, action) state.last = action.text or tostring(action.value) end,
    },
  }
  return Notes:forEach("rows", Row)
  """
