import LuaSyntax
import ScriptedStore

/// What is found in the text of one script. Each kind of mistake is a function, in an extension in the
/// folder `Findings`.
struct ScriptFindings {
  let script: ScriptFile
  let analysis: ScriptAnalysis
  let role: ScriptInspection.Role
  private(set) var findings: [Finding] = []

  /// Nil if the script could not be parsed.
  init?(_ script: ScriptFile, as role: ScriptInspection.Role) {
    guard let analysis = script.analysis else { return nil }
    self.script = script
    self.analysis = analysis
    self.role = role
  }

  /// All that is found in a script of a project.
  static func all(
    in script: ScriptFile, _ answers: ScriptAnswers, _ project: Project
  ) -> [Finding] {
    guard var found = ScriptFindings(script, as: project.role(of: script)) else {
      guard let line = script.unparsedLine, answers.failure?.error.kind != .syntax else {
        return []
      }
      return [
        Finding(
          .unread, in: script, line: line,
          "this line is not Lua 5.4, so that only loading the script was checked")
      ]
    }
    found.findUnknownNames(answers, project)
    found.findDroppedResults()
    found.findUnknownStates(project)
    found.findMissingIDs()
    found.findMisspeltPatterns(project)
    found.findUnhandledFailures(project)
    found.findUnheardActions(project)
    found.findUnsentActions(project)
    found.findFieldsInStateAndShared()
    found.findUnusedShared(project)
    found.findWrongParameters()
    found.findUnknownCancels(project)
    found.findDuplicateKeys()
    found.findWrongNodes()
    found.findUnknownBindings(project)
    found.findImpureViews()
    found.findLengthRanges()
    return found.findings
  }

  mutating func add(
    _ code: Finding.Code, at position: SourcePosition, _ message: String, _ remedy: String? = nil
  ) {
    findings.append(Finding(code, in: script, at: position, message, remedy))
  }

  /// Adds a finding with an error's message, whose remedy stands behind a semicolon.
  mutating func add(_ code: Finding.Code, at position: SourcePosition, explaining message: String) {
    let parts = message.split(separator: "; ", maxSplits: 1).map(String.init)
    add(code, at: position, parts[0], parts.count > 1 ? parts[1] : nil)
  }

  /// The names of features for messages.
  func title(of features: FeatureSet) -> String {
    features.min().map { analysis.features[$0].title } ?? "the feature"
  }
}
