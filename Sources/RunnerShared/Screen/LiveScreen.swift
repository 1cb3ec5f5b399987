// LiveScreen puts the screen of a store on the terminal until the person leaves.
//
//            ┌───────────────────────────── keys, changes, a new size ──────────────┐
//            ▼                                                                      │
//   enter ─▶ draw ─▶ wait ─▶ handle ─▶ … ─▶ Ctrl-C, the end of the input, a signal ─▶ leave
//                     │                                                      ▲
//                     └─ Ctrl-Z, SIGTSTP: leave, stop; SIGCONT: enter ───────┘
//
// 1. Between `enter` and `leave` the terminal shows its alternate screen, and `TerminalInput.restore`
//    ends that. This file calls it, and so does the handler of a signal that ends the process.
// 2. Without a key there are at most 60 frames a second.

import LuaBridge
import Platform
import ScriptView
import ScriptedStore
import ScriptedStoreFiles
import ScriptedStoreTerminal
import Synchronization

/// A screen in use on the terminal. The terminal reads single keys already, and its size is watched.
package final class LiveScreen {
  /// Why the screen has ended.
  package enum End {
    /// Ctrl-C; or Escape, where that leaves.
    case left
    /// The input has ended, or the output has failed.
    case lost
    /// A signal has come.
    case interrupted
  }

  private let source: StoreScreen
  private let screen: TerminalScreen
  private let keys: TerminalKeys
  private let environment: (_ columns: Int) -> Value.Object
  private var output = DescriptorWriter(STDOUT_FILENO)
  private var lastFrame = ContinuousClock.now
  /// Whether Escape leaves where there is nothing to close.
  package var leavesByEscape = false
  /// Whether there is something for ``takeEvents``.
  package var hasEvents: () -> Bool = { false }
  /// Called before each frame. Returns a text whose first line the last row says; nil for what it
  /// said.
  package var takeEvents: () -> String? = { nil }

  private static let frame = Duration.milliseconds(1000) / 60
  /// The alternate screen, no wrapping, pasted text in brackets, buttons and the wheel of the mouse.
  private static let begin: StaticString =
    "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?1000h\u{1B}[?1006h"
  private static let end: StaticString =
    "\u{1B}[?2026l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?2004l\u{1B}[?7h\u{1B}[m\u{1B}[?25h\u{1B}[?1049l"

  /// - Parameters:
  ///   - files: where the files go that the person chooses; nil if they cannot.
  ///   - environment: what views read, by the columns of the terminal.
  package init(
    _ store: Store, _ keys: TerminalKeys, files: (any FileExchange)?,
    environment: @escaping (Int) -> Value.Object
  ) {
    self.keys = keys
    self.environment = environment
    let size = TerminalWindow.size
    source = StoreScreen(store, environment: environment(size.columns), files: files)
    screen = TerminalScreen(source, size: size, takesColor: StandardStreams.outputTakesColor)
  }

  package func run() -> End {
    enter()
    defer { leave() }
    while true {
      draw()
      wait()
      if Interruption.isRequested { return .interrupted }
      if TerminalStop.takeResumption() {
        TerminalInput.restore()
        TerminalInput.enter(keepsControlKeys: true)
        enter()
      }
      takeChanges()
      if let end = handleKeys() { return end }
      if keys.hasEnded || output.failure != nil { return .lost }
    }
  }

  private func wait() {
    Interruption.wait(for: STDIN_FILENO, atMost: keys.timeout) {
      source.hasChanged || TerminalWindow.hasChanged || TerminalStop.wasResumed || hasEvents()
    }
    let left = Self.frame - (ContinuousClock.now - lastFrame)
    guard left > .zero, !TerminalWindow.hasChanged else { return }
    // Another change may come before the next frame. A key ends the wait.
    Interruption.wait(for: STDIN_FILENO, atMost: left / .seconds(1))
  }

  private func takeChanges() {
    if TerminalWindow.hasChanged {
      TerminalWindow.clearChange()
      let size = TerminalWindow.size
      source.look(with: environment(size.columns))
      screen.resize(to: size)
    }
    if hasEvents(), let message = takeEvents() {
      screen.message = message.split(whereSeparator: \.isNewline).first.map(String.init)
    }
    if source.hasChanged {
      source.takeChange()
      screen.update()
    }
  }

  private func handleKeys() -> End? {
    keys.read()
    while let key = keys.next() {
      switch screen.handle(key) {
      case .none: break
      case .leave: return .left
      case .escape: if leavesByEscape { return .left }
      case .suspend: raise(SIGTSTP)
      }
    }
    return nil
  }

  private func draw() {
    let bytes = screen.bytes()
    guard !bytes.isEmpty else { return }
    output.write(bytes)
    lastFrame = .now
  }

  private func enter() {
    TerminalStop.watch()
    TerminalInput.setEndOfScreen(Self.end)
    output.write(TerminalText(stringLiteral: "\(Self.begin)"))
    screen.redraw()
  }

  private func leave() {
    TerminalStop.ignore()
    TerminalInput.setEndOfScreen(nil)
    output.write(TerminalText(stringLiteral: "\(Self.end)"))
  }
}
