import ScriptedStore

extension Console {
  func reload() throws(ConsoleFailure) {
    let before = store.state
    do {
      show(try host.reload())
    } catch {
      throw ConsoleFailure(ConsoleText.refusal(error))
    }
    if let difference = text.difference(from: before, to: store.state) { say(difference) }
  }

  /// Starts to watch the scripts, and reloads them each time they are saved.
  func watchScripts() throws(ScriptError) {
    watch = try host.watch { [events] in events.add(.reload($0)) }
  }

  /// Prints the result of a reload, and updates the reducer tree for completion.
  func show(_ report: ReloadReport) {
    // On a virtual clock the output must be the same in each run, and the time that loading took is
    // not.
    say(text.reload(report, showsTime: clock == nil))
    guard report.hasChanges else { return }
    actionReads = nil
    if let new = try? host.tree(of: name) { tree = new }
    showDroppedResults(of: report.reloaded)
  }

  /// Prints the warnings about results that the feature's scripts drop.
  ///
  /// - Parameter names: the names of scripts; nil for all.
  func showDroppedResults(of names: [String]? = nil) {
    guard let scriptRoot else { return }
    let scripts = DroppedResultWarnings.scripts(of: name, under: scriptRoot)
      .filter { names?.contains($0.key) ?? true }
    for warning in DroppedResultWarnings.warnings(of: scripts) {
      say(text.style.yellow("\(DroppedResultWarnings.head): \(warning)"))
    }
  }
}

extension ConsoleText {
  func reload(_ report: ReloadReport, showsTime: Bool) -> TerminalText {
    guard report.hasChanges else { return note("nothing has changed") }
    let tenths = (report.duration / .microseconds(100)).rounded() / 10
    let names = report.reloaded.joined(separator: ", ")
    var lines: [TerminalText] = [
      "\(style.cyan("reloaded "))\(style.bold("\(names)"))\(showsTime ? " in \(tenths) ms" : "")"
    ]
    if !report.removed.isEmpty {
      lines.append(note("  gone: \(report.removed.joined(separator: ", "))"))
    }
    for migration in report.migrations {
      let places = count(migration.places, "place")
      lines.append(
        "  migrated \(migration.feature) from version \(migration.from) to \(migration.to) in \(places)"
      )
    }
    for field in report.addedFields {
      let places = count(field.places, "place")
      lines.append("  added state.\(field.key) of \(field.feature) with its default in \(places)")
    }
    for effect in report.effects {
      let outcome = effect.outcome == .cancelled ? "was cancelled" : "finishes on the old code"
      lines.append(note("  \(effect.description): \(outcome)"))
    }
    return lines.joined(separator: "\n")
  }

  /// The message for a failed reload. The store continues to run on the old generation.
  static func refusal(_ error: ReloadError) -> String {
    "not reloaded, the old code runs on:\n"
      + error.errors.map { indented(describe($0), by: 2) }.joined(separator: "\n")
  }
}
