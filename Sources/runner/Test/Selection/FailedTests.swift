import LuaBridge

/// The tests that failed when they ran last, by file.
struct FailedTests: Sendable, Hashable {
  /// A file is there if something of it failed; without names it is the file itself that did.
  private(set) var names: [String: Set<String>] = [:]

  var isEmpty: Bool { names.isEmpty }

  func contains(file: String) -> Bool { names[file] != nil }

  func contains(_ name: String, of file: String) -> Bool {
    guard let names = names[file] else { return false }
    return names.isEmpty || names.contains(name)
  }

  /// Takes over how a file did. A test that did not run stays as it was, unless it is gone.
  mutating func update(_ file: String, with results: FileResults) {
    guard results.loads else {
      names[file] = []
      return
    }
    var failed = names[file] ?? []
    if let defined = results.defined {
      // Where the file itself had failed, what of it did not run may fail as well.
      let didNotLoad = failed.isEmpty && names[file] != nil
      failed = didNotLoad ? defined : failed.intersection(defined)
    }
    failed.subtract(results.ran)
    failed.formUnion(results.failed)
    names[file] = failed.isEmpty ? nil : failed
  }

  /// Forgets files that are not there any more.
  mutating func keep(where isThere: (String) -> Bool) {
    names = names.filter { isThere($0.key) }
  }

  /// How the tests of a file did, by name.
  struct FileResults: Sendable {
    var loads = true
    /// Nil if they are not known.
    var defined: Set<String>?
    var ran: Set<String> = []
    var failed: Set<String> = []
  }
}

extension FailedTests {
  /// What ``value`` gave; nil for anything else.
  init?(_ value: Value) {
    guard let files = value.object else { return nil }
    for (file, list) in files {
      guard let list = list.array else { return nil }
      names[file] = Set(list.compactMap(\.string))
    }
  }

  var value: Value {
    .object(
      Value.Object(
        names.sorted { $0.key < $1.key }.map { file, names in
          (file, .array(Value.List(names.sorted().map { .string($0) })))
        }))
  }
}
