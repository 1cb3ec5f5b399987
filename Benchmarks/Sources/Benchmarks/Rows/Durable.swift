import Dispatch
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Synchronization

/// Durable stores: what a send costs that is on the disk when it returns, what a store costs that comes back, and what it costs
/// to judge new scripts by all that was recorded.
enum Durable {
  static func all(runner: String) -> [Benchmark] { stores + [gate(runner)] }

  private static let stores: [Benchmark] = [
    Benchmark("durable sends to 1,000 stores of one worker, each", bar: 20) { effort in
      let time = try sends(effort).wall
      return Outcome(result: time / 1e3, unit: .microseconds, subject: time, floor: nil)
    },
    Benchmark("durable sends to 1,000 stores, processor time of each", bar: 15) { effort in
      let time = try sends(effort).process
      return Outcome(result: time / 1e3, unit: .microseconds, subject: time, floor: nil)
    },
    Benchmark("a durable send, one client that waits, p50 / 4 KB and fdatasync", bar: 1.6) {
      effort in
      let journal = try Folder()
      let host = try journal.host()
      let count = effort.rounds * 20
      let (subject, floor) = try blocking {
        let room = host.durable("counter", key: "one")
        try await room.send("increment")
        var times: (subject: [Double], floor: [Double]) = ([], [])
        let file = try journal.plainFile()
        defer { close(file) }
        let page = [UInt8](repeating: 7, count: 4096)
        for _ in 0..<count {
          let start = Clock.wall.now()
          try await room.send("increment")
          let middle = Clock.wall.now()
          write(file, page, page.count)
          fdatasync(file)
          times.subject.append(middle - start)
          times.floor.append(Clock.wall.now() - middle)
        }
        await host.close()
        return (times.subject.median, times.floor.median)
      }
      return Outcome(result: subject / floor, unit: .ratio, subject: subject, floor: floor)
    },
    Benchmark("a store of 4 KB comes back with 50 records, p50", bar: 300) { effort in
      let journal = try Folder()
      let count = 200
      let time = try blocking {
        let host = try journal.host()
        for number in 0..<count {
          let room = host.durable("durable_text", key: "r\(number)")
          try await room.send("fill")
          for _ in 1..<50 { try await room.send("grow") }
        }
        let copy = try journal.crashed()
        await host.close()
        let again = try copy.host()
        var times: [Double] = []
        for number in 0..<count {
          let start = Clock.wall.now()
          _ = try await again.durable("durable_text", key: "r\(number)").open()
          times.append(Clock.wall.now() - start)
        }
        await again.close()
        return times.median
      }
      return Outcome(result: time / 1e3, unit: .microseconds, subject: time, floor: nil)
    },
    Benchmark("bytes of a small record on the disk", bar: 350) { effort in
      let journal = try Folder()
      let bytes = try blocking {
        let host = try journal.host()
        let room = host.durable("counter", key: "one")
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<20_000 { group.addTask { try await room.send("increment") } }
          try await group.waitForAll()
        }
        await host.close()
        return Double(try journal.size()) / 20_000
      }
      return Outcome(result: bytes, unit: .bytes, subject: bytes, floor: nil)
    },
  ]

  /// 1,000 stores with 100 small records each, by the command that judges them on all processors, as a whole process. The bar is
  /// 150,000 recorded actions a second.
  private static func gate(_ runner: String) -> Benchmark {
    Benchmark("the gate of a deploy, each recorded action", bar: 6.7) { effort in
      guard FileManager.default.isExecutableFile(atPath: runner) else {
        throw Unexpected(description: "no runner at \(runner); give its path with --runner")
      }
      let journal = try Folder()
      try blocking {
        let host = try journal.host()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<1_000 {
            group.addTask {
              let room = host.durable("counter", key: "r\(number)")
              for _ in 0..<100 { try await room.send("increment") }
            }
          }
          try await group.waitForAll()
        }
        await host.close()
      }
      let arguments = ["replay", "--journal", journal.journal, "--against", Scripts.folder]
      let times = try (0..<max(3, effort.rounds)).map { _ in
        try Process.time(of: runner, arguments)
      }
      let time = times.median / 100_000
      return Outcome(result: time / 1e3, unit: .microseconds, subject: time, floor: nil)
    }
  }

  /// The time of one send of many clients: by the clock, and of all processors.
  private static func sends(_ effort: Effort) throws -> (wall: Double, process: Double) {
    let journal = try Folder()
    let perStore = max(10, effort.rounds * 5)
    return try blocking {
      let host = try journal.host()
      let rooms = (0..<1_000).map { host.durable("counter", key: "r\($0)") }
      // The stores are in memory, and the journal knows them.
      for room in rooms { try await room.send("increment") }
      let (wall, process) = (Clock.wall.now(), Clock.process.now())
      try await withThrowingTaskGroup(of: Void.self) { group in
        for room in rooms {
          group.addTask { for _ in 0..<perStore { try await room.send("increment") } }
        }
        try await group.waitForAll()
      }
      let count = Double(1_000 * perStore)
      let times = (
        wall: (Clock.wall.now() - wall) / count, process: (Clock.process.now() - process) / count
      )
      await host.close()
      return times
    }
  }

  /// A folder with a journal, which goes with it.
  final class Folder: Sendable {
    let path: URL

    init() throws {
      path = FileManager.default.temporaryDirectory.appending(path: "durable-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: path) }

    private func file(_ name: String) -> String { path.appending(path: name).path }

    var journal: String { file("rooms.db") }

    /// - Parameter mark: what scripts call as `deps.mark`.
    func host(
      maxActive: Int = 10_000, idleTime: Duration = .seconds(60),
      mark: @escaping @Sendable () -> Void = {}
    ) throws -> ScriptHost {
      var configuration = ScriptHost.Configuration()
      configuration.journal = .sqlite(journal)
      configuration.maxActive = maxActive
      configuration.idleTime = idleTime
      configuration.dependencies.register("mark", live: .function { mark() })
      return try ScriptHost(root: Scripts.folder, configuration: configuration)
    }

    func plainFile() throws -> Int32 { open(file("plain"), O_WRONLY | O_CREAT | O_APPEND, 0o600) }

    func size() throws -> Int {
      let found = try FileManager.default.attributesOfItem(atPath: file("rooms.db"))
      return (found[.size] as? Int) ?? 0
    }

    /// What a process would find that starts after this one was killed now.
    func crashed() throws -> Folder {
      let copy = try Folder()
      for name in ["rooms.db", "rooms.db-wal"]
      where FileManager.default.fileExists(atPath: file(name)) {
        try FileManager.default.copyItem(atPath: file(name), toPath: copy.file(name))
      }
      return copy
    }
  }

  /// Runs a task, and waits for it.
  static func blocking<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) throws -> R {
    let result = Mutex<Result<R, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task {
      let outcome: Result<R, any Error>
      do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
      result.withLock { $0 = outcome }
      done.signal()
    }
    done.wait()
    guard let outcome = result.withLock({ $0 }) else { throw CancellationError() }
    return try outcome.get()
  }
}
