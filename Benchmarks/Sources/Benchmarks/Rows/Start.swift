import Foundation

/// `runner run` on an empty action file: the whole process.
enum Start {
  static func all(runner: String) -> [Benchmark] {
    [
      Benchmark("runner run on an empty action file, whole process", bar: 15) { _ in
        guard FileManager.default.isExecutableFile(atPath: runner) else {
          throw Unexpected(description: "no runner at \(runner); give its path with --runner")
        }
        let empty = FileManager.default.temporaryDirectory
          .appending(path: "empty-\(ProcessInfo.processInfo.processIdentifier).jsonl").path
        try Data().write(to: URL(filePath: empty))
        defer { try? FileManager.default.removeItem(atPath: empty) }
        let arguments = ["run", "counter", "--root", Scripts.folder, "--actions", empty]
        let (runs, idle) = try turns(20, runner, arguments)
        return Outcome(
          result: runs.median / 1e6, unit: .milliseconds, subject: runs.median,
          floor: idle.median)
      }
    ]
  }

  /// Times of the program, and of one that does nothing.
  private static func turns(
    _ count: Int, _ program: String, _ arguments: [String]
  ) throws -> ([Double], [Double]) {
    var (times, floor): ([Double], [Double]) = ([], [])
    for turn in -2..<count {
      let time = try Process.time(of: program, arguments)
      let idle = try Process.time(of: "/bin/true", [])
      // The first ones read the files from the disk.
      if turn >= 0 {
        times.append(time)
        floor.append(idle)
      }
    }
    return (times, floor)
  }
}
