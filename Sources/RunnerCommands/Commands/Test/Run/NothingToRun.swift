import ArgumentParser

/// Why no test ran.
enum NothingToRun {
  /// Tests are selected, but none is in this shard or affected by the changes. That is no error.
  case elsewhere(String)
  /// No test is selected. That is an error, unless the command line allows it.
  case nowhere(String)
}

extension TestRunner {
  /// - Parameter isAnySelected: as ``TestRun/isAnySelected``.
  func reasonForNothing(_ selection: TestSelection, isAnySelected: Bool) -> NothingToRun {
    if isAnySelected {
      guard let shard = selection.shard else { return .elsewhere("no test uses what has changed") }
      return .elsewhere("no test that is selected is in part \(shard.number)/\(shard.count)")
    }
    if let failed = selection.failed, failed.isEmpty {
      return .nowhere("no test failed when it ran last")
    }
    if !selection.isEverything { return .nowhere("no test is selected") }
    let searched = paths.isEmpty ? plan.root : paths.joined(separator: ", ")
    return .nowhere(
      "there are no tests in \(searched); files of tests are named *_test.lua or *_spec.lua")
  }

  func isError(_ reason: NothingToRun) -> Bool {
    if case .nowhere = reason { !passesWithoutTests } else { false }
  }

  /// Reports why nothing ran. Throws if that is an error.
  func report(_ reason: NothingToRun) throws(ExitCode) {
    switch reason {
    case .elsewhere(let text): StandardStreams.error("note: \(text)")
    case .nowhere(let text): if !passesWithoutTests { throw fail(.noInput, "\(text)") }
    }
  }
}
