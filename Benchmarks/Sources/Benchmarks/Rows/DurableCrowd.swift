import CFloor
import ScriptedStore
import ScriptedStoreJournal
import Synchronization

/// Many durable stores: what they take in memory, and how long a start takes after a crash.
enum DurableCrowd {
  static let argument = "--measure-durable-stores"
  private static let stores = 100_000
  private static let recordsOfEach = 10

  static let all: [Benchmark] = [
    bytes("an active durable store of 100,000, nobody uses it", bar: 2048, \.active),
    // Nothing is kept for it; some MB of buffers and caches are what is left of the work.
    bytes("a passive durable store of 100,000", bar: 100, \.passive),
    time("start with 100,000 durable stores and a million records: first answer", bar: 1, \.first),
    time("the same, all records behind read", bar: 10, \.all),
  ]

  private struct Figures {
    /// Bytes for each store.
    let active, passive: Double
    /// Seconds.
    let first, all: Double
  }

  /// Measured once, because making the stores takes a quarter of a minute.
  private static let measured = Result { () throws -> Figures in
    let printed = try Process.output(of: CommandLine.arguments[0], [argument, "\(stores)"])
    let parts = printed.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard parts.count == 4 else { throw Unexpected(description: "the child said \(printed)") }
    return Figures(active: parts[0], passive: parts[1], first: parts[2], all: parts[3])
  }

  private static func bytes(
    _ name: String, bar: Double, _ figure: @escaping @Sendable (Figures) -> Double
  ) -> Benchmark {
    Benchmark(name, bar: bar) { _ in
      let bytes = figure(try measured.get())
      return Outcome(result: bytes, unit: .bytes, subject: bytes, floor: nil)
    }
  }

  private static func time(
    _ name: String, bar seconds: Double, _ figure: @escaping @Sendable (Figures) -> Double
  ) -> Benchmark {
    Benchmark(name, bar: seconds * 1000) { _ in
      let time = figure(try measured.get())
      return Outcome(result: time * 1000, unit: .milliseconds, subject: time * 1e9, floor: nil)
    }
  }

  // MARK: The child process

  /// What a state of the stores takes.
  private static func bytesOfState() -> Double {
    let before = used_bytes()
    let states = (0..<10_000).map { Value.object(["count": .integer(Int64($0))]) }
    return withExtendedLifetime(states) { Double(used_bytes() - before) / 10_000 }
  }

  /// Prints the bytes of the heap for an active store that is not used, without its state, and for a passive one, and the
  /// seconds from the start on what a crash left until a store has answered, and until the last store is active whose effect
  /// was in flight.
  static func measure(stores count: Int) throws {
    let journal = try Durable.Folder()
    try Durable.blocking {
      let host = try journal.host(maxActive: 2 * count, idleTime: .seconds(3600))
      let rooms = (0..<count).map { host.durable("counter", key: "r\($0)") }
      // The first stores pay for the VM, and for the buffers of commits.
      for number in 0..<1_000 {
        try await host.durable("counter", key: "first\(number)").send("increment")
      }
      let waiting = try await host.durable("durable_wait", key: "zz").open()
      waiting.send("start")
      await waiting.untilDurable()
      let before = Double(used_bytes())
      try await withThrowingTaskGroup(of: Void.self) { group in
        for client in 0..<1_000 {
          group.addTask {
            for number in stride(from: client, to: count, by: 1_000) {
              for _ in 0..<recordsOfEach { try await rooms[number].send("increment") }
            }
          }
        }
        try await group.waitForAll()
      }
      let active = (Double(used_bytes()) - before) / Double(count) - bytesOfState()
      let crashed = try journal.crashed()
      await host.close()
      // What closing has handed to other threads is done.
      try await Task.sleep(for: .seconds(1))
      let passive = (Double(used_bytes()) - before) / Double(count)

      let start = Clock.wall.now()
      let end = Mutex<Double?>(nil)
      let again = try crashed.host(maxActive: 2 * count, idleTime: .seconds(3600)) {
        end.withLock { $0 = Clock.wall.now() }
      }
      try await again.durable("counter", key: "r7").send("increment")
      let first = Clock.wall.now() - start
      while end.withLock({ $0 == nil }) { try await Task.sleep(for: .milliseconds(5)) }
      let all = (end.withLock { $0 } ?? start) - start
      guard try await again.durable("counter", key: "r7").open().state["count"] == 11 else {
        throw Unexpected(description: "a store has not counted")
      }
      await again.close()
      print(active, max(0, passive), first / 1e9, all / 1e9)
    }
  }
}
