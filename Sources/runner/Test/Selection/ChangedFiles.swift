import ArgumentParser

/// What has changed since a revision of the git repository that a folder is in: in commits, in the working
/// tree, and files that git does not know.
struct ChangedFiles: Sendable {
  /// Without links; those that are gone as well.
  let paths: Set<String>

  /// Throws, with a message on standard error, if git cannot tell.
  init(since revision: String, around folder: String) throws(ExitCode) {
    // Else a revision that begins with `-` would be an option.
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
    do {
      let (status, output) = try ChildProcess.run(["git", "-C", folder] + arguments)
      if status == 0 { return output }
    } catch {
      throw fail(.usage, "--changed-since needs git: \(errorText(error.rawValue))")
    }
    throw fail(
      .usage, "\(message ?? "--changed-since: git \(arguments[0]) failed in \(folder)")")
  }

  private static func lines(_ output: [UInt8]) -> [String] {
    output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}
