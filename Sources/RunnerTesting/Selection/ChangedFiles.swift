import ArgumentParser
import Platform
import RunnerShared

/// The files that changed since a revision of the git repository around a folder: in commits, in
/// the working tree, and untracked files.
struct ChangedFiles: Sendable {
  /// Absolute paths without symbolic links. Removed files are included.
  let paths: Set<String>

  /// Throws, after a message on standard error, if git fails.
  init(since revision: String, around folder: String) throws(ExitCode) {
    // `--end-of-options` prevents that a revision which begins with `-` is read as an option.
    let commit = try Self.git(
      ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{commit}"], in: folder,
      orElse: "--changed-since: git knows no revision '\(revision)' around \(folder)")
    let top = try Self.git(["rev-parse", "--show-toplevel"], in: folder)
    guard let commit = Self.lines(commit).first, let top = Self.lines(top).first else {
      throw fail(.usage, "--changed-since: git says nothing")
    }
    let changed = try Self.git(
      ["diff", "--name-only", "--no-renames", "-z", commit, "--"], in: top)
    let unknown = try Self.git(["ls-files", "--others", "--exclude-standard", "-z"], in: top)
    paths = Set(
      (changed + unknown).split(separator: 0).map { name in
        Paths.join(top, String(decoding: name, as: UTF8.self))
      })
  }

  private static func git(
    _ arguments: [String], in folder: String, orElse message: String? = nil
  ) throws(ExitCode) -> [UInt8] {
    let command = (["git", "-C", folder] + arguments).map(shellWord).joined(separator: " ")
    guard Paths.program(["git"]) != nil, let pipe = popen("\(command) < /dev/null", "r") else {
      throw fail(.usage, "--changed-since needs git: \(FileFault.system(ENOENT))")
    }
    let output = try? OrdinaryFile.rest(of: fileno(pipe), atMost: .max)
    if pclose(pipe) == 0, let output { return output }
    throw fail(
      .usage, "\(message ?? "--changed-since: git \(arguments[0]) failed in \(folder)")")
  }

  private static func lines(_ output: [UInt8]) -> [String] {
    output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension FoundFile {
  /// Whether the file, or a script that it uses, is one of these files. All are resolved paths.
  func isAffected(by changed: Set<String>, using scripts: Set<String>) -> Bool {
    Paths.real(path).map(changed.contains) ?? true || !changed.isDisjoint(with: scripts)
  }
}
