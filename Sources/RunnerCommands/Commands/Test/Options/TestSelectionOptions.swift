import ArgumentParser

/// The options that select tests.
struct TestSelectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only tests in whose full name this Lua pattern is found. May be repeated: one is enough.",
      valueName: "pattern"))
  var filter: [String] = []

  @Option(
    help: ArgumentHelp(
      "No tests in whose full name this Lua pattern is found. May be repeated.",
      valueName: "pattern"))
  var filterOut: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Only tests with one of these tags (#slow in a name), separated by commas.",
      valueName: "tags"))
  var tags: [String] = []

  @Option(help: ArgumentHelp("No tests with one of these tags.", valueName: "tags"))
  var excludeTags: [String] = []

  @Flag(help: "Only tests that failed when they ran last.")
  var onlyFailed = false

  @Option(
    help: ArgumentHelp(
      """
      Only files that changed since a revision of git, or that use a script that did, by what they \
      require.
      """, valueName: "revision"))
  var changedSince: String?

  @Option(
    help: ArgumentHelp(
      "One of n parts of the tests, the same tests everywhere: 1/3, 2/3, 3/3.", valueName: "i/n"))
  var shard: Shard?

  /// The selection without the results of the last run.
  var selection: TestSelection {
    TestSelection(
      filters: filter, excludedFilters: filterOut, tags: Self.set(tags),
      excludedTags: Self.set(excludeTags), shard: shard)
  }

  static func set(_ lists: [String]) -> Set<String> {
    Set(
      lists.flatMap { $0.split(separator: ",") }.map { tag in
        let tag = tag.drop { $0 == " " }
        return String(tag.hasPrefix("#") ? tag.dropFirst() : tag)
      })
  }
}
