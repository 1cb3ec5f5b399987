import LuaBridge
import ScriptedStore

/// An action that carries many rows, which its sender still holds, compared with one row.
enum Payloads {
  static let all = [
    Benchmark("an action with 10,000 rows assigned to state / one row", bar: 2) { effort in
      let (many, one) = (try Target(rows: 10_000), try Target(rows: 1))
      return try compare(effort, { try many.send($0) }, floor: { try one.send($0) })
    },
    Benchmark("the same, each action made when it is sent", bar: nil) { effort in
      let (many, one) = (try Target(rows: 10_000), try Target(rows: 1))
      return try compare(effort, { try many.make($0) }, floor: { try one.make($0) })
    },
  ]

  private struct Target {
    private let store: Store
    /// Two, so that each action changes the state.
    private let rows: [Value]
    private let actions: [Action]

    init(rows count: Int) throws {
      store = try Scripts.store("payload")
      rows = [try Scripts.rows(count), try Scripts.rows(count)]
      actions = try rows.map { try Action(path: "load", payload: ["items": $0]) }
    }

    func send(_ count: Int) throws -> Double {
      let time = Clock.thread.time {
        for turn in 0..<count { store.send(actions[turn & 1]) }
      }
      try check()
      return time
    }

    func make(_ count: Int) throws -> Double {
      let time = try Clock.thread.time {
        for turn in 0..<count { try store.send(["type": "load", "items": rows[turn & 1]]) }
      }
      try check()
      return time
    }

    private func check() throws {
      guard store.state["items"].array?.count == rows[0].array?.count else {
        throw Unexpected(description: "the rows are not in the state")
      }
    }
  }
}
