import LuaBridge
import ScriptedStore

/// The modules and dependencies that the scripts under a root can use.
struct AvailableNames {
  let root: ScriptRoot
  /// Names of modules that can be required.
  let modules: [String]
  /// Names of the dependencies that the runner, the host or any script offers. A feature can use a
  /// script's dependency only if it requires the module that declares it.
  let dependencies: Set<String>

  init(_ scripts: [ScriptFile], _ answers: [ScriptAnswers], root: ScriptRoot) {
    self.root = root
    modules =
      scripts.filter { !$0.isTest }.flatMap(\.moduleNames) + [
        "scripted", "scripted.test", "scripted.ui",
      ]
    dependencies = answers.reduce(into: Set(scripts.flatMap { $0.analysis?.declared ?? [] })) {
      $0.formUnion($1.dependencies)
    }
  }
}
