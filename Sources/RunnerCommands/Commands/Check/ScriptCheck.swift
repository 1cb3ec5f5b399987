import ArgumentParser
import LuaBridge
import ScriptedStore

/// Checks the scripts under a root. It reads and loads all scripts, since a feature may be composed
/// of features from other scripts, but reports findings only for the requested scripts.
struct ScriptCheck {
  private let root: String
  private let scriptRoot: ScriptRoot
  private let scripts: [ScriptFile]
  /// Names of the requested scripts.
  private let wanted: Set<String>
  private let roles: ScriptRoles
  private let dependencies: Dependencies
  private let timeout: Double
  /// Words in recorded `.jsonl` files; each word could name an action.
  private let recordedWords: Set<String>
  private let words: ProjectWords

  /// Reads all scripts. Throws an `ExitCode` after printing the error.
  ///
  /// - Parameters:
  ///   - paths: the requested scripts and folders; empty for the whole root.
  ///   - hostDependencies: names of dependencies that the host offers and the runner does not.
  ///   - timeout: seconds that one script may take to load.
  init(
    root: String, paths: [String], hostDependencies: [String], timeout: Double
  ) throws {
    self.root = root
    self.timeout = timeout
    do {
      scriptRoot = try ScriptRoot(root)
    } catch {
      throw fail(.noInput, "there is no script root \(root); --root names one")
    }
    let isScript = { (name: String) in name.hasSuffix(".lua") && !name.hasSuffix(".snap.lua") }
    let all = try FileSearch([], root: root, matching: isScript).files
    let chosen =
      paths.isEmpty ? all : try FileSearch(paths, root: root, matching: isScript).files
    let known = Set(all.map(\.name))
    let read = try (all + chosen.filter { !known.contains($0.name) }).map { file in
      do throws(ScriptError) {
        return try ScriptFile(file)
      } catch {
        throw fail(.ioError, "\(error)")
      }
    }
    scripts = read.filter { !$0.isMeta }
    wanted = Set(chosen.map(\.name))
    guard scripts.contains(where: { [wanted] in wanted.contains($0.file.name) }) else {
      let searched = paths.isEmpty ? root : paths.joined(separator: ", ")
      throw fail(.noInput, "there is no script in \(searched)")
    }
    roles = ScriptRoles(scripts)
    var dependencies = try DependencyOptions.parse([]).registered(on: nil)
    let declared = Set(scripts.flatMap { $0.analysis?.declared ?? [] })
    for name in Set(hostDependencies).subtracting(declared).subtracting(dependencies.names) {
      dependencies.register(name, live: .value(.object(Value.Object())))
    }
    self.dependencies = dependencies
    recordedWords = Self.words(
      in: try FileSearch([], root: root, matching: { $0.hasSuffix(".jsonl") }).files)
    words = ProjectWords(read, recorded: recordedWords)
  }

  private static func words(in recordings: [FoundFile]) -> Set<String> {
    recordings.reduce(into: []) { words, file in
      let script = ScriptRoot.Script(name: file.name, path: file.path)
      guard let bytes = try? script.read() else { return }
      words.formUnion(ScriptAnalysis.words(of: String(decoding: bytes, as: UTF8.self)))
    }
  }

  func run() throws -> CheckReport {
    let project = ProjectScripts(scripts, roles)
    let chosen = scripts.filter { wanted.contains($0.file.name) }
    let sent = SentActions(chosen)
    let placed = PlacementFindings(chosen)
    let answers = try scripts.map { script in
      let questions = ScriptQuestions(
        script, sent: sent.questions, placed: placed.questions)
      return try exitingOnScriptError {
        try ScriptInspection.inspect(
          script.file.path, as: roles[script], root: scriptRoot, dependencies: dependencies,
          seconds: timeout
        ) { ScriptAnswers($0, questions) }
      }
    }
    let names = AvailableNames(scripts, answers, root: scriptRoot)
    var (findings, failures): ([Finding], [LoadFailure]) = ([], [])
    for (script, answers) in zip(scripts, answers) where wanted.contains(script.file.name) {
      findings += NameFindings(script, roles[script], answers, names).findings
      findings += DroppedResults(script, roles[script])?.findings ?? []
      findings += StateFindings(script, words)?.findings ?? []
      findings += PatternFindings(project, words).findings(in: script)
      findings += UnhandledFailures(project).findings(in: script)
      findings += UnheardActions(project).findings(in: script)
      findings += UnusedShared(project).findings(in: script)
      findings += ParameterFindings(script)?.findings ?? []
      findings += UnknownCancels(project).findings(in: script)
      findings += DuplicateKeyFindings(script)?.findings ?? []
      findings += NodeFindings(script)?.findings ?? []
      findings += BindingFindings(script, words)?.findings ?? []
      findings += ImpureViewFindings(script)?.findings ?? []
      findings += LengthRangeFindings(script)?.findings ?? []
      if let failure = answers.failure { failures.append(LoadFailure(failure, of: script.file)) }
    }
    findings += SharedFindings(scripts, roles, answers, wanted: wanted).findings
    findings += sent.findings(answers.map(\.handling))
    findings += placed.findings(answers.map(\.placing))
    findings += UnsentActions(scripts, recordedWords).findings(in: chosen, roles)
    let paths = Dictionary(
      scripts.map { ($0.file.name, $0.file.path) }, uniquingKeysWith: { first, _ in first })
    findings += LoadFailure.findings(failures, beside: findings) { path(ofScript: $0, paths) }
    findings.sort {
      ($0.path, $0.line, $0.column ?? 0, $0.message)
        < ($1.path, $1.line, $1.column ?? 0, $1.message)
    }
    return CheckReport(findings: findings, scripts: chosen.count)
  }

  /// The path, relative to the current folder, of a script that a message names.
  private func path(ofScript name: String, _ paths: [String: String]) -> String {
    if let path = paths[name] { return path }
    return name.hasPrefix("/") || root == "."
      ? name : Paths.fromCurrentFolder(Paths.join(root, name))
  }
}
