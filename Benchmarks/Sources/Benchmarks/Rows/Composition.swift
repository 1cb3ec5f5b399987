import LuaBridge
import ScriptedStore

/// Children that come and go, cases, stacks and recursion, compared with an unnested send or with the same without
/// the operator.
enum Composition {
  static let all = [
    Benchmark("presented child in a stack entry in a scope / unnested", bar: 3) { effort in
      let store = try Scripts.store("presented")
      let deep = try Action(path: "page.path[0].detail.sheet.increment")
      let outcome = try compareWithCounter(effort) { count in
        Clock.thread.time { for _ in 0..<count { store.send(deep) } }
      }
      try expect(
        store.state[at: "page.path"].array?.first?[at: "detail.sheet.count"].int ?? 0 > 0, store)
      return outcome
    },
    Benchmark("a case switch that cancels nothing / without cases", bar: 1.2) { effort in
      let (cases, plain) = (try Scripts.store("cases"), try Scripts.store("switching"))
      let action = try Action(path: "switch")
      return try compare(effort) { count in
        Clock.thread.time { for _ in 0..<count { cases.send(action) } }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { plain.send(action) } }
      }
    },
    Benchmark("removing one of 100,000 elements / toggling one", bar: 3) { effort in
      let rows = try Scripts.rows(100_000)
      let store = try Scripts.store("removing", state: ["toggles": 0, "todos": rows])
      let toggle = try Action(path: "todos[70].toggle")
      let reset = try Action(path: "replace", payload: ["todos": rows])
      return try compare(effort) { count in
        var time = 0.0
        var left = count
        while left > 0 {
          let chunk = min(left, 1_000)
          let removals = try (0..<chunk).map { number in
            try Action(path: "removeAt", payload: .integer(Int64(50_000 - number * 7)))
          }
          time += Clock.thread.time { for removal in removals { store.send(removal) } }
          store.send(reset)
          left -= chunk
        }
        return time
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { store.send(toggle) } }
      }
    },
    recursion(50),
    recursion(10),
  ]

  /// Linear if the row of 50 has about the result of that of 10.
  private static func recursion(_ depth: Int) -> Benchmark {
    Benchmark("recursion, a leaf \(depth) levels deep, a level / unnested", bar: 0.8) { effort in
      var state: Value = ["id": 1, "count": 0, "folders": []]
      for _ in 0..<depth { state = ["id": 1, "count": 0, "folders": [state]] }
      let store = try Scripts.store("folder", state: state)
      let deep = try Action(
        path: String(repeating: "folders[1].", count: depth) + "increment")
      let counter = try Scripts.store("counter")
      let increment = try Action(path: "increment")
      let outcome = try compare(effort) { count in
        Clock.thread.time { for _ in 0..<count { store.send(deep) } }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count * depth { counter.send(increment) } }
      }
      var leaf = store.state
      for _ in 0..<depth { leaf = leaf["folders"].array?.first ?? .null }
      try expect(leaf["count"].int ?? 0 > 0, store)
      return outcome
    }
  }

  private static func compareWithCounter(
    _ effort: Effort, _ subject: (Int) throws -> Double
  ) throws -> Outcome {
    let counter = try Scripts.store("counter")
    let increment = try Action(path: "increment")
    return try compare(effort, subject) { count in
      Clock.thread.time { for _ in 0..<count { counter.send(increment) } }
    }
  }

  private static func expect(_ holds: Bool, _ store: Store) throws {
    guard holds else { throw Unexpected(description: "the leaf has not counted: \(store.state)") }
  }
}
