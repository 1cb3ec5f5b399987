import ArgumentParser
import LuaBridge
import RunnerShared
import ScriptChecks
import ScriptedStore

enum CheckFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
  case github
}

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find mistakes in scripts without running their actions.",
    discussion: """
      Loads every script in a VM of its own, composes the feature that it returns and reads its text: \
      what does not load, names that nobody declares, dependencies that nobody offers, actions that \
      nobody handles, shared values that contradict each other, nodes and children of views that are \
      not there. Hints are for what may be meant so.

      Exit status: 0; 1 for errors, with --strict also for warnings; 64 for wrong usage; 66 when a \
      path is missing, or there is no script; 74 when reading or writing fails.
      """)

  @Argument(
    help: ArgumentHelp(
      "Scripts, or folders of scripts, to tell of. (default: the root)", valueName: "path"))
  var paths: [String] = []

  @Option(
    help: """
      The folder that `require` is confined to. (default: scripts; without such a folder, the current \
      one)
      """)
  var root: String?

  @Option(
    name: .customLong("dependency"),
    help: ArgumentHelp(
      """
      A dependency that the host offers and the runner does not know. What runner run takes will do. \
      May be repeated.
      """, valueName: "name"))
  var dependencies: [String] = []

  @Option(help: "text, json or github.")
  var format = CheckFormat.text

  @Flag(help: "Warnings are errors.")
  var strict = false

  @Option(help: ArgumentHelp("Seconds that a script may take to load.", valueName: "seconds"))
  var timeout = 10.0

  func validate() throws {
    guard timeout > 0 else { throw ValidationError("--timeout must be more than zero") }
  }

  func run() throws {
    let root = root ?? (Paths.isFolder("scripts") ? "scripts" : ".")
    ScriptPaths.use(root: root)
    let check = try check(under: root)
    let findings = try exitingOnScriptError {
      try check.findings { ScriptPaths.path(of: $0) }
    }
    let report = CheckReport(findings: findings, scripts: check.count)
    let bytes =
      switch format {
      case .text: report.text(.output).bytes
      case .json: report.json
      case .github: Array(report.github.utf8)
      }
    try StandardStreams.output(bytes)
    if format == .text { StandardStreams.hint(explaining: report.findings.first?.code.rawValue) }
    if report.count(.error) > 0 || strict && report.count(.warning) > 0 { throw ExitCode.failure }
  }

  /// Reads all scripts under the root, and those that are named.
  private func check(under root: String) throws -> ScriptCheck {
    guard let scriptRoot = try? ScriptRoot(root) else {
      throw fail(.noInput, "there is no script root \(root); --root names one")
    }
    let isScript = { (name: String) in name.hasSuffix(".lua") && !name.hasSuffix(".snap.lua") }
    let all = try FileSearch([], root: root, matching: isScript).files
    let chosen = paths.isEmpty ? all : try FileSearch(paths, root: root, matching: isScript).files
    let known = Set(all.map(\.name))
    let scripts = try (all + chosen.filter { !known.contains($0.name) }).map { file in
      do throws(ScriptError) {
        return try ScriptFile(name: file.name, path: file.path)
      } catch {
        throw fail(.ioError, "\(error)")
      }
    }
    let recordings = try FileSearch([], root: root, matching: { $0.hasSuffix(".jsonl") }).files
      .compactMap { try? ScriptRoot.Script(name: $0.name, path: $0.path).read() }
    let wanted = Set(chosen.map(\.name))
    let check = ScriptCheck(
      scripts, where: wanted.contains, root: scriptRoot,
      recordings: recordings.map { String(decoding: $0, as: UTF8.self) },
      dependencies: try DependencyOptions.usual(),
      hostDependencies: dependencies.map(Self.name), timeout: timeout)
    guard check.count > 0 else {
      let searched = paths.isEmpty ? root : paths.joined(separator: ", ")
      throw fail(.noInput, "there is no script in \(searched)")
    }
    return check
  }

  /// The dependency's name in an argument of `--dependency`: `api` for `api`, and for
  /// `api.search=@stub.lua`.
  private static func name(_ dependency: String) -> String {
    String(dependency.prefix { $0 != "." && $0 != "=" })
  }
}
