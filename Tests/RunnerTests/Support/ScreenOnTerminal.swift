import Foundation
import Platform
import TerminalEmulator
import Testing

/// A runner whose screen a test looks at, and uses.
final class ScreenOnTerminal {
  let terminal: Terminal
  private(set) var shown: TerminalEmulator
  private let process: pid_t
  private var hasEnded = false
  /// How many bytes were read while something was waited for.
  private(set) var bytesRead = 0

  init(
    _ arguments: [String], columns: Int = 50, rows: Int = 16, environment: [String: String] = [:],
    in folder: URL = RunnerProcess.repository
  ) throws {
    terminal = try Terminal()
    terminal.resize(columns: columns, rows: rows)
    shown = TerminalEmulator(columns: columns, rows: rows)
    process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path] + arguments, streams: terminal.streams,
      environment: environment, in: folder)
  }

  deinit {
    if !hasEnded {
      kill(process, SIGKILL)
      _ = RunnerProcess.wait(for: process)
    }
  }

  var text: String { shown.text }

  func type(_ keys: String) { terminal.write(keys) }

  func signal(_ number: Int32) { kill(process, number) }

  /// Reads until the screen is as wanted; that it comes to that is expected.
  func wait(
    _ condition: (TerminalEmulator) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    bytesRead = 0
    while !condition(shown) {
      let bytes = terminal.readBytes()
      guard !bytes.isEmpty else { break }
      bytesRead += bytes.count
      shown.take(bytes)
    }
    let isAsWanted = condition(shown)
    #expect(isAsWanted, "\(shown.text)", sourceLocation: sourceLocation)
  }

  /// Sends a signal again and again until the screen is as wanted. One that continues the process has
  /// no effect if it comes before the process has stopped.
  func wait(
    sending number: Int32, until condition: (TerminalEmulator) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for _ in 0..<6000 where !condition(shown) {
      kill(process, number)
      shown.take(terminal.readAtOnce())
    }
    let isAsWanted = condition(shown)
    #expect(isAsWanted, "\(shown.text)", sourceLocation: sourceLocation)
  }

  /// Reads until a text is on the screen.
  func wait(for text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    wait({ $0.text.contains(text) }, sourceLocation: sourceLocation)
  }

  func resize(columns: Int, rows: Int) {
    terminal.resize(columns: columns, rows: rows)
    shown.resize(columns: columns, rows: rows)
    kill(process, SIGWINCH)
  }

  /// Clicks where a text stands.
  func click(_ text: String) {
    for (row, line) in shown.lines.enumerated() {
      guard let range = line.firstRange(of: text) else { continue }
      let column = line.distance(from: line.startIndex, to: range.lowerBound)
      return type("\u{1B}[<0;\(column + 1);\(row + 1)M\u{1B}[<0;\(column + 1);\(row + 1)m")
    }
    Issue.record("\(text) is not on the screen")
  }

  /// Waits for its end.
  func end() -> Int32? {
    hasEnded = true
    var status: Int32 = 0
    // The process waits while the buffer of the terminal is full, so what it writes is taken out.
    while waitpid(process, &status, WNOHANG) == 0 { shown.take(terminal.readAtOnce()) }
    shown.take(terminal.readAtOnce())
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
  }
}
