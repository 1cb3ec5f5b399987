import Foundation
import Platform
import Testing

@Suite("runner run on a terminal")
struct TerminalRunTests {
  @Test("There is a prompt, and a line that is no action is told and forgotten")
  func typing() throws {
    let scripts = try TemporaryFolder.counter()
    let terminal = try Terminal()
    let process = try RunnerProcess.spawn(
      [RunnerProcess.executable.path, "run", "counter", "--root", scripts.path],
      streams: terminal.streams, environment: ["NO_COLOR": "1"])
    terminal.read(until: "› ")
    terminal.write("increment }\n")
    #expect(terminal.read(until: "› ").contains("error: "))
    terminal.write("increment { by = 2 }\n")
    #expect(terminal.read(until: "› ").contains("count"))
    terminal.write("\u{4}")
    #expect(RunnerProcess.wait(for: process).status == 0)
  }
}
