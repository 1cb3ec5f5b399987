import LuaBridge
import ScriptedStore

/// Which tests are to run, as the command line says.
struct TestSelection: Sendable {
  /// Lua patterns; one of them is found in the full name.
  var filters: [String] = []
  /// Lua patterns; none of them is found in the full name.
  var excludedFilters: [String] = []
  /// The test has one of them.
  var tags: Set<String> = []
  /// The test has none of them.
  var excludedTags: Set<String> = []
  var shard: Shard?
  /// Only those that failed when they ran last.
  var failed: FailedTests?

  /// It takes all tests of a file.
  var isEverything: Bool {
    filters.isEmpty && excludedFilters.isEmpty && tags.isEmpty && excludedTags.isEmpty
      && shard == nil && failed == nil
  }

  /// Applies it, in one thread.
  struct Matcher {
    private let selection: TestSelection
    private let filters: LuaPatterns?
    private let excludedFilters: LuaPatterns?

    init(_ selection: TestSelection) throws(ScriptError) {
      self.selection = selection
      filters = selection.filters.isEmpty ? nil : try LuaPatterns(selection.filters)
      excludedFilters =
        selection.excludedFilters.isEmpty ? nil : try LuaPatterns(selection.excludedFilters)
    }

    /// Those of a file's tests that are to run, in whichever shard, in their order. Throws if a pattern is
    /// malformed.
    func tests(_ tests: [ScriptTest], of file: TestFile) throws(ScriptError) -> [ScriptTest] {
      guard !selection.isEverything else { return tests }
      var selected: [ScriptTest] = []
      for test in tests where try matches(test, in: file) { selected.append(test) }
      return selected
    }

    private func matches(_ test: ScriptTest, in file: TestFile) throws(ScriptError) -> Bool {
      let name = test.name
      if !selection.tags.isEmpty && selection.tags.isDisjoint(with: test.tags) { return false }
      if !selection.excludedTags.isDisjoint(with: test.tags) { return false }
      if let failed = selection.failed, !failed.contains(name, of: file.name) { return false }
      if let filters, !(try filters.match(name)) { return false }
      if let excludedFilters, try excludedFilters.match(name) { return false }
      return true
    }
  }
}
