import LuaBridge

/// What is remembered of a script root from one run to the next: what failed, and which scripts each test file
/// uses. A file of its own for each root in the user's cache folder, so that nothing comes beside the scripts.
struct LastRun: Sendable {
  /// Nil if there is no cache folder: nothing is remembered then.
  let path: String?
  var failed = FailedTests()
  /// Real paths by the name of a test file.
  var scripts: [String: Set<String>] = [:]

  private static let version: Value = 1

  /// What the last run left; nothing if that cannot be read.
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

  /// Replaces the file as a whole. It is a convenience: what goes wrong is nobody's failure.
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
    // The last name is for people; the number tells roots of one name apart.
    let name = real.split(separator: "/").last ?? "root"
    return "\(folder)/scripted-store/tests/\(name)-\(String(stableHash(real), radix: 16)).json"
  }

  /// As the XDG base directories and macOS have it.
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
