import LuaBridge
import ScriptedStore

/// A list of 100,000 rows compared with one of 10: actions for an element, with the parent's handler
/// after it, an observer on the list and the last state kept.
enum Lists {
  static let all = [
    Benchmark("forEach, toggle the same row, N = 100,000 / 10", bar: 1.5) { effort in
      let (long, short) = (try List(rows: 100_000), try List(rows: 10))
      return try compare(effort, { try long.toggle(5, $0) }, floor: { try short.toggle(5, $0) })
    },
    Benchmark("forEach, toggle random rows, N = 100,000 / 10", bar: 2.5) { effort in
      let (long, short) = (try List(rows: 100_000), try List(rows: 10))
      return try compare(
        effort, { try long.toggleRandom($0) }, floor: { try short.toggleRandom($0) })
    },
    Benchmark("forEach, table.insert at the end, N = 100,000 / 10", bar: 1.5) { effort in
      let (long, short) = (try List(rows: 100_000), try List(rows: 10))
      return try compare(effort, { try long.insert($0) }, floor: { try short.insert($0) })
    },
    Benchmark("10,000 idle observers on rows / one, one row toggled", bar: 1.5) { effort in
      let (busy, quiet) = (try List(rows: 10_001), try List(rows: 10_001))
      for list in [busy, quiet] {
        list.observe { $0.scope(element: 5, of: "todos").observe(.root, $1) }
      }
      for id in 1...10_001 where id != 5 {
        busy.observe { $0.scope(element: .integer(Int64(id)), of: "todos").observe(.root, $1) }
      }
      return try compare(effort, { try busy.toggle(5, $0) }, floor: { try quiet.toggle(5, $0) })
    },
    Benchmark("10,000 idle observers on indices / one", bar: nil) { effort in
      let (busy, quiet) = (try List(rows: 10_001), try List(rows: 10_001))
      for list in [busy, quiet] {
        list.observe { $0.observe(ValuePath([.key("todos"), .index(4)]), $1) }
      }
      for index in 0...10_000 where index != 4 {
        busy.observe { $0.observe(ValuePath([.key("todos"), .index(index)]), $1) }
      }
      return try compare(effort, { try busy.toggle(5, $0) }, floor: { try quiet.toggle(5, $0) })
    },
  ]

  /// A store with a list in it, and those who look at it.
  private final class List {
    private let store: Store
    private let rows: Int
    private let base: Value
    private var observations: [StoreObservation] = []
    private let changes = Counter()
    /// A snapshot that is held on to while the next action runs.
    private var last: Value
    private var random = SystemRandomNumberGenerator()

    init(rows: Int) throws {
      self.rows = rows
      base = try Scripts.rows(rows)
      store = try Scripts.store(
        "rows", state: ["todos": base, "nextId": .integer(Int64(rows + 1))])
      last = store.state
      observe { $0.observe("todos", $1) }
    }

    func observe(_ observe: (Store, @escaping @Sendable (Value) -> Void) -> StoreObservation) {
      let changes = changes
      observations.append(observe(store) { _ in changes.add() })
    }

    private func action(_ id: Int) throws -> Action { try Action(path: "todos[\(id)].toggle") }

    func toggle(_ id: Int, _ count: Int) throws -> Double {
      let action = try action(id)
      return try checked {
        Clock.thread.time {
          for _ in 0..<count {
            store.send(action)
            last = store.state
          }
        }
      }
    }

    /// The actions are made as they are needed, so that they are as fresh in the cache as elsewhere.
    func toggleRandom(_ count: Int) throws -> Double {
      var time = 0.0
      var left = count
      while left > 0 {
        let chunk = min(left, 128)
        let actions = try (0..<chunk).map { _ in
          try action(Int.random(in: 1...rows, using: &random))
        }
        time += try checked {
          Clock.thread.time {
            for action in actions {
              store.send(action)
              last = store.state
            }
          }
        }
        left -= chunk
      }
      return time
    }

    /// Five at a time, after which the list is what it was, so that 10 stays near 10.
    func insert(_ count: Int) throws -> Double {
      let insert = try Action(path: "add")
      let reset = try Action(
        path: "replace", payload: ["todos": base, "nextId": .integer(Int64(rows + 1))])
      var time = 0.0
      var left = count
      while left > 0 {
        let chunk = min(left, 5)
        time += try checked {
          Clock.thread.time {
            for _ in 0..<chunk {
              store.send(insert)
              last = store.state
            }
          }
        }
        left -= chunk
        store.send(reset)
        last = store.state
      }
      return time
    }

    /// The observer must have heard of what was timed.
    private func checked(_ body: () throws -> Double) throws -> Double {
      let before = changes.count
      let time = try body()
      guard changes.count > before else { throw Unexpected(description: "nothing was observed") }
      return time
    }
  }
}
