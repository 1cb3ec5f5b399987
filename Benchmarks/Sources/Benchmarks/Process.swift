import Foundation

/// Child processes.
enum Process {
  /// Nanoseconds from the start of a process to its end; its output is thrown away.
  static func time(of program: String, _ arguments: [String]) throws -> Double {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    var status: Int32 = 0
    let time = try Clock.wall.time {
      status = try wait(for: try spawn(program, arguments, &actions))
    }
    guard status == 0 else { throw Unexpected(description: "\(program) ended with \(status)") }
    return time
  }

  /// What a process writes to its standard output.
  static func output(of program: String, _ arguments: [String]) throws -> String {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Unexpected(description: "no pipe") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    let child = try spawn(program, arguments, &actions)
    close(ends[1])
    let output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readDataToEndOfFile()
    let status = try wait(for: child)
    guard status == 0 else { throw Unexpected(description: "\(program) ended with \(status)") }
    return String(decoding: output, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func spawn(
    _ program: String, _ arguments: [String], _ actions: inout posix_spawn_file_actions_t
  ) throws -> pid_t {
    var words = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    let result = posix_spawn(&child, program, &actions, nil, words, environ)
    guard result == 0 else {
      throw Unexpected(description: "cannot start \(program): \(String(cString: strerror(result)))")
    }
    return child
  }

  private static func wait(for child: pid_t) throws -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { throw Unexpected(description: "a child got lost") }
    }
    return status
  }
}
