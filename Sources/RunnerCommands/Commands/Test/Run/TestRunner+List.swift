import ArgumentParser
import Platform
import ScriptedStore

extension TestRunner {
  /// Prints the tests that would run.
  func list(_ files: [FoundFile]) throws(ExitCode) -> ExitCode {
    let matcher = try matcher(of: plan.selection)
    var output = DescriptorWriter(STDOUT_FILENO)
    var status = ExitCode.success
    var isEmpty = true
    var isAnySelected = false
    for file in files {
      if let status = Interruption.signalStatus { return ExitCode(status) }
      let run = FileRun(file: file, round: 1, rounds: 1, seed: plan.seed)
      do throws(ScriptError) {
        var configuration = plan.configuration(of: run, measuring: nil)
        configuration.plainLua?.isOnlyListed = true
        let loaded = try ScriptTestFile(
          file.path, root: plan.root, configuration: configuration)
        let selected = try matcher.tests(loaded.tests, of: file)
        if !selected.isEmpty { isAnySelected = true }
        guard plan.isAffected(file, using: loaded, lastRun) else { continue }
        for test in plan.selection.shard?.part(of: selected, in: file) ?? selected {
          isEmpty = false
          output.write("\(oneLine(test.displayedFile)):\(test.line): \(oneLine(test.name))\n")
        }
      } catch {
        StandardStreams.error(TerminalText(error))
        status = .failure
      }
    }
    if let failure = output.failureText { throw fail(.ioError, "standard output: \(failure)") }
    if isEmpty && status == .success {
      try report(reasonForNothing(plan.selection, isAnySelected: isAnySelected))
    }
    return status
  }
}
