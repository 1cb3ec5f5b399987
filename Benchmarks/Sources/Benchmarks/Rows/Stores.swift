import CFloor
import Dispatch
import LuaBridge
import ScriptedStore

/// Many live stores of one feature, and workers beside each other.
enum Stores {
  /// Makes the benchmark's program do the measuring, as a child.
  static let argument = "--measure-stores"

  static let all = [
    Benchmark("a live store of 100,000 on two workers, each sent to once", bar: 1536) { _ in
      let (bytes, _) = try measured()
      return Outcome(result: bytes, unit: .bytes, subject: bytes, floor: nil)
    },
    Benchmark("making one more live store after 100,000", bar: 10) { _ in
      let (_, time) = try measured()
      return Outcome(result: time / 1000, unit: .microseconds, subject: time, floor: nil)
    },
    // The time of all sends: half with two idle cores, 0.556 for 1.8 times as many.
    Benchmark("sends to two stores of two workers, 2 threads / 1", bar: 0.556) { effort in
      let host = try ScriptHost(root: Scripts.folder, configuration: .init(workers: 2))
      let stores = [try host.store("counter"), try host.store("counter")]
      let (increment, count) = ("increment" as Action, 200_000)
      let time = { (threads: Int) in
        Clock.wall.time {
          DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for store in stride(from: thread, to: 2, by: threads).map({ stores[$0] }) {
              for _ in 0..<count { store.send(increment) }
            }
          }
        } / Double(2 * count)
      }
      let outcome = try compareOnce(effort, { time(2) }, floor: { time(1) })
      guard stores[0].state == stores[1].state, stores[0].state["count"].int ?? 0 > 0 else {
        throw Unexpected(description: "the stores have not counted: \(stores.map(\.state))")
      }
      return outcome
    },
  ]

  private static func measured() throws -> (bytes: Double, nanoseconds: Double) {
    let printed = try Process.output(of: CommandLine.arguments[0], [argument, "100000"])
    let parts = printed.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard parts.count == 2 else { throw Unexpected(description: "the child said \(printed)") }
    return (parts[0], parts[1])
  }

  /// Prints the resident bytes of a store, with its state of one number, and the nanoseconds that
  /// making one takes when there are as many. The first stores pay for the VMs.
  static func measure(stores count: Int) throws {
    let host = try ScriptHost(root: Scripts.folder, configuration: .init(workers: 2))
    let increment: Action = "increment"
    var stores: [Store] = []
    stores.reserveCapacity(2 * count)
    func add(_ number: Int) throws {
      for _ in 0..<number {
        let store = try host.store("counter")
        store.send(increment)
        stores.append(store)
      }
    }
    try add(100)
    let before = resident_bytes()
    try add(count)
    let bytes = (Double(resident_bytes()) - Double(before)) / Double(count)
    let time = try Clock.thread.time {
      for _ in 0..<1000 { stores.append(try host.store("counter")) }
    }
    guard stores.prefix(count).allSatisfy({ $0.state["count"] == 1 }) else {
      throw Unexpected(description: "a store has not counted")
    }
    print(bytes, time / 1000)
  }
}
