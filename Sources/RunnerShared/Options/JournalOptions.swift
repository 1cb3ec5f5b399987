import ArgumentParser
import ScriptedStore

/// The arguments of a command whose store may be a durable one.
package struct JournalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Keep the store in this journal, so that it goes on where the last run ended.",
      valueName: "file"))
  package var journal: String?

  @Option(help: "The key of the store in the journal. (default: main)")
  package var key: String?

  package init() {}

  package func validate() throws {
    if journal == nil && key != nil {
      throw ValidationError("--key names a store in a journal: name that with --journal FILE")
    }
  }

  /// Lets the host have the journal. Throws the exit status if the runner was built without that.
  package func add(to configuration: inout ScriptHost.Configuration) throws {
    guard let journal else { return }
    guard let open = RunnerParts.ofProgram.journals?.journal else {
      throw fail(.noInput, "--journal: this runner was built without journals (the trait Journal)")
    }
    configuration.journal = open(journal)
  }

  /// The key of the durable store; nil for a store that is not durable.
  package var durableKey: String? { journal == nil ? nil : key ?? "main" }
}
