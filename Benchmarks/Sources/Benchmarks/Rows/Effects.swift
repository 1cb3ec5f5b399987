import CFloor
import Dispatch
import LuaBridge
import ScriptedStore
import Synchronization

/// Effects: what they cost above the actions that they send, and whether many in flight make the next one
/// dearer.
enum Effects {
  static let all = [
    Benchmark("effect.send, from action to second action / one send", bar: 3) { effort in
      let (store, plain) = (try Subject(), try Subject())
      return try compare(
        effort, { try store.send("again", $0) }, floor: { try plain.send("increment", $0) })
    },
    Benchmark("effect.run that sends, finished / Task, await and two sends", bar: 1) { effort in
      let (store, plain) = (try Subject(), try Subject())
      return try compare(
        effort, { count in try wait { try await store.runAndFinish(count) } },
        floor: { count in try wait { try await plain.taskAndSends(count) } })
    },
    Benchmark("replace a cancellable that sleeps / one send", bar: 6.2) { effort in
      let (store, plain) = (try Subject(), try Subject())
      return try compare(
        effort, { try store.send("replace", $0) }, floor: { try plain.send("increment", $0) })
    },
    Benchmark("replace with 100,000 effects in flight / with none", bar: 2.5) { effort in
      let (busy, quiet) = (try Subject(), try Subject())
      _ = try busy.send("sleep", 100_000)
      return try compare(
        effort, { try busy.send("replace", $0) }, floor: { try quiet.send("replace", $0) })
    },
    Benchmark("remove one of N elements with an effect each, N = 10,000 / 10", bar: 2.5) { effort in
      let (many, few) = (try Subject(rows: 10_000), try Subject(rows: 10))
      return try compare(effort, { try many.churn($0) }, floor: { try few.churn($0) })
    },
    Benchmark("memory of an effect that sleeps, N = 100,000", bar: 1700) { _ in
      let printed = try Process.output(of: CommandLine.arguments[0], [memoryArgument, "100000"])
      let parts = printed.split(separator: " ").compactMap { Double($0) }
      guard parts.count == 1 else { throw Unexpected(description: "the child said \(printed)") }
      return Outcome(result: parts[0], unit: .bytes, subject: parts[0], floor: nil)
    },
    Benchmark("wake each of 100,000 sleepers / each of 1,000", bar: nil) { effort in
      try compareOnce(effort, { try wake(100_000) }, floor: { try wake(1000) })
    },
  ]

  /// Makes the benchmark's program measure the memory, as a child.
  static let memoryArgument = "--measure-sleepers"

  /// Prints the bytes that an effect takes which sleeps. The first ones pay for what is made once.
  static func measureMemory(of count: Int) throws {
    let store = try Subject()
    _ = try store.send("sleep", 100)
    let before = resident_bytes()
    _ = try store.send("sleep", count)
    let after = resident_bytes()
    withExtendedLifetime(store) { print((Double(after) - Double(before)) / Double(count)) }
  }

  /// Nanoseconds that it takes to wake each of so many.
  private static func wake(_ count: Int) throws -> Double {
    let clock = VirtualClock()
    let store = try Subject(clock: clock)
    _ = try store.send("sleep", count)
    let time = Clock.thread.time { clock.advance(by: .seconds(3600)) }
    guard store.isIdle else { throw Unexpected(description: "somebody sleeps on") }
    return time / Double(count)
  }

  /// Runs an asynchronous body, for the nanoseconds that it says.
  private static func wait(_ body: @escaping @Sendable () async throws -> Double) throws -> Double {
    let result = Result()
    let done = DispatchSemaphore(value: 0)
    Task {
      do { result.set(.success(try await body())) } catch { result.set(.failure(error)) }
      done.signal()
    }
    done.wait()
    return try result.get()
  }

  private final class Result: Sendable {
    private let result = Mutex<Swift.Result<Double, any Error>>(
      .failure(Unexpected(description: "nothing came back")))

    func set(_ new: Swift.Result<Double, any Error>) { result.withLock { $0 = new } }
    func get() throws -> Double { try result.withLock { $0 }.get() }
  }

  /// A store of `effects.lua` and what it gets.
  private final class Subject: Sendable {
    private let store: Store
    private let increment: Action
    private let run: Action

    init(clock: VirtualClock? = nil) throws {
      store = try Scripts.store("effects", clock: clock)
      increment = try Action(path: "increment")
      run = try Action(path: "run")
    }

    /// With a row for each id from 1 and an effect of each.
    init(rows: Int) throws {
      store = try Scripts.store("effects", state: ["rows": try Scripts.rows(rows)])
      increment = try Action(path: "increment")
      run = try Action(path: "run")
      for id in 1...rows { try store.send("rows[\(id)].sleep") }
      guard store.effects.count == rows else { throw Unexpected(description: "rows lack effects") }
    }

    var isIdle: Bool { store.effects.isEmpty }

    func send(_ path: String, _ count: Int) throws -> Double {
      let action = try Action(path: path)
      return Clock.thread.time { for _ in 0..<count { store.send(action) } }
    }

    func runAndFinish(_ count: Int) async throws -> Double {
      let before = store.state["count"].int ?? 0
      let start = Clock.wall.now()
      for _ in 0..<count { await store.send(run).finish() }
      let time = Clock.wall.now() - start
      guard store.state["count"].int == before + count else {
        throw Unexpected(description: "the effects have not sent")
      }
      return time
    }

    func taskAndSends(_ count: Int) async throws -> Double {
      let start = Clock.wall.now()
      for _ in 0..<count {
        store.send(increment)
        let task = Task { store.send(increment) }
        _ = await task.value
      }
      return Clock.wall.now() - start
    }

    /// Removes an element with its effect from the middle, and puts it back there with another.
    func churn(_ count: Int) throws -> Double {
      let middle = (store.state["rows"].array?.count ?? 0) / 2
      let id = store.state["rows"][middle]["id"]
      let index = Value.integer(Int64(middle + 1))
      let actions = [
        try Action(path: "remove", payload: ["index": index]),
        try Action(path: "add", payload: ["index": index, "id": id]),
        try Action(["type": "rows", "id": id, "action": ["type": "sleep"]]),
      ]
      return Clock.thread.time {
        for _ in 0..<count { for action in actions { store.send(action) } }
      }
    }
  }
}
