/// The questions about a script that can be answered only by loading it.
struct ScriptQuestions: Sendable {
  /// The paths of sent actions.
  var sent = FeatureQuestions<String>([])
  /// The children that views place.
  var placed = FeatureQuestions<PlacedChild>([])
  /// Names of dependencies whose members are read.
  var clients: Set<String> = []
  /// Names of globals that the script reads or assigns.
  var globals: Set<String> = []
  /// Names of modules that the script requires.
  var modules: Set<String> = []
  var namedActions: [(module: String, name: String)] = []
}

extension ScriptQuestions {
  /// The questions about the script's own text, together with those about features that any script may
  /// compose.
  init(
    _ script: ScriptFile, sent: FeatureQuestions<String>, placed: FeatureQuestions<PlacedChild>
  ) {
    self.sent = sent
    self.placed = placed
    guard let analysis = script.analysis else { return }
    clients = Set(analysis.reads.filter { $0.member != nil }.map(\.name))
    globals = Set(NameFindings.globals(of: analysis).map(\.name))
    modules = Set(analysis.required.map(\.name))
    namedActions = analysis.namedActions.map { ($0.module, $0.name) }
  }
}
