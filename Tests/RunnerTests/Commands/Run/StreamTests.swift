import Foundation
import Platform
import Testing

private let systemRead = read

/// What has the name in this process.
func symbol(_ name: String) -> UnsafeMutableRawPointer? {
  dlsym(dlopen(nil, RTLD_NOW), name)
}

/// One after the other, so that no child inherits a pipe of another between its making and its
/// marking.
@Suite(.serialized)
struct StreamTests {
  let scripts: TemporaryFolder

  init() throws { scripts = try .counter() }

  /// Both ends stay out of other children, which would keep a stream open.
  private func channel() -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Both ends of a terminal. The C library has it, not all of Swift's modules of it do.
  private func terminal() throws -> (reading: Int32, writing: Int32) {
    typealias Open =
      @convention(c) (
        UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>, UnsafeMutableRawPointer?,
        UnsafeRawPointer?, UnsafeRawPointer?
      ) -> Int32
    // Safe: what the C library has under this name is a function of this type.
    let openpty = unsafeBitCast(try #require(symbol("openpty")), to: Open.self)
    var (reading, writing): (Int32, Int32) = (-1, -1)
    try #require(openpty(&reading, &writing, nil, nil, nil) == 0)
    for end in [reading, writing] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (reading, writing)
  }

  /// What can be read up to the given text, or to the end.
  private func read(_ descriptor: Int32, upTo end: String? = nil) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while systemRead(descriptor, &byte, 1) == 1 {
      bytes.append(byte)
      if let end, bytes.suffix(end.utf8.count).elementsEqual(end.utf8) { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A run of the counter, and the ends of its input and its output.
  private func run(_ options: String...) throws -> (process: pid_t, input: Int32, output: Int32) {
    let (input, output) = (channel(), channel())
    let process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path, "run", "counter", "--root", scripts.path] + options,
      streams: [input.reading, output.writing, output.writing])
    close(input.reading)
    close(output.writing)
    return (process, input.writing, output.reading)
  }

  @Test func ctrlCWhileItWaitsForInputEndsTheRunWithTheStateIfAsked() throws {
    let (process, input, output) = try run("--print-state")
    defer {
      close(input)
      close(output)
    }

    write(input, "\"increment\"\n", 12)
    #expect(read(output, upTo: "\n").contains(#""n":1"#))
    kill(process, SIGINT)
    #expect(read(output) == #"{"state":{"count":1,"label":""}}"# + "\n")
    #expect(RunnerProcess.wait(for: process).status == 0)
  }

  @Test func ctrlCEndsAWait() throws {
    let (process, input, output) = try run()
    defer { close(output) }

    let lines = "\"increment\"\n{\"wait\":100000}\n\"increment\"\n"
    write(input, lines, lines.utf8.count)
    close(input)
    _ = read(output, upTo: "\n")
    kill(process, SIGINT)
    #expect(read(output) == "")
    #expect(RunnerProcess.wait(for: process).status == 0)
  }

  @Test func eachLineIsAnsweredBeforeTheNextIsSent() throws {
    let (process, input, output) = try run()
    defer { close(output) }

    for count in 1...3 {
      write(input, "\"increment\"\n", 12)
      #expect(read(output, upTo: "\n").contains(#""value":\#(count)}"#))
    }
    close(input)
    #expect(read(output) == "")
    #expect(RunnerProcess.wait(for: process).status == 0)
  }

  @Test(arguments: [
    ([:], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false),
    (["FORCE_COLOR": "0"], false),
    (["FORCE_COLOR": "false"], false), (["FORCE_COLOR": "1", "TERM": "dumb"], true),
  ])
  func aTerminalGetsTextColouredUnlessNOCOLORIsSet(environment: [String: String], isColored: Bool)
    throws
  {
    let terminal = try terminal()
    defer { close(terminal.reading) }
    let input = channel()
    let process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path, "run", "counter", "--root", scripts.path],
      streams: [input.reading, terminal.writing, terminal.writing], environment: environment)
    close(input.reading)
    close(terminal.writing)
    write(input.writing, "\"increment\"\n", 12)
    close(input.writing)
    let text = read(terminal.reading)
    #expect(RunnerProcess.wait(for: process).status == 0)
    #expect(text.contains("increment") && !text.contains("{\""))
    #expect(text.contains("\u{1B}[") == isColored)
  }

  @Test func aMillionLinesTakeNoMoreMemoryThanOne() throws {
    let action = "\"increment\"\n"
    let block = action + String(repeating: "\n", count: 199)
    let million = try RunnerProcess.run(
      ["run", "counter", "--root", scripts.path, "--print-state"],
      input: String(repeating: block, count: 5_000))
    // Comes second: the peak of a process includes what this one had when it started it, and that grows meanwhile.
    let one = try RunnerProcess.run(
      ["run", "counter", "--root", scripts.path, "--print-state"], input: action)
    #expect(million.lines.last == #"{"state":{"count":5000,"label":""}}"#)
    // A sanitizer keeps freed memory for a while.
    if symbol("__asan_init") == nil, symbol("__tsan_init") == nil {
      #expect(million.peakMemory < one.peakMemory + 4_000_000)
    }
  }

  @Test func aLineLongerThanAnyBufferArrivesWhole() throws {
    let text = String(repeating: "x", count: 1_000_000)
    let outcome = try RunnerProcess.run(
      ["run", "counter", "--root", scripts.path],
      input: #"{"type":"label","text":"\#(text)"}"# + "\n\"increment\"\n")
    #expect(outcome.lines.count == 2)
    #expect(outcome.lines.first?.hasSuffix(#"\#(text)"}],"warnings":[]}"#) == true)
  }
}
