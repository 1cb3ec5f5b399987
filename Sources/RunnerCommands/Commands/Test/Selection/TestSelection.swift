import LuaBridge
import ScriptedStore

/// Which tests to run, as the command line says. A test must satisfy all conditions.
struct TestSelection: Sendable {
  /// Lua patterns. At least one must match the full name, if there are any.
  var filters: [String] = []
  /// Lua patterns. None may match the full name.
  var excludedFilters: [String] = []
  /// The test must have at least one of these tags, if there are any.
  var tags: Set<String> = []
  /// The test must have none of these tags.
  var excludedTags: Set<String> = []
  var shard: Shard?
  /// If set, only tests that failed when they last ran.
  var failed: FailedTests?

  /// Whether all tests of a file are selected.
  var isEverything: Bool {
    filters.isEmpty && excludedFilters.isEmpty && tags.isEmpty && excludedTags.isEmpty
      && shard == nil && failed == nil
  }

  /// Applies a selection. For one thread, as its patterns need a Lua VM.
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

    /// The selected tests of a file in their order, whatever shard they are in. Throws if a pattern
    /// is malformed.
    func tests(_ tests: [ScriptTest], of file: FoundFile) throws(ScriptError) -> [ScriptTest] {
      guard !selection.isEverything else { return tests }
      var selected: [ScriptTest] = []
      for test in tests where try matches(test, in: file) { selected.append(test) }
      return selected
    }

    private func matches(_ test: ScriptTest, in file: FoundFile) throws(ScriptError) -> Bool {
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
