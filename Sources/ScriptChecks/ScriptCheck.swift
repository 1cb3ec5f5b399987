import LuaBridge
import ScriptedStore

/// Checks the scripts under a root. It loads all scripts, since a feature may be composed of features
/// from other scripts, but reports findings only for the requested ones.
package struct ScriptCheck {
  private var project: Project
  /// The requested scripts.
  private let chosen: [ScriptFile]
  private let dependencies: Dependencies
  /// Seconds that one script may take to load.
  private let timeout: Double

  /// - Parameters:
  ///   - files: all scripts under the root, and the requested ones.
  ///   - isWanted: says which scripts are requested, by their names.
  ///   - recordings: the texts of recordings, whose actions count as sent.
  ///   - offered: what the runner offers.
  ///   - hostDependencies: names of dependencies that the host offers and the runner does not.
  package init(
    _ files: [ScriptFile], where isWanted: (_ name: String) -> Bool, root: ScriptRoot,
    recordings: [String], dependencies offered: Dependencies, hostDependencies: [String],
    timeout: Double
  ) {
    self.timeout = timeout
    let recorded = Set(recordings.flatMap { ScriptAnalysis.words(of: $0) })
    project = Project(files, root: root, recorded: recorded)
    chosen = project.scripts.filter { isWanted($0.name) }
    let declared = project.scripts.flatMap { $0.analysis?.declared ?? [] }
    var dependencies = offered
    for name in Set(hostDependencies).subtracting(declared).subtracting(offered.names) {
      dependencies.register(name, live: .value(.object(Value.Object())))
    }
    self.dependencies = dependencies
    project.dependencies = Set(declared)
  }

  /// The number of requested scripts.
  package var count: Int { chosen.count }

  /// The findings in the order of files and lines.
  ///
  /// - Parameter path: the path for the report of a script that is none of the project's.
  package func findings(
    path: (_ script: String) -> String
  ) throws(ScriptError) -> [Finding] {
    var sent = SentActions(chosen)
    var placed = PlacedChildren(chosen)
    var answers: [String: ScriptAnswers] = [:]
    for script in project.scripts {
      answers[script.name] = try ScriptInspection.inspect(
        script.path, as: project.role(of: script), root: project.root, dependencies: dependencies,
        seconds: timeout
      ) { inspection in
        sent.ask(inspection)
        placed.ask(inspection)
        return ScriptAnswers(of: script, inspection)
      }
    }
    return findings(answers, sent.findings + placed.findings, path)
  }

  private func findings(
    _ answers: [String: ScriptAnswers], _ answered: [Finding],
    _ path: (_ script: String) -> String
  ) -> [Finding] {
    var project = project
    for answer in answers.values { project.dependencies.formUnion(answer.dependencies) }
    var (findings, failures): ([Finding], [LoadFailure]) = (answered, [])
    for script in chosen {
      guard let answers = answers[script.name] else { continue }
      findings += ScriptFindings.all(in: script, answers, project)
      if let failure = answers.failure { failures.append(LoadFailure(failure, of: script)) }
    }
    let wanted = Set(chosen.map(\.name))
    findings += SharedFindings(project, answers, wanted: wanted).findings
    findings += LoadFailure.findings(failures, beside: findings) {
      project.byName[$0]?.path ?? path($0)
    }
    return findings.sorted {
      ($0.path, $0.line, $0.column ?? 0, $0.message)
        < ($1.path, $1.line, $1.column ?? 0, $1.message)
    }
  }
}
