import Foundation

/// `runner run` on an empty action file, and a program that does nothing: the whole processes.
enum Start {
  static func all(runner: String) -> [Benchmark] {
    [
      Benchmark("runner run on an empty action file, more than an empty process", bar: 10) { _ in
        guard FileManager.default.isExecutableFile(atPath: runner) else {
          throw Unexpected(description: "no runner at \(runner); give its path with --runner")
        }
        let empty = FileManager.default.temporaryDirectory
          .appending(path: "empty-\(ProcessInfo.processInfo.processIdentifier).jsonl").path
        try Data().write(to: URL(filePath: empty))
        defer { try? FileManager.default.removeItem(atPath: empty) }
        let arguments = ["run", "counter", "--root", Scripts.folder, "--actions", empty]
        let (runs, idle) = try turns(20, (runner, arguments), ("/bin/true", []))
        return Outcome(
          result: (runs.median - idle.median) / 1e6, unit: .milliseconds, subject: runs.median,
          floor: idle.median)
      }
    ]
  }

  /// Times of two commands, in turns.
  private static func turns(
    _ count: Int, _ a: (program: String, arguments: [String]),
    _ b: (program: String, arguments: [String])
  ) throws -> ([Double], [Double]) {
    var (timesOfA, timesOfB): ([Double], [Double]) = ([], [])
    for turn in -2..<count {
      let timeOfA = try Process.time(of: a.program, a.arguments)
      let timeOfB = try Process.time(of: b.program, b.arguments)
      // The first ones read the files from the disk.
      if turn >= 0 {
        timesOfA.append(timeOfA)
        timesOfB.append(timeOfB)
      }
    }
    return (timesOfA, timesOfB)
  }
}
