import Foundation
import Platform
import Testing

private let systemRead = read

/// A runner that is talked to while it runs, and reads on until its input ends or it is told to stop.
final class Conversation {
  let process: pid_t
  private var input: Int32?
  private var output: Int32?
  private let errors: Int32
  private var hasEnded = false

  convenience init(
    _ arguments: [String], environment: [String: String] = [:],
    in folder: URL = RunnerProcess.repository
  ) throws {
    try self.init(
      command: [RunnerProcess.executable.path] + arguments, environment: environment, in: folder)
  }

  /// - Parameter command: a program that becomes the runner, and its arguments.
  init(
    command: [String], environment: [String: String] = [:],
    in folder: URL = RunnerProcess.repository
  ) throws {
    let (input, output, errors) = try RunnerProcess.withoutSpawning {
      (try Self.pipe(), try Self.pipe(), try Self.pipe())
    }
    defer { for end in [input.reading, output.writing, errors.writing] { close(end) } }
    process = try RunnerProcess.spawn(
      command, streams: [input.reading, output.writing, errors.writing], environment: environment,
      in: folder)
    self.input = input.writing
    self.output = output.reading
    self.errors = errors.reading
  }

  deinit {
    if !hasEnded {
      kill(process, SIGKILL)
      _ = RunnerProcess.wait(for: process)
    }
    endInput()
    stopListening()
    close(errors)
  }

  private static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Platform.pipe(&ends) == 0 else { throw RunnerProcess.SpawnError(number: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  func say(_ line: String) { type(line + "\n") }

  /// Without the end of a line.
  func type(_ text: String) {
    guard let input else { return }
    write(input, text, text.utf8.count)
  }

  func endInput() {
    if let input { close(input) }
    input = nil
  }

  /// The next line of its output, without the end; empty at the end.
  func hear() -> String { Self.read(output, upTo: "\n") }

  /// The next line on standard error.
  func hearError() -> String { Self.read(errors, upTo: "\n") }

  func signal(_ number: Int32) { kill(process, number) }

  /// Nobody reads its output any more.
  func stopListening() {
    if let output { close(output) }
    output = nil
  }

  /// Waits for its end; what it printed that was not heard.
  func end() -> (status: Int32?, output: String, errors: String) {
    let (output, errors) = (Self.read(output), Self.read(errors))
    hasEnded = true
    return (RunnerProcess.wait(for: process).status, output, errors)
  }

  /// Sends it a signal again and again until it ends: of two at once it may see one.
  func end(by number: Int32) -> Int32? {
    var status: Int32 = 0
    repeat {
      kill(process, number)
      usleep(10_000)
    } while waitpid(process, &status, WNOHANG) == 0
    hasEnded = true
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
  }

  private static func read(_ descriptor: Int32?, upTo end: Character? = nil) -> String {
    guard let descriptor else { return "" }
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while systemRead(descriptor, &byte, 1) == 1 {
      if let end, end.asciiValue == byte { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
