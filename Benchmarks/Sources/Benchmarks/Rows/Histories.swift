import CFloor
import LuaBridge
import ScriptedStore

/// A history of 100,000 entries over a list of 10,000 rows.
enum Histories {
  /// Makes the benchmark's program do the measuring, as a child.
  static let argument = "--measure-history"

  static let all = [
    Benchmark("memory of an entry of 100,000 in a history, 10,000 rows", bar: 1024) { _ in
      let printed = try Process.output(of: CommandLine.arguments[0], [argument, "100000"])
      let parts = printed.split(separator: " ").compactMap { Double($0) }
      guard parts.count == 1 else { throw Unexpected(description: "the child said \(printed)") }
      return Outcome(result: parts[0], unit: .bytes, subject: parts[0], floor: nil)
    },
    Benchmark("a jump to any entry of 100,000 in a history, 10,000 rows", bar: 1) { effort in
      let (store, history) = try make(entries: 100_000)
      var random = SystemRandomNumberGenerator()
      var times: [Double] = []
      for _ in 0..<max(100, effort.rounds * 20) {
        let number = Int.random(in: history.numbers, using: &random)
        times.append(
          try Clock.thread.time {
            try history.go(to: number)
          })
        guard store.state["toggles"].int == number else {
          throw Unexpected(description: "the store did not go to entry \(number)")
        }
      }
      // The slowest.
      let time = times.max() ?? 0
      return Outcome(result: time / 1e6, unit: .milliseconds, subject: time, floor: nil)
    },
    Benchmark("send in a store with a history / without", bar: nil) { effort in
      let (recorded, plain) = (
        try Scripts.listStore(rows: 10_000), try Scripts.listStore(rows: 10_000)
      )
      let history = recorded.record(limit: 1000)
      let result = try compare(
        effort, { try toggle(recorded, $0) }, floor: { try toggle(plain, $0) })
      guard history.count == 1000 else { throw Unexpected(description: "nothing was kept") }
      return result
    },
  ]

  private static func toggle(_ store: Store, _ count: Int) throws -> Double {
    let action = try Action(path: "todos[5].toggle")
    return Clock.thread.time { for _ in 0..<count { store.send(action) } }
  }

  private static func make(entries: Int) throws -> (Store, StoreHistory) {
    let store = try Scripts.listStore(rows: 10_000)
    let history = store.record(limit: entries)
    for number in 0..<entries { try store.send("todos[\(number * 7919 % 10_000 + 1)].toggle") }
    return (store, history)
  }

  /// Prints the bytes that an entry takes. What the process grows by when a store is used at all is not an entry's.
  static func measure(entries count: Int) throws {
    let store = try Scripts.listStore(rows: 10_000)
    for id in 1...10_000 { try store.send("todos[\(id)].toggle") }
    let history = store.record(limit: count)
    let before = resident_bytes()
    for number in 0..<count { try store.send("todos[\(number * 7919 % 10_000 + 1)].toggle") }
    let after = resident_bytes()
    guard history.count == count else { throw Unexpected(description: "not all were kept") }
    print((Double(after) - Double(before)) / Double(count))
  }
}
