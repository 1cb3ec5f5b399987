import Platform

/// Runs another program for its output.
enum ChildProcess {
  /// Runs a program found in `PATH` with empty input, and waits for its end. Its standard error is
  /// that of this process. Throws `errno` if the program cannot be started.
  static func run(
    _ arguments: [String]
  ) throws(ErrorNumber) -> (status: Int32, output: [UInt8]) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw ErrorNumber(rawValue: errno) }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let result = Result { () throws(ErrorNumber) in try spawn(arguments, writingTo: ends[1]) }
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
  ) throws(ErrorNumber) -> pid_t {
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
    guard number == 0 else { throw ErrorNumber(rawValue: number) }
    return process
  }
}
