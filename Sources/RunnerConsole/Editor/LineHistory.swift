import Platform
import RunnerShared

/// The lines that were typed, across runs. There is one file for each script root, in the user's
/// state folder, with one entry a line.
struct LineHistory {
  /// The latest line is last.
  private(set) var lines: [String] = []
  private let path: String?

  private static let limit = 1000

  /// Reads the history file; empty if it cannot be read. Without a home folder, lines are not
  /// saved. A file of more than twice the limit is shortened to the limit.
  init(root: String) {
    path = UserFolder.state.path(of: "dev", for: root, suffix: ".history")
    guard let path, let bytes = try? WholeFile.read(path) else { return }
    lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    guard lines.count > 2 * Self.limit else { return }
    lines.removeFirst(lines.count - Self.limit)
    try? OrdinaryFile.save(Array((lines.joined(separator: "\n") + "\n").utf8), to: path)
  }

  /// Adds a line, except a repetition of the last one or a line that begins with a blank. The line
  /// is written at once, so that a crash or a second console does not lose it. Write errors are
  /// ignored, because the history is only a convenience.
  mutating func add(_ line: String) {
    guard !line.isEmpty, line.first != " ", line != lines.last else { return }
    lines.append(line)
    guard let path else { return }
    try? WholeFile.makeFolder(Paths.folder(of: path))
    guard var stream = try? DescriptorWriter(file: path, O_APPEND, mode: 0o600) else { return }
    stream.write(Array("\(line)\n".utf8))
    stream.close()
  }
}
