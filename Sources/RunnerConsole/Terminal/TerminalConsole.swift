import ArgumentParser
import Platform
import RunnerShared
import ScriptedStoreTerminal

/// Runs a console on a terminal. Events scroll above the edited line, and keys open views that
/// cover the whole screen.
final class TerminalConsole {
  private let console: Console
  private let output: ConsoleOutput
  private var editor: LineEditor
  private var live = LiveRows()
  private let keys = TerminalKeys()
  private var view: (any ConsoleView)?
  /// Computed, as the terminal may be resized at any time.
  private var size: TerminalSize { TerminalWindow.size }
  private var isOver = false
  /// Whether the screen of the feature has the terminal. It draws itself.
  private var showsScreen = false

  private static let pasteMode: (on: TerminalText, off: TerminalText) = (
    on: "\u{1B}[?2004h", off: "\u{1B}[?2004l"
  )
  private static let screen: (on: TerminalText, off: TerminalText) = (
    on: "\u{1B}[?1049h\u{1B}[?25l", off: "\u{1B}[?25h\u{1B}[?1049l"
  )

  /// What ends the above if a signal ends the process.
  private static let ends: (prompt: StaticString, view: StaticString) = (
    prompt: "\u{1B}[?25h\u{1B}[?2004l", view: "\u{1B}[?25h\u{1B}[?1049l\u{1B}[?2004l"
  )

  init(_ console: Console, _ output: ConsoleOutput, root: String) {
    self.console = console
    self.output = output
    editor = LineEditor(history: LineHistory(root: root))
    console.lineLimit = 200
    console.columns = { TerminalWindow.size.columns }
  }

  func run() -> ExitCode {
    let errors = CapturedErrors { [events = console.events] in events.add(.printed($0)) }
    TerminalInput.enter(keepsControlKeys: true)
    TerminalWindow.watch()
    output.makeRoom = { [unowned self] in
      view == nil && !showsScreen ? live.erasure(columns: size.columns) : nil
    }
    beginPrompt()
    console.say(
      console.text.note("\(console.name)  Tab completes, F1 or :help helps, Ctrl-D ends"))
    while !isOver && !Interruption.isRequested && output.failure == nil { step() }
    if view != nil { leaveView() }
    endPrompt()
    errors?.end()
    if let failure = console.closeRecording() { return fail(.ioError, "\(failure)") }
    return Interruption.signalStatus ?? (output.failure == nil ? .success : .ioError)
  }

  private func beginPrompt() {
    TerminalInput.setEndOfScreen(Self.ends.prompt)
    output.draw(Self.pasteMode.on)
  }

  private func endPrompt() {
    TerminalInput.setEndOfScreen(nil)
    output.draw(live.erasure(columns: size.columns) + Self.pasteMode.off)
    TerminalInput.restore()
  }

  // MARK: Steps

  /// Draws, waits for a key or an event, and handles it.
  private func step() {
    draw()
    Interruption.wait(for: STDIN_FILENO, atMost: keys.timeout ?? view?.interval) {
      TerminalWindow.hasChanged || !console.events.isEmpty
    }
    guard !Interruption.isRequested else { return }
    TerminalWindow.clearChange()
    console.showEvents()
    keys.read()
    while !isOver, let key = keys.next() { handle(key) }
    if keys.hasEnded { isOver = true }
  }

  private func handle(_ key: Key) {
    if let view {
      switch view.handle(key, height: max(1, size.rows - 2)) {
      case .stay: break
      case .leave: leaveView()
      case .edit(let text):
        leaveView()
        editor.put(text)
      }
      return
    }
    switch editor.handle(key, complete: console.completion) {
    case .none: break
    case .line(let line): perform(line)
    case .end: isOver = true
    case .other: handleOther(key)
    }
  }

  private func perform(_ line: String) {
    output.write("\(console.text.style.cyan("› "))\(line)\n")
    if line.trimmed.isEmpty { return }
    if let input = try? ConsoleInput(line), case .command(let name, "") = input {
      switch ConsoleCommand.named(name)?.name {
      case "browse": return show(StateView(console))
      case "screen": return useScreen()
      default: break
      }
    }
    take(line)
  }

  /// Executes a line. Meanwhile Ctrl-C sends SIGINT, which ends a wait that takes too long.
  private func take(_ line: String) {
    TerminalInput.setSignals(true)
    isOver = !console.take(line)
    TerminalInput.setSignals(false)
    if Interruption.signalStatus == ExitCode(128 + SIGINT) {
      Interruption.reset()
      console.say(console.text.note("interrupted"))
    }
  }

  private func handleOther(_ key: Key) {
    switch key {
    case .function(1): take(":help")
    case .function(2), .alt("s"): show(StateView(console))
    case .function(3), .alt("h"): show(HistoryView(console))
    case .function(4), .alt("e"): show(EffectsView(console))
    case .left: take(":step -1")
    case .right: take(":step 1")
    case .function(5), .alt("v"): useScreen()
    case .control("l"): output.write("\u{1B}[2J\u{1B}[H")
    case .control("z"): suspend()
    default: break
    }
  }

  private func suspend() {
    endPrompt()
    raise(SIGTSTP)
    TerminalInput.enter(keepsControlKeys: true)
    beginPrompt()
  }

  // MARK: Views

  private func show(_ view: any ConsoleView) {
    TerminalInput.setEndOfScreen(Self.ends.view)
    output.draw(live.erasure(columns: size.columns) + Self.screen.on)
    self.view = view
  }

  private func leaveView() {
    view = nil
    output.draw(Self.screen.off)
    TerminalInput.setEndOfScreen(Self.ends.prompt)
    output.writeHeld()
  }

  // MARK: The screen

  /// Gives the terminal to the screen of the feature until the person comes back.
  private func useScreen() {
    guard console.store.hasView else { return console.fail("\(missingView(console.tree))") }
    output.draw(live.erasure(columns: size.columns))
    showsScreen = true
    let screen = LiveScreen(console.store, keys, files: console.files) { columns in
      ["width": .string(ScreenWidth(clamping: columns).word), "platform": "terminal"]
    }
    screen.leavesByEscape = true
    screen.hasEvents = { [events = console.events] in !events.isEmpty }
    screen.takeEvents = { [console] in console.takeEventsWhileHidden() }
    let end = screen.run()
    showsScreen = false
    beginPrompt()
    output.writeHeld()
    if case .lost = end { isOver = true }
  }

  // MARK: Drawing

  private func draw() {
    let size = size
    guard size.columns > 1 && size.rows > 0 else { return }
    if let view { return draw(view, size) }
    let (rows, column) = PromptRows(console: console, editor: editor, size: size).layout()
    output.draw(
      "\u{1B}[?25l\(live.erasure(columns: size.columns))\(live.drawing(rows, cursorAt: column))\u{1B}[?25h"
    )
  }

  private func draw(_ view: any ConsoleView, _ size: TerminalSize) {
    let style = console.text.style
    var title = Row(limit: size.columns)
    title.add(" " + view.title)
    title.fill()
    var rows = [style.reversed(title.text)]
    rows += view.rows(width: size.columns, height: max(0, size.rows - 2)).prefix(
      max(0, size.rows - 2))
    rows += [TerminalText](repeating: "", count: max(0, size.rows - 1 - rows.count))
    if size.rows > 1 { rows.append(PromptRows.keys(view.keys, style, width: size.columns)) }
    output.draw("\u{1B}[H" + rows.map { $0 + "\u{1B}[K" }.joined(separator: "\n"))
  }
}

/// The rows at the bottom of a terminal that are redrawn after each change: the edited line with
/// the cursor, and the rows below it. Text scrolls above them.
///
/// Invariants:
/// 1. Each row is narrower than the terminal was when it was drawn.
/// 2. Automatic wrapping is off while the rows are written, because the terminal may have become
///    narrower in the meantime.
/// 3. `column` is nil if and only if no rows are on the screen.
/// 4. A terminal that becomes narrower wraps the rows on the screen. The cursor's column then gives
///    the number of screen rows that the first row occupies above the cursor.
struct LiveRows {
  private static let wrapping: (on: TerminalText, off: TerminalText) = (
    on: "\u{1B}[?7h", off: "\u{1B}[?7l"
  )

  /// The column of the cursor; nil if no rows are drawn.
  private var column: Int?

  /// Escape sequences that remove the rows and leave the cursor where they began.
  mutating func erasure(columns: Int) -> TerminalText {
    guard let column else { return "" }
    self.column = nil
    let above = column / max(1, columns)
    let up: TerminalText = above > 0 ? "\u{1B}[\(above)A" : ""
    return up + "\r\u{1B}[J"
  }

  /// Text that draws the rows. The cursor must be at the start of an empty row.
  mutating func drawing(_ rows: [TerminalText], cursorAt column: Int) -> TerminalText {
    self.column = column
    let below = rows.count - 1
    let up: TerminalText = below > 0 ? "\u{1B}[\(below)A" : ""
    let right: TerminalText = column > 0 ? "\u{1B}[\(column)C" : ""
    let text = rows.joined(separator: "\n")
    return "\(Self.wrapping.off)\(text)\(Self.wrapping.on)\(up)\r\(right)"
  }
}
