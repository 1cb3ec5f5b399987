import ArgumentParser
import LuaBridge
import RunnerShared
import ScriptedStore
import ScriptedStoreFiles

enum TreeFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
  case dot
}

struct Tree: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tree",
    abstract: "Show how a feature is composed.",
    discussion: """
      Its reducers and operators, with state keys, shared fields, actions, dependencies and the \
      lines of the scripts that made them. dot is for Graphviz: runner tree todos --format dot | dot -Tsvg.

      Exit status: 0; 64 for wrong usage; 66 when the script is missing or does not load; 74 when \
      writing fails.
      """)

  @OptionGroup
  var feature: FeatureOptions

  @Option(help: "text, json or dot.")
  var format = TreeFormat.text

  @Option(
    name: .customLong("dependency"),
    help: ArgumentHelp(
      "A dependency that the host offers and the runner does not know. May be repeated.",
      valueName: "name"))
  var standIns: [String] = []

  func run() throws {
    let tree = try composition()
    let bytes =
      switch format {
      case .text: TerminalText(tree.description + "\n").bytes
      case .json: TerminalJSON.line(tree.value)
      case .dot: TerminalText(tree.dot).bytes
      }
    try StandardStreams.output(bytes)
  }

  private func composition() throws -> ReducerTree {
    var dependencies = Dependencies()
    let error = ScriptError("nothing runs here")
    dependencies.register("http", live: .http(raising: error))
    dependencies.register("files", live: .files(raising: error))
    dependencies.standIns = Set(standIns)
    dependencies.standInRemedy = { "name it: --dependency \($0)" }
    let configuration = ScriptHost.Configuration(dependencies: dependencies)
    let location = feature.location
    ScriptPaths.use(root: location.root)
    return try exitingOnScriptError {
      try ScriptHost(root: location.root, configuration: configuration)
        .tree(of: location.feature).displayed
    }
  }
}
