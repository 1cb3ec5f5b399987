import Dispatch
import Foundation
import LuaBridge
import ScriptedStore
import ScriptedStoreDatabase
import ScriptedStoreFiles

/// What shared values cost beside values of the store's own.
enum Sharing {
  static let all = [
    Benchmark("reading a shared number 100 times in a handler / an own one", bar: 1.1) { effort in
      try compareActions(effort, "readValue", "readOwn")
    },
    Benchmark("send, 10 shared values that stay as they are / without", bar: 1.1) { effort in
      let (ten, none) = (try Scripts.store("shared_ten"), try Scripts.store("shared_none"))
      let increment = try Action(path: "increment")
      return try compare(effort) { count in
        Clock.thread.time { for _ in 0..<count { ten.send(increment) } }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { none.send(increment) } }
      }
    },
    Benchmark("send that writes a shared value / an own one", bar: 1.25) { effort in
      try compareActions(effort, "value", "own")
    },
    Benchmark("send that writes a shared value of a file, kill-proof / in memory", bar: 5) {
      effort in
      try compareActions(effort, "stored", "value")
    },
    Benchmark("send that an observed store of the worker hears of / writes an own value", bar: 2.5)
    {
      effort in
      try compareActions(effort, "value", "own", others: 1, areObserved: true)
    },
    Benchmark("send that changes a value which 100,000 idle stores share", bar: 0.01) { effort in
      let sharing = try Host()
      let stores = try (0..<100_000).map { _ in try sharing.host.store("shared") }
      let value = try Action(path: "value")
      var times: [Double] = []
      for _ in 0..<effort.rounds {
        times.append(Clock.thread.time { for _ in 0..<500 { stores[0].send(value) } } / 500 / 1e6)
      }
      let expected = Value(effort.rounds * 500)
      guard stores[99_999].state["value"] == expected else {
        throw Unexpected(description: "an idle store did not take the changes over")
      }
      return Outcome(
        result: times.median, unit: .milliseconds, subject: times.median * 1e6, floor: nil)
    },
    Benchmark("8 stores of 4 workers change one value, each change", bar: 0.001) { effort in
      let sharing = try Host(workers: 4)
      let stores = try (0..<8).map { _ in try sharing.host.store("shared") }
      let value = try Action(path: "value")
      var times: [Double] = []
      for _ in 0..<effort.rounds {
        let start = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: 8) { index in
          for _ in 0..<2500 { stores[index].send(value) }
        }
        times.append((ContinuousClock.now - start) / .milliseconds(1) / 20_000)
      }
      for store in stores { store.send(value) }
      let expected = effort.rounds * 20_000 + 8
      guard sharing.host.shared("value").value?.int == expected else {
        throw Unexpected(description: "changes of a shared value were lost")
      }
      return Outcome(
        result: times.median, unit: .milliseconds, subject: times.median * 1e6, floor: nil)
    },
    Benchmark("4 stores of 4 workers change a shared value each, 2 threads / 1", bar: 0.65) {
      effort in
      try compareThreads(effort, "value")
    },
    // What the same two threads gain where nothing is shared.
    Benchmark("4 stores of 4 workers change an own value each, 2 threads / 1", bar: nil) { effort in
      try compareThreads(effort, "own")
    },
    Benchmark("save of 100,000 shared todos / JSONSerialization and the same write", bar: 0.1) {
      effort in
      try compareSaves(effort)
    },
    Benchmark("a toggle of one of 100,000 rows in a database, kill-proof", bar: 0.03) { effort in
      let sharing = try Host()
      let store = try sharing.host.store("shared_rows")
      try store.send("fill")
      let toggle = try Action(path: "rows[70000].toggle")
      var times: [Double] = []
      for _ in 0..<effort.rounds {
        times.append(Clock.thread.time { for _ in 0..<500 { store.send(toggle) } } / 500 / 1e6)
      }
      return Outcome(
        result: times.median, unit: .milliseconds, subject: times.median * 1e6, floor: nil)
    },
  ]

  /// A host that stores values in a folder, which goes with it.
  private final class Host {
    let folder: URL
    let host: ScriptHost

    init(workers: Int = 1) throws {
      folder = FileManager.default.temporaryDirectory
        .appending(path: "sharing-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var configuration = ScriptHost.Configuration(workers: workers)
      configuration.shared = try .folder(folder.path)
      configuration.database = try .folder(folder.path)
      host = try ScriptHost(root: Scripts.folder, configuration: configuration)
    }

    deinit {
      host.close()
      try? FileManager.default.removeItem(at: folder)
    }
  }

  /// Two actions of the same store.
  ///
  /// - Parameter others: the number of other stores that share the value.
  private static func compareActions(
    _ effort: Effort, _ subject: String, _ floor: String, others: Int = 0,
    areObserved: Bool = false
  ) throws -> Outcome {
    let sharing = try Host()
    let store = try sharing.host.store("shared")
    let others = try (0..<others).map { _ in try sharing.host.store("shared") }
    let observations = areObserved ? others.map { $0.observe { _ in } } : []
    defer { for observation in observations { observation.cancel() } }
    let (subject, floor) = (try Action(path: subject), try Action(path: floor))
    // Nothing else retains the other stores.
    return try withExtendedLifetime(others) {
      try compare(effort) { count in
        Clock.thread.time { for _ in 0..<count { store.send(subject) } }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { store.send(floor) } }
      }
    }
  }
  /// The same actions of four stores, each with a key and a worker of its own: sent by two threads, and by
  /// one. The result is the time of all of them, so with two idle cores it is 0.5 at the best.
  private static func compareThreads(_ effort: Effort, _ type: String) throws -> Outcome {
    let sharing = try Host(workers: 4)
    let stores = try (1...4).map { try sharing.host.store("counting_\($0)") }
    let (action, count) = (try Action(path: type), 10_000)
    let time = { (threads: Int) in
      Clock.wall.time {
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
          for store in stride(from: thread, to: stores.count, by: threads).map({ stores[$0] }) {
            for _ in 0..<count { store.send(action) }
          }
        }
      } / Double(count * stores.count)
    }
    let outcome = try compareOnce(effort, { time(2) }, floor: { time(1) })
    let rounds = max(3, effort.rounds / 2)
    for store in stores {
      guard store.state[type].int == 2 * rounds * count else {
        throw Unexpected(description: "changes of a value were lost")
      }
    }
    return outcome
  }

  /// What is written when one of 100,000 todos has changed. The floor writes to a folder of its own in the
  /// same way: a new file that is flushed to the disk and renamed.
  private static func compareSaves(_ effort: Effort) throws -> Outcome {
    let (sharing, other) = (try Host(), try Host())
    let store = try sharing.host.store("shared_list")
    store.send(try Action(path: "fill", payload: ["todos": try Scripts.rows(100_000)]))
    sharing.host.flush()
    let toggle = try Action(path: "toggle")
    let storage = try FolderStorage(other.folder.path)
    let object = try JSONSerialization.jsonObject(with: Scripts.json(rows: 100_000))
    let outcome = try compareOnce(effort) {
      store.send(toggle)
      return Clock.wall.time { sharing.host.flush() }
    } floor: {
      try Clock.wall.time {
        let text = try JSONSerialization.data(withJSONObject: object)
        try storage.replace("todos.json", with: Array(text))
      }
    }
    let saved = try Value(json: Data(contentsOf: sharing.folder.appending(path: "todos.json")))
    guard saved == store.state["todos"] else {
      throw Unexpected(description: "the file does not have the value")
    }
    return outcome
  }
}
