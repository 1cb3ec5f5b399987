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
    do {
      let (status, output) = try ChildProcess.run(["git", "-C", folder] + arguments)
      if status == 0 { return output }
    } catch {
      throw fail(.usage, "--changed-since needs git: \(error)")
    }
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

/// Runs another program for its output.
enum ChildProcess {
  /// Runs a program found in `PATH` with empty input, and waits for its end. Its standard error is
  /// that of this process. Throws if the program cannot be started.
  static func run(
    _ arguments: [String]
  ) throws(FileFault) -> (status: Int32, output: [UInt8]) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .last }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let result = Result { () throws(FileFault) in try spawn(arguments, writingTo: ends[1]) }
    close(ends[1])
    let process = try result.get()
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(ends[0], &chunk, chunk.count)
      if count > 0 {
        output += chunk[..<count]
      } else if count == 0 || errno != EINTR {
        break
      }
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    // The process was ended by a signal: use the status that shells give.
    let number = status & 0x7F
    return (number == 0 ? (status >> 8) & 0xFF : 128 + number, output)
  }

  private static func spawn(
    _ arguments: [String], writingTo output: Int32
  ) throws(FileFault) -> pid_t {
    #if os(Linux)
    var actions = posix_spawn_file_actions_t()
    #else
    var actions: posix_spawn_file_actions_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    let argv = arguments.map { strdup($0) } + [nil]
    defer { for text in argv { free(text) } }
    var process: pid_t = 0
    #if canImport(Darwin)
    let variables = _NSGetEnviron().pointee
    #else
    let variables = environ
    #endif
    let number = posix_spawnp(&process, arguments[0], &actions, nil, argv, variables)
    guard number == 0 else { throw .system(number) }
    return process
  }
}
