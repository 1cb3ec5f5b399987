import ScriptedStore

extension TestRun {
  /// Runs the tests of a file of a plain Lua library. They are found while they run, so the file is
  /// reported when its first selected test begins. Returns nil if none of its tests is to run.
  func runPlainTests(
    of file: ScriptTestFile, as run: FileRun, at index: Int, _ matcher: TestSelection.Matcher
  ) -> TestFileEnd? {
    guard isAffected(file, of: run) else { return nil }
    var hasBegun = false
    var failures = 0
    var selected = 0
    func begin() {
      if !hasBegun { report.add(.fileBegan(run), of: index) }
      hasBegun = true
    }
    let problem = running(file, of: run, at: index) {
      file.run(
        where: { test in
          let isToRun = isToRun(test, of: run, matcher)
          if isToRun { selected += 1 }
          return isToRun
        }, retries: plan.retries
      ) { event in
        begin()
        return forward(event, of: run, at: index, &failures) && !isToStop
      }
    }
    let tests = file.tests
    guard hasBegun || problem != nil || (tests.isEmpty && plan.selection.isEverything) else {
      return nil
    }
    begin()
    return TestFileEnd(
      defined: problem == nil ? Set(tests.map(\.name)) : nil, loadFailure: problem,
      obsoleteSnapshots: selected == tests.count ? file.obsoleteSnapshots : [])
  }

  /// Whether the file is concerned by what has changed. If the last run has not recorded what it
  /// requires, its tests are listed to find out.
  private func isAffected(_ file: ScriptTestFile, of run: FileRun) -> Bool {
    guard plan.changed != nil else { return true }
    guard lastRun.scripts[run.file.name] == nil else {
      return plan.isAffected(run.file, using: file, lastRun)
    }
    var configuration = plan.configuration(of: run, measuring: nil)
    configuration.plainLua?.isOnlyListed = true
    guard
      let listed = try? ScriptTestFile(
        run.file.path, root: plan.root, configuration: configuration)
    else { return true }
    return plan.isAffected(run.file, using: listed, lastRun)
  }
}
