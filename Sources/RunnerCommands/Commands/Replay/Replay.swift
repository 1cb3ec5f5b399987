import ArgumentParser
import LuaBridge
import Platform
import RunnerShared
import ScriptValue
import ScriptedStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract:
      "Reduce the actions of a recording again, and tell the first that makes another state.",
    discussion: """
      The recording is what `runner run --record FILE` wrote. No effect runs; handlers get from \
      their dependencies what they got then. What `--dependency` replaced then has to be replaced \
      the same way.

      With --journal each durable store of a journal is judged, before scripts are deployed: its \
      state is migrated for trial, and all that was recorded since its last migration is reduced again.

      Exit status: 0 when all is as recorded; 1 when an action makes another state or raises \
      something else; 64 for wrong usage; 65 when the file is no recording or journal; 66 when it, or the \
      script, is missing or does not load; 73 when the file of a test exists; 74 when reading or writing fails.
      """)

  @Argument(help: ArgumentHelp("The recording; - is standard input.", valueName: "file"))
  var recording: String?

  @Option(
    help: ArgumentHelp(
      "Judge the durable stores of this journal, in place of a recording.", valueName: "file"))
  var journal: String?

  @Option(
    help: ArgumentHelp(
      "With --journal: only the stores whose names match, as 'room/*' or 'room/r?'. (default: all)",
      valueName: "pattern"))
  var stores: String?

  @Option(
    help: ArgumentHelp(
      "With --journal: so many of the last actions of each store. (default: all)",
      valueName: "number"))
  var last: Int?

  @Option(
    name: [.customLong("against"), .customLong("root")],
    help: ArgumentHelp("The folder with the scripts.", valueName: "folder"))
  var against = "scripts"

  @Option(help: "text or json. (default: text on a terminal, else json)")
  var format: ReportFormat?

  @Flag(
    help: """
      Also write a test of the recording beside it: session.jsonl becomes session_test.lua, which \
      must not be there. With --journal a test of each store that is shown: room_r17_test.lua.
      """)
  var exportTest = false

  @Option(
    name: .customLong("dependency"),
    help: ArgumentHelp(
      "Replaces a dependency, as in runner run. May be repeated.",
      valueName: "name[.member]=json|@script"))
  var replacements: [String] = []

  func validate() throws {
    guard (recording == nil) != (journal == nil) else {
      throw ValidationError(
        recording == nil
          ? "name a recording, or a journal with --journal FILE"
          : "name a recording, or a journal with --journal FILE, not both")
    }
    if journal == nil, stores != nil || last != nil {
      throw ValidationError(
        "--stores and --last choose of a journal: name that with --journal FILE")
    }
    if let last, last < 1 { throw ValidationError("--last must be at least 1") }
    _ = try replaced()
  }

  private func replaced() throws -> [String: Dependency] {
    try DependencyReplacement.merge(replacements.map { try DependencyReplacement($0) })
  }

  func run() throws {
    ScriptPaths.use(root: against)
    let replaced = try replaced()
    if let journal { return try replay(journal, replaced) }
    try replayRecording(self.recording ?? "", replaced)
  }

  private func replay(_ file: String, _ replaced: [String: Dependency]) throws {
    let journals = try RunnerParts.Journals.ofOption()
    let count = ProcessInfo.processInfo.activeProcessorCount
    let reader = try journals.reader(of: file)
    let known = try exitingOnJournalError { () throws(JournalError) in try reader.stores(of: nil) }
    let names = known.map(\.name).filter(isChosen)
    guard !names.isEmpty else {
      throw fail(.noInput, "\(file) has no stores\(stores.map { " that match \($0)" } ?? "")")
    }
    let replay = JournalReplay(
      host: try exitingOnScriptError { try host(replaced, workers: count) },
      journals: try [reader] + (1..<max(1, count)).map { _ in try journals.reader(of: file) },
      last: last, dependencies: replaced)
    let outcome = try exitingOnJournalError { () throws(JournalError) in try replay.run(names) }
    if outcome.refused.isEmpty {
      try exitingOnScriptError {
        try replay.host.requireDependencies(replaced.keys, onWorkers: count)
      }
    }
    try StandardStreams.output(
      (format ?? .usual) == .json ? outcome.json : outcome.text.bytes)
    if exportTest { try replay.writeTests(of: outcome, beside: file) }
    if !outcome.refused.isEmpty { throw ExitCode.failure }
  }

  /// Whether the name of a store matches `--stores`, a pattern as of the shell. `*` stands for a slash too.
  private func isChosen(_ name: StoreName) -> Bool {
    stores.map { fnmatch($0, "\(name)", 0) == 0 } ?? true
  }

  private func replayRecording(_ file: String, _ replaced: [String: Dependency]) throws {
    let isStandardInput = file == "-"
    guard !exportTest || !isStandardInput && !file.hasPrefix("/dev/") else {
      throw fail(
        .usage,
        "--export-test writes a test beside the recording, and \(file) is no file; write the recording into one first"
      )
    }
    // The exported test needs the whole recording, so it is not streamed.
    let input = exportTest || isStandardInput ? nil : try RecordingInput(file)
    var recording: Recording
    do {
      recording = try input?.begin() ?? read(file)
    } catch let error as HistoryError {
      throw refuse(error, in: file)
    }
    reportMissingReplacements(recording, replaced)

    let report: ReplayReport
    let changed: [String]
    let test: String?
    do throws(ScriptError) {
      let host = try self.host(replaced)
      if let input {
        report = try host.replay(recording, dependencies: replaced) {
          () throws(HistoryError) in try input.next()
        }
        recording = input.head ?? recording
      } else {
        report = try host.replay(recording, dependencies: replaced)
      }
      changed = try host.changedScripts(since: recording)
      test = exportTest ? try host.testSource(of: recording) : nil
    } catch {
      if let unreadable = error.cause as? HistoryError { throw refuse(unreadable, in: file) }
      throw fail(.noInput, error)
    }
    for warning in recording.warnings {
      StandardStreams.error("warning: \(file): \(warning)")
    }
    let output = ReplayOutput(
      recording: recording, actionCount: input?.count ?? recording.entries.count, changed: changed,
      report: report)
    try StandardStreams.output((format ?? .usual) == .json ? output.json : output.text.bytes)
    if let test { try write(test, beside: file) }
    if report.difference != nil { throw ExitCode.failure }
  }

  private func read(_ file: String) throws -> Recording {
    let bytes = try InputFile(file).bytes()
    return try Recording(jsonLines: String(decoding: bytes, as: UTF8.self))
  }

  private func refuse(_ error: HistoryError, in file: String) -> ExitCode {
    if let journals = RunnerParts.ofProgram.journals, (try? journals.openReader(file)) != nil {
      return fail(
        .dataError, "\(file) is a journal, and no recording; name it with --journal \(file)")
    }
    let name = file == "-" ? "standard input" : file
    let isOther =
      error.message.hasPrefix("line 1: ")
      && ["this is no recording", " at column "].contains { error.message.contains($0) }
    let remedy: TerminalText =
      isOther ? "; if it is a file of actions, `runner run FEATURE --actions FILE` takes it" : ""
    return fail(.dataError, "\(name): \(error)" + remedy)
  }

  private func reportMissingReplacements(_ recording: Recording, _ replaced: [String: Dependency]) {
    let missing = recording.dependencies.filter { replaced[$0] == nil }
    guard !missing.isEmpty else { return }
    StandardStreams.error(
      "note: \(missing.joined(separator: ", ")) had been replaced when this was recorded, by --dependency"
    )
  }

  private func host(
    _ replaced: [String: Dependency], workers: Int = 1
  ) throws(ScriptError) -> ScriptHost {
    do {
      var dependencies = try DependencyOptions.usual()
      dependencies.allowStandIns(replaced)
      var configuration = ScriptHost.Configuration(
        dependencies: dependencies,
        // A recording has the values that were stored.
        shared: .memory, onWarning: nil, onError: nil)
      configuration.warningLimit = nil
      configuration.workers = workers
      return try ScriptHost(root: against, configuration: configuration)
    } catch {
      throw error as? ScriptError ?? ScriptError("\(error)", cause: error)
    }
  }

  private func write(_ test: String, beside recording: String) throws {
    let dot = recording.lastIndex(of: ".") ?? recording.endIndex
    let slash = recording.lastIndex(of: "/") ?? recording.startIndex
    try Self.writeTest(
      test, to: recording[..<(dot > slash ? dot : recording.endIndex)] + "_test.lua")
  }

  /// Creates the file of a test, and tells of it.
  static func writeTest(_ test: String, to path: String) throws(ExitCode) {
    do throws(FileFault) {
      try WholeFile.create(Array(test.utf8), at: path)
    } catch {
      if case .system(EEXIST) = error {
        throw fail(.cannotCreate, "\(path) is there, so it is not overwritten; remove or rename it")
      }
      throw fail(.ioError, "\(path): \(error)")
    }
    StandardStreams.error("wrote \(path)")
  }
}

extension ReplayDifference {
  /// What to do if a handler asks its dependencies for more than it did: a line, or nothing.
  func remedy(_ style: TextStyle) -> TerminalText {
    guard actualError?.message.hasSuffix("there is no answer to replay") == true else { return "" }
    return style.dim(
      "-- the handler asks for what it did not ask for then; let an effect ask, and send the answer in an action"
    ) + "\n"
  }
}

/// The result of a replay, formatted as text or JSON.
struct ReplayOutput {
  let recording: Recording
  /// The number of actions in the recording.
  let actionCount: Int
  let changed: [String]
  let report: ReplayReport

  var text: TerminalText {
    let style = TextStyle.output
    var text: TerminalText = ""
    if !changed.isEmpty {
      let names = changed.joined(separator: ", ")
      text += "\(style.dim("not the same as when it was recorded: \(names)"))\n"
    }
    if let difference = report.difference {
      text += "\(style.red("not as recorded"))\(style.dim(" (- recorded, + now)"))\n"
      text += "\(TerminalText(of: difference, style))\n"
      text += difference.remedy(style)
    } else {
      let actions = count(report.count, "action")
      text += "\(style.green("as recorded")): \(actions) of \(recording.feature)\n"
    }
    return text
  }

  var json: [UInt8] {
    var object: Value.Object = [
      "feature": .string(recording.feature), "actions": Value(actionCount),
      "reduced": Value(report.count),
      "changed": .array(Value.List(changed.map { .string($0) })),
    ]
    if let difference = report.difference {
      var fields: Value.Object = [
        "n": Value(difference.number), "source": .string(difference.source.rawValue),
      ]
      fields["feature"] = difference.feature.map { .string($0) }
      fields["action"] = difference.action.value
      fields["recordedError"] = difference.expectedError.map { .string($0.displayed) }
      fields["error"] = difference.actualError.map { .string($0.displayed) }
      fields["patch"] = try? JSONPatch.luaDiff(from: difference.expected, to: difference.actual)
        .document
      object["difference"] = .object(fields)
    }
    return TerminalJSON.line(.object(object))
  }
}
