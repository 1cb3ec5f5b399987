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

  private static let version: Value = 1

  /// Reads what the last run recorded; empty if it cannot be read.
  init(root: String) {
    path = UserFolder.cache.path(of: "tests", for: root, suffix: ".json")
    guard let path, let value = try? Value(json: WholeFile.read(path)),
      value["version"] == Self.version,
      let failed = FailedTests(value["failed"])
    else { return }
    self.failed = failed
    for (file, list) in value["scripts"].object ?? [:] {
      scripts[file] = Set(list.array?.compactMap(\.string) ?? [])
    }
  }

  /// Replaces the stored file. Errors are ignored, because the record is only a convenience.
  func save() {
    guard let path else { return }
    let value: Value = [
      "version": Self.version, "failed": failed.value, "scripts": Value(sets: scripts),
    ]
    try? WholeFile.makeFolder(Paths.folder(of: path))
    try? WholeFile.write(Array(value.json().utf8), to: path)
  }
}
