import Foundation
import Platform
import TerminalEmulator
import Testing

/// runner show on a terminal.
struct LiveScreenTests {
  let scripts: TemporaryFolder

  init() throws {
    scripts = try TemporaryFolder(["notes.lua": notesScript, "count.lua": countScript])
  }

  private func open(
    _ feature: String = "notes", columns: Int = 50, rows: Int = 16,
    environment: [String: String] = [:]
  ) throws -> ScreenOnTerminal {
    let screen = try ScreenOnTerminal(
      ["show", feature, "--root", scripts.path], columns: columns, rows: rows,
      environment: environment, in: scripts.folder)
    screen.wait(for: "Ctrl-C")
    return screen
  }

  private let tab = "\t"
  private let backTab = "\u{1B}[Z"
  private let controlC = "\u{03}"

  // MARK: Using it

  @Test func tabMovesEnterUsesSpaceFlipsAndTypingWrites() throws {
    let screen = try open()
    screen.wait(for: "terminal compact")
    screen.type("\u{0E}")
    screen.wait(for: "[ ] (Note)")
    screen.type(backTab + backTab + " ")
    screen.wait(for: "[x] (Note)")
    screen.type(tab + "日本 milk\u{7F}\u{1B}[D\u{1B}[DX")
    screen.wait(for: "[x] 日本 mXil_")
    screen.type("\u{1B}[H\u{1B}[200~a\nb \u{1B}[201~")
    screen.wait(for: "[x] a b 日本 mXil_")
    screen.type(controlC)
    #expect(screen.end() == 0)
  }

  @Test func aSheetTakesTheFocusThatTheStateGivesItAndEscapeClosesIt() throws {
    let screen = try open()
    screen.type(tab + "\r")
    screen.wait { $0.text.contains("│ Name: ") && $0.modes.contains(25) }
    screen.type("Blob")
    screen.wait(for: "│ Name: Blob_")
    screen.type("\u{1B}")
    screen.wait { !$0.text.contains("│") }
    screen.type(controlC)
    #expect(screen.end() == 0)
  }

  @Test func anAlertIsAnsweredByAKeyAndControlsByTheMouse() throws {
    let screen = try open()
    screen.type("\u{0E}")
    screen.wait(for: "[ ] (Note)")
    screen.click("[ ]")
    screen.wait(for: "[x] (Note)")
    screen.click("[ Clear ]")
    screen.wait(for: "Remove all?")
    screen.type("\r")
    screen.wait { !$0.text.contains("Remove all?") && $0.text.contains("[x]") }
    screen.click("[ Clear ]")
    screen.wait(for: "[ Remove ]")
    screen.click("[ Remove ]")
    screen.wait { !$0.text.contains("(Note)") }
    screen.type(controlC)
    #expect(screen.end() == 0)
  }

  @Test func deleteRemovesTheRowAroundTheFocus() throws {
    let screen = try open()
    screen.type("\u{0E}")
    screen.wait(for: "[ ] (Note)")
    screen.type(backTab + backTab + "\u{1B}[3~")
    screen.wait { !$0.text.contains("(Note)") }
  }

  // MARK: The terminal

  @Test func anotherSizeIsDrawnAtOnceAndViewsKnowWhetherItIsCompact() throws {
    let screen = try open()
    screen.resize(columns: 100, rows: 30)
    screen.wait { $0.text.contains("terminal regular") && $0.lines[29].contains("Ctrl-C") }
    screen.resize(columns: 20, rows: 10)
    screen.wait { $0.text.contains("terminal compact") && $0.lines[9].contains("Ctrl-C") }
    screen.type("\u{0E}" + backTab + "long text that does not fit")
    screen.wait(for: "[ ] at does not fit_")
    screen.resize(columns: 3, rows: 1)
    screen.resize(columns: 50, rows: 16)
    screen.wait(for: "[ ] long text that does not fit_")
  }

  @Test func oneChangedCellOf20050CostsAtMost40Bytes() throws {
    let screen = try open("count", columns: 200, rows: 50)
    screen.wait(for: "Count 0")
    screen.type(" ")
    screen.wait(for: "Count 1")
    screen.type(" ")
    screen.wait(for: "Count 2")
    #expect(screen.bytesRead <= 40, "\(screen.bytesRead)")
  }

  @Test(arguments: ["1", ""])
  func withoutColourWhatHasTheFocusIsMarkedAllTheSame(noColor: String) throws {
    let screen = try open("count", environment: ["NO_COLOR": noColor])
    screen.wait(for: "Count 0")
    let pens = screen.shown.cells.flatMap(\.self).reduce(into: Set<Int>()) { $0.formUnion($1.pen) }
    #expect(pens.contains(7))
    #expect(pens.contains { (30...37).contains($0) } == noColor.isEmpty)
  }

  @Test func junkDoesNoHarmHalfASequenceBytesThatAreNoTextAMouseThatIsNowhere() throws {
    let screen = try open("count")
    var bytes: [UInt8] = [0xFF, 0xC3, 0x80, 0x00, 0x1B, 0x5B, 0x3C, 0x1B, 0x5B, 0x39, 0x39, 0x7E]
    bytes += Array("\u{1B}[<0;999999;999999M\u{1B}[<0;0;-3M\u{1B}[1;99999999999999999999A".utf8)
    screen.terminal.write(bytes)
    screen.type(" ")
    screen.wait(for: "Count 1")
    screen.type("\u{1B}[20" + controlC)
    #expect(screen.end() == 0)
  }

  @Test(arguments: [
    ("C", 0), ("TERM", 143), ("INT", 130), ("HUP", nil), ("ILL", nil), ("SEGV", nil),
    ("ABRT", nil), ("USR1", nil),
  ])
  func theTerminalIsAsItWasAfterwards(end: String, status: Int32?) throws {
    // Swift's report of a crash takes long.
    let screen = try open(environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(!screen.terminal.takesLines)
    #expect(screen.shown.modes.isSuperset(of: [1049, 1000, 1006, 2004]))
    switch end {
    case "C": screen.type(controlC)
    case "TERM": screen.signal(SIGTERM)
    case "INT": screen.signal(SIGINT)
    case "ILL": screen.signal(SIGILL)
    case "SEGV": screen.signal(SIGSEGV)
    case "ABRT": screen.signal(SIGABRT)
    case "USR1": screen.signal(SIGUSR1)
    default: screen.signal(SIGHUP)
    }
    #expect(screen.end() == status)
    #expect(screen.terminal.takesLines)
    #expect(screen.shown.modes == [7, 25])
    #expect(screen.text.filter { !$0.isWhitespace } == "")
  }

  @Test func aFolderForFilesThatHasGoneMeanwhileLeavesTheTerminalAsItWas() throws {
    let files = try TemporaryFolder()
    try scripts.write("return {", to: "notes.lua")
    let screen = try ScreenOnTerminal(
      ["show", "notes", "--root", scripts.path, "--files", files.path], in: scripts.folder)
    screen.wait(for: "starts when a saved change")
    try FileManager.default.removeItem(at: files.folder)
    try scripts.write(notesScript, to: "notes.lua")
    #expect(screen.end() != 0)
    #expect(screen.terminal.takesLines)
  }

  @Test func aTerminalThatIsClosedEndsIt() throws {
    let screen = try open()
    screen.terminal.hangUp()
    _ = screen.end()
  }

  @Test func ctrlZGivesTheTerminalBackUntilItGoesOn() throws {
    let screen = try open("count")
    screen.type("\u{1A}")
    screen.wait { $0.departures == 1 }
    screen.wait(sending: SIGCONT) { $0.modes.contains(1049) && $0.text.contains("Count 0") }
    screen.type(" ")
    screen.wait(for: "Count 1")
    #expect(!screen.terminal.takesLines)
  }

  // MARK: Scripts

  @Test func aSavedScriptGoesOnWithStateFocusAndCaret() throws {
    let screen = try open()
    screen.type("\u{0E}" + backTab + "Milk\u{1B}[D\u{1B}[D")
    screen.wait { $0.text.contains("Milk_") && $0.cursor.column == 6 }
    try scripts.write(
      notesScript.replacing("title = \"Notes\"", with: "title = \"Papers\""), to: "notes.lua")
    screen.wait { $0.text.contains("Papers") && $0.text.contains("reloaded notes.lua") }
    #expect(screen.shown.cursor.column == 6)
    screen.type("X")
    screen.wait(for: "MiXlk_")
    try scripts.write("return {", to: "notes.lua")
    screen.wait(for: "not reloaded: ")
    screen.type("Y")
    screen.wait(for: "MiXYlk_")
  }

  @Test func aSavedScriptWhoseViewRaisesLeavesTheScreenBelowTheErrorInUse() throws {
    let screen = try open()
    try scripts.write(
      notesScript.replacing("title = \"Notes\"", with: "title = error 'no view'"),
      to: "notes.lua")
    screen.wait { $0.text.contains("! no view") && $0.text.contains("Notes") }
    try scripts.write(notesScript, to: "notes.lua")
    screen.wait { !$0.text.contains("! no view") && $0.text.contains("Notes") }
  }

  @Test func errorsAreSaidInTheLastRowAndPrintedAtTheEnd() throws {
    let screen = try open("count")
    screen.type(tab + "\r")
    screen.wait(for: "error: count.lua:")
    screen.type(controlC)
    #expect(screen.end() == 0)
    #expect(screen.text.contains("out of order"))
  }

  // MARK: The console

  @Test func runnerDevHasTheScreenAsAViewAndGoesOnWhereItWas() throws {
    let home = try TemporaryFolder()
    let screen = try ScreenOnTerminal(
      ["dev", "count", "--root", scripts.path],
      environment: ["XDG_STATE_HOME": home.path, "NO_COLOR": "1"], in: scripts.folder)
    screen.wait { $0.text.contains("count ›") && $0.modes.contains(25) }
    screen.type(":screen\r")
    screen.wait { $0.modes.contains(1049) && $0.text.contains("Count 0") }
    screen.type(" ")
    screen.wait(for: "Count 1")
    screen.type("\u{1B}")
    screen.wait { !$0.modes.contains(1049) && $0.text.contains("+   count = 1,") }
    screen.type(":state count\r")
    screen.wait { $0.lines.contains("1") }
    screen.type("\u{1B}[15~")
    screen.wait { $0.modes.contains(1049) && $0.text.contains("Count 1") }
    screen.type(controlC)
    screen.wait { !$0.modes.contains(1049) }
    screen.type(":quit\r")
    #expect(screen.end() == 0)
    #expect(screen.terminal.takesLines)
  }

  @Test func ofAnErrorWithSeveralLinesTheScreenInRunnerDevSaysTheFirst() throws {
    let home = try TemporaryFolder()
    let screen = try ScreenOnTerminal(
      ["dev", "count", "--root", scripts.path],
      environment: ["XDG_STATE_HOME": home.path, "NO_COLOR": "1"], in: scripts.folder)
    screen.wait { $0.text.contains("count ›") && $0.modes.contains(25) }
    screen.type("\u{1B}[15~")
    screen.wait { $0.modes.contains(1049) && $0.text.contains("Count 0") }
    try scripts.write("error('no luck\\nat all')", to: "count.lua")
    screen.wait { $0.lines.last == "not reloaded: count.lua:1: no luck" }
    screen.type(controlC)
    // All of its lines come afterwards.
    screen.wait { !$0.modes.contains(1049) && $0.text.contains("the old code runs on") }
    screen.type(":quit\r")
    #expect(screen.end() == 0)
  }
}

private let notesScript = """
  local scripted = require "scripted"
  local ui = require "scripted.ui"

  local Note = scripted.feature {
    name = "Note", binding = true, state = { id = 0, text = "", isDone = false },
    view = function()
      return ui.row {
        ui.toggle { label = "Done", labelHidden = true, bind = "isDone" },
        ui.textField { label = "Note", labelHidden = true, bind = "text" },
      }
    end,
  }

  local Form = scripted.feature {
    name = "Form", binding = true, state = { name = "", focus = "name" },
    view = function()
      return ui.form { focus = "focus", ui.button { "Other", action = "binding.name" }, ui.textField { label = "Name", name = "name", bind = "name" } }
    end,
  }

  local sure = { title = "Remove all?", buttons = {
    { label = "Remove", role = "destructive", action = "confirm" },
    { label = "Keep", role = "cancel", action = "dismiss" },
  } }

  return scripted.feature {
    name = "Notes", state = { notes = scripted.array {} },
    on = {
      add = function(state) table.insert(state.notes, Note.initial { id = #state.notes + 1 }) end,
      open = function(state) state.destination = { form = Form.initial() } end,
      clear = function(state) state.destination = { alert = sure } end,
      delete = function(state, action) scripted.list.removeAt(state.notes, action.rows) end,
      ["destination.alert.confirm"] = function(state) state.notes = scripted.array {} end,
    },
    view = function(_, env)
      return ui.screen {
        title = "Notes", sheet = "destination.form", alert = "destination.alert",
        env.platform .. " " .. env.width,
        ui.list { onDelete = "delete", ui.forEach "notes" },
        ui.row {
          ui.button { "Add", action = "add", shortcut = "mod+n" }, ui.button { "Form", action = "open" },
          ui.button { "Clear", action = "clear" },
        },
      }
    end,
  }:forEach("notes", Note):ifLet("destination", scripted.cases { form = Form, alert = scripted.ephemeral })
  """

private let countScript = """
  local scripted = require "scripted"
  local ui = require "scripted.ui"

  return scripted.feature {
    name = "Count", state = { count = 0 },
    on = {
      add = function(state) state.count = state.count + 1 end,
      fail = function() error("out of order") end,
    },
    view = function(state)
      return ui.column {
        ui.text { "Count " .. state.count, tone = "accent" }, ui.button { "Add", action = "add" },
        ui.button { "Fail", action = "fail" },
      }
    end,
  }
  """
