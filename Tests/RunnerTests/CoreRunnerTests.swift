import Testing

/// The program that `make run` builds.
@Suite("The runner without server, databases and HTTP client")
struct CoreRunnerTests {
  private func core(_ arguments: String) throws -> RunnerProcess.Outcome {
    try RunnerProcess.shell(#""$(dirname "$RUNNER")/runner-core" "# + arguments)
  }

  @Test("The session of make run is one that a person reads")
  func session() throws {
    let session = "todos --actions scripts/examples/first_session.jsonl --clock virtual"
    let run = try core("run \(session) --format text")
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(run.output.contains("+       isComplete = true,"))
    let screen = try core("show \(session) --format text")
    #expect(screen.output.contains("[x] Buy milk"))
  }

  @Test(
    "What it lacks is refused with the remedy",
    arguments: [
      ("serve todos", "without its server"),
      ("run todos --allow-host x.org", "without its HTTP client"),
    ])
  func missingParts(arguments: String, message: String) throws {
    let outcome = try core(arguments + " </dev/null")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(message) && outcome.errors.contains("`make build`"))
  }
}
