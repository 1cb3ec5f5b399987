import LuaBridge

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
    path = Self.path(of: root)
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
      "version": Self.version, "failed": failed.value,
      "scripts": .object(
        Value.Object(
          scripts.sorted { $0.key < $1.key }.map { file, scripts in
            (file, .array(Value.List(scripts.sorted().map { .string($0) })))
          })),
    ]
    try? WholeFile.makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    try? WholeFile.write(Array(value.json().utf8), to: path)
  }

  private static func path(of root: String) -> String? {
    guard let folder = cacheFolder, let real = Paths.real(root) else { return nil }
    // The last component is for people. The hash distinguishes roots with the same last component.
    let name = real.split(separator: "/").last ?? "root"
    return "\(folder)/scripted-store/tests/\(name)-\(String(stableHash(real), radix: 16)).json"
  }

  /// The user's cache folder, by the XDG base directory specification or as macOS has it.
  private static var cacheFolder: String? {
    let cache = StandardStreams.environment("XDG_CACHE_HOME")
    if cache.hasPrefix("/") { return cache }
    let home = StandardStreams.environment("HOME")
    guard home.hasPrefix("/") else { return nil }
    #if canImport(Darwin)
    return "\(home)/Library/Caches"
    #else
    return "\(home)/.cache"
    #endif
  }
}
