import LuaBridge

/// The reports of the framework in Lua, as Swift values.
extension TestContext {
  /// An event of a test run; tests are given by their indices.
  enum Report {
    case began(Int)
    case ended(Int, ScriptTestOutcome, seconds: Double, output: [String])
    case blockFailed(path: [String], where: String, ScriptTestFailure)
  }

  /// Handles a report of the framework: "start", "end" or "block" with their arguments, as `run` in
  /// `busted.lua` calls it. Returns whether the run should stop.
  func handleReport(_ arguments: [LuaValue]) throws -> Bool {
    guard let report else { return true }
    watch.restart()
    switch arguments.at(0).string {
    case "start":
      let test = tests[(arguments.at(1).int ?? 1) - 1]
      current = test
      snapshotCount = 0
      vm.collectOutput()
      began = .now
      return report(.began(test.index))
    case "end":
      let seconds = (ContinuousClock.now - began) / .seconds(1)
      let index = (arguments.at(1).int ?? 1) - 1
      current = nil
      let outcome = try outcome(arguments.at(2).string, arguments.at(3))
      return report(.ended(index, outcome, seconds: seconds, output: vm.takeOutput()))
    default:
      guard case .table(let names) = arguments.at(1), case .table(let table) = arguments.at(3)
      else { return false }
      return report(
        .blockFailed(
          path: try names.elements().compactMap(\.legibleText),
          where: arguments.at(2).string ?? "block", try failure(table)))
    }
  }

  private func outcome(
    _ status: String?, _ failures: LuaValue
  ) throws(ScriptError) -> ScriptTestOutcome {
    if status == "success" { return .passed }
    var tables: [LuaTable] = []
    if case .table(let list) = failures {
      tables = try list.elements().compactMap {
        if case .table(let table) = $0 { table } else { nil }
      }
    }
    if status == "pending" { return .skipped(try tables.first?.get("message").legibleText) }
    var read: [ScriptTestFailure] = []
    for table in tables { read.append(try failure(table)) }
    return .failed(read)
  }

  /// Reads a failure table of the framework: `kind`, `message`, `script`, `line`, `traceback`.
  func failure(_ table: LuaTable) throws(ScriptError) -> ScriptTestFailure {
    let error = ScriptError(
      failure: try table.get("message").legibleText ?? "", script: try table.string("script"),
      line: try table.get("line").int, traceback: try table.get("traceback").legibleText, in: vm)
    let kind = try table.string("kind").flatMap { ScriptTestFailure.Kind(rawValue: $0) } ?? .error
    return ScriptTestFailure(
      kind: kind, message: error.message, script: error.script, line: error.line,
      traceback: error.traceback, source: excerpt(of: error))
  }

  /// The lines around the line of an error, if the script was loaded.
  func excerpt(of error: ScriptError) -> ScriptExcerpt? {
    guard let script = error.script, let line = error.line else { return nil }
    if plain != nil { return plainText(of: script).flatMap { ScriptExcerpt(of: $0, around: line) } }
    return engine.modules.scripts[script].flatMap { ScriptExcerpt(of: $0.text, around: line) }
  }
}
