import ArgumentParser
import LuaBridge
import Platform
import RunnerShared
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

  /// The options that say so: `--filter 'a b' --tags 'slow'`.
  var options: String {
    let given = [
      ("--filter", filters), ("--filter-out", excludedFilters), ("--tags", tags.sorted()),
      ("--exclude-tags", excludedTags.sorted()),
      ("--shard", shard.map { ["\($0.number)/\($0.count)"] } ?? []),
    ].flatMap { option, values in values.map { "\(option) '\($0)'" } }
    return (given + (failed == nil ? [] : ["--only-failed"])).joined(separator: " ")
  }

  /// Applies a selection. For one thread, as its patterns need a Lua VM.
  struct Matcher {
    private let selection: TestSelection
    private let filters: LuaPatterns
    private let excludedFilters: LuaPatterns

    init(_ selection: TestSelection) throws(ScriptError) {
      self.selection = selection
      filters = try LuaPatterns(selection.filters)
      excludedFilters = try LuaPatterns(selection.excludedFilters)
    }

    /// Whether a test of a file is selected, whatever shard it is in. Throws if a pattern is too
    /// complex, or refers to a capture that does not exist.
    func selects(_ test: ScriptTest, in file: FoundFile) throws(ScriptError) -> Bool {
      let name = test.name
      if !selection.tags.isEmpty && selection.tags.isDisjoint(with: test.tags) { return false }
      if !selection.excludedTags.isDisjoint(with: test.tags) { return false }
      if let failed = selection.failed, !failed.contains(name, of: file.name) { return false }
      if !filters.isEmpty, try !filters.match(name) { return false }
      return try !excludedFilters.match(name)
    }
  }
}

/// One of several parts of the tests, such as `2/3`. Each test is in exactly one part. The part is
/// the same on every machine and with every other selection.
struct Shard: ExpressibleByArgument, Hashable, Sendable {
  /// From 1.
  let number: Int
  let count: Int

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]), number >= 1,
      number <= count
    else { return nil }
    self.number = number
    self.count = count
  }

  /// Whether a test of a file is in this part.
  func contains(_ test: ScriptTest, in file: FoundFile) -> Bool {
    var hash = stableHash("\(file.name)\0\(test.name)".utf8)
    // Mixes in the high bits, because the low bits of short texts are similar.
    hash ^= hash >> 32
    return hash % UInt64(count) == UInt64(number - 1)
  }
}
