import ScriptValue

/// The tests that failed when they last ran, by file.
struct FailedTests: Sendable, Hashable {
  /// The names of failed tests by file. An empty set means that the file itself did not load.
  private(set) var names: [String: Set<String>] = [:]

  var isEmpty: Bool { names.isEmpty }

  func contains(file: String) -> Bool { names[file] != nil }

  func contains(_ name: String, of file: String) -> Bool {
    guard let names = names[file] else { return false }
    return names.isEmpty || names.contains(name)
  }

  /// Applies the results of one file. A test that did not run keeps its status, unless it no longer
  /// exists.
  mutating func update(_ file: String, with results: FileResults) {
    guard results.loads else {
      names[file] = []
      return
    }
    var failed = names[file] ?? []
    if let defined = results.defined {
      // If the file did not load before, its tests that have still not run count as failed.
      let didNotLoad = failed.isEmpty && names[file] != nil
      failed = didNotLoad ? defined : failed.intersection(defined)
    }
    failed.subtract(results.ran)
    failed.formUnion(results.failed)
    names[file] = failed.isEmpty ? nil : failed
  }

  /// Removes files that no longer exist.
  mutating func keep(where isThere: (String) -> Bool) {
    names = names.filter { isThere($0.key) }
  }

  /// The results of a file's tests by name.
  struct FileResults: Sendable {
    var loads = true
    /// The names of all tests in the file; nil if they are unknown.
    var defined: Set<String>?
    var ran: Set<String> = []
    var failed: Set<String> = []
  }
}

extension FailedTests {
  /// Reads what ``value`` wrote; nil for any other value.
  init?(_ value: Value) {
    guard let files = value.object else { return nil }
    for (file, list) in files {
      guard let list = list.array else { return nil }
      names[file] = Set(list.compactMap(\.string))
    }
  }

  var value: Value { Value(sets: names) }
}
