import Foundation
import Platform

/// The runner as its users meet it: a process with arguments and three streams.
enum RunnerProcess {
  struct Outcome {
    /// Nil if a signal ended it.
    var status: Int32?
    var output: String
    var errors: String
    /// The largest resident size, in bytes.
    var peakMemory: Int

    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  struct SpawnError: Error {
    var number: Int32
  }

  /// Runs it on an input and waits for its end.
  static func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:],
    in folder: URL = repository
  ) throws -> Outcome {
    try run([executable.path] + arguments, Data(input.utf8), environment, folder)
  }

  /// The same for a command line of the shell, with the runner in `$RUNNER`.
  static func shell(_ command: String, in folder: URL = repository) throws -> Outcome {
    try run(["/bin/sh", "-c", command], Data(), ["RUNNER": executable.path], folder)
  }

  private static func run(
    _ arguments: [String], _ input: Data, _ environment: [String: String], _ folder: URL
  ) throws -> Outcome {
    let files = try TemporaryFolder()
    for name in ["output", "errors"] { try files.write("", to: name) }
    try input.write(to: files.url("input"))
    let streams = try ["input", "output", "errors"].map { name in
      let descriptor = open(files.url(name).path, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { throw SpawnError(number: errno) }
      return descriptor
    }
    defer { for stream in streams { close(stream) } }
    let process = try spawn(arguments, streams: streams, environment: environment, in: folder)
    let (status, peakMemory) = wait(for: process)
    return Outcome(
      status: status, output: try files.text("output"), errors: try files.text("errors"),
      peakMemory: peakMemory)
  }

  private static let spawning = NSLock()

  /// Runs `body` while no process is started, which would inherit descriptors that are not marked yet.
  static func withoutSpawning<Result>(_ body: () throws -> Result) rethrows -> Result {
    try spawning.withLock(body)
  }

  /// Starts a program with the given descriptors as its standard streams, and no other.
  static func spawn(
    _ arguments: [String], streams: [Int32], environment: [String: String] = [:],
    in folder: URL = repository
  ) throws -> pid_t {
    #if os(Linux)
    var actions = posix_spawn_file_actions_t()
    #else
    var actions: posix_spawn_file_actions_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in streams.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
    }

    // The threads that run tests block signals, which a child would inherit.
    #if os(Linux)
    var attributes = posix_spawnattr_t()
    #else
    var attributes: posix_spawnattr_t?
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    var variables = ProcessInfo.processInfo.environment
    variables["NO_COLOR"] = nil
    variables["TERM"] = "xterm"
    variables.merge(environment) { $1 }
    // There is no portable way to say where a process starts.
    let command = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder.path] + arguments
    let argv = command.map { strdup($0) } + [nil]
    let envp = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in argv + envp { free(text) } }

    var process: pid_t = 0
    let number = withoutSpawning {
      posix_spawn(&process, command[0], &actions, &attributes, argv, envp)
    }
    guard number == 0 else { throw SpawnError(number: number) }
    return process
  }

  static func wait(for process: pid_t) -> (status: Int32?, peakMemory: Int) {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    let peak = Int(usage.ru_maxrss)
    #if os(Linux)
    let peakMemory = peak * 1024
    #else
    let peakMemory = peak
    #endif
    return (status & 0x7F == 0 ? (status >> 8) & 0xFF : nil, peakMemory)
  }

  static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static let executable: URL = {
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let products = tests?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    return products.appendingPathComponent("runner")
  }()
}
