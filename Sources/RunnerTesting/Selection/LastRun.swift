import Platform
import RunnerShared
import ScriptValue

/// What one run records for the next one with the same script root: the failed tests, and the
/// scripts that each test file uses. It is stored in one file per root in the user's cache folder,
/// so that no file appears beside the scripts.
struct LastRun: Sendable {
  /// The path of the stored file; nil if there is no cache folder. Nothing is stored then.
  let path: String?
  var failed = FailedTests()
  /// The resolved paths of the scripts that a test file uses, by the file's name.
  var scripts: [String: Set<String>] = [:]

  /// The content of the file.
  private struct Stored: Codable {
    static let version = 1

    var version = Stored.version
    let failed: [String: Set<String>]
    let scripts: [String: Set<String>]
  }

  /// Reads what the last run recorded; empty if it cannot be read.
  init(root: String) {
    path = UserFolder.cache.path(of: "tests", for: root, suffix: ".json")
    guard let path, let value = try? Value(json: WholeFile.read(path)),
      let stored = try? value.decoded(as: Stored.self), stored.version == Stored.version
    else { return }
    failed = FailedTests(names: stored.failed)
    scripts = stored.scripts
  }

  /// Replaces the stored file. Errors are ignored, because the record is only a convenience.
  func save() {
    let stored = Stored(failed: failed.names, scripts: scripts)
    guard let path, let value = try? Value(encoding: stored) else { return }
    try? WholeFile.makeFolder(Paths.folder(of: path))
    try? OrdinaryFile.save(Array(value.json().utf8), to: path)
  }
}

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
    } else if names[file]?.isEmpty == true {
      // Not all tests are known of a file that did not load before, so that all still count as failed.
      return
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
