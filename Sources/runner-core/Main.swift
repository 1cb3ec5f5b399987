import RunnerCommands
import RunnerShared

/// The runner without its server, databases, journals and HTTP client, which are most of what a build takes: `make run` builds it.
@main
enum Main {
  static func main() { Runner.main(RunnerParts()) }
}
