#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What was typed, from one run to the next: a file for each script root in the user's state folder, a line each.
struct LineHistory {
  /// The last one last.
  private(set) var lines: [String] = []
  private let path: String?

  private static let limit = 1000

  /// What is there; nothing if that cannot be read. `HISTFILE`-like options are not needed: without a home folder
  /// nothing is kept.
  init(root: String) {
    path = Self.path(of: root)
    guard let path, let bytes = try? WholeFile.read(path) else { return }
    lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    guard lines.count > 2 * Self.limit else { return }
    lines.removeFirst(lines.count - Self.limit)
    try? WholeFile.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: path)
  }

  /// Keeps a line, unless it is the last one again, or begins with a blank. It is written at once, so that neither a
  /// crash nor another console loses it; it is a convenience, and what goes wrong is nobody's failure.
  mutating func add(_ line: String) {
    guard !line.isEmpty, line.first != " ", line != lines.last else { return }
    lines.append(line)
    guard let path else { return }
    try? WholeFile.makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    var stream = OutputStream(descriptor)
    stream.write(Array("\(line)\n".utf8))
    stream.close()
  }

  private static func path(of root: String) -> String? {
    guard let folder = stateFolder, let real = Paths.real(root) else { return nil }
    let name = real.split(separator: "/").last ?? "root"
    return "\(folder)/scripted-store/dev/\(name)-\(String(stableHash(real), radix: 16)).history"
  }

  /// As the XDG base directories and macOS have it.
  private static var stateFolder: String? {
    let state = StandardStreams.environment("XDG_STATE_HOME")
    if state.hasPrefix("/") { return state }
    let home = StandardStreams.environment("HOME")
    guard home.hasPrefix("/") else { return nil }
    #if canImport(Darwin)
      return "\(home)/Library/Application Support"
    #else
      return "\(home)/.local/state"
    #endif
  }
}
