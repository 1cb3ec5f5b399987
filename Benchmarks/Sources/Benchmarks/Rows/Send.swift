import CFloor
import LuaBridge
import ScriptedStore

/// `send` of a counter's action, compared with a protected call of the same handler on plain tables.
enum Send {
  static let all = [
    Benchmark("send, counter, no observer", bar: 3.5) { effort in
      let store = try Scripts.store("counter")
      let increment = try Action(path: "increment")
      let floor = try floor(of: "increment")
      defer { floor_close(floor) }
      return try compare(effort) { count in
        Clock.thread.time { for _ in 0..<count { store.send(increment) } }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { _ = floor_send(floor) } }
      }
    },
    Benchmark("send, counter that reads its action", bar: nil) { effort in
      let store = try Scripts.store("counter")
      let add = try Action(path: "add", payload: ["by": 2])
      let floor = try floor(of: "add")
      defer { floor_close(floor) }
      return try compare(effort) { count in
        Clock.thread.time { for _ in 0..<count { store.send(add) } }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { _ = floor_send_by(floor, 2) } }
      }
    },
    Benchmark("send, counter, one observer", bar: nil) { effort in
      let store = try Scripts.store("counter")
      let observation = store.observe("count") { _ in }
      defer { observation.cancel() }
      let increment = try Action(path: "increment")
      let floor = try floor(of: "increment")
      defer { floor_close(floor) }
      return try compare(effort) { count in
        Clock.thread.time { for _ in 0..<count { store.send(increment) } }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { _ = floor_send(floor) } }
      }
    },
    Benchmark("send, counter, action as a path", bar: nil) { effort in
      let store = try Scripts.store("counter")
      let floor = try floor(of: "increment")
      defer { floor_close(floor) }
      return try compare(effort) { count in
        try Clock.thread.time { for _ in 0..<count { try store.send("increment") } }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { _ = floor_send(floor) } }
      }
    },
    Benchmark("five nested scopes, counter at the leaf / unnested", bar: 2.5) { effort in
      let nested = try Scripts.store("nested")
      let deep = try Action(path: "level1.level2.level3.level4.level5.increment")
      let plain = try Scripts.store("counter")
      let increment = try Action(path: "increment")
      let outcome = try compare(effort) { count in
        Clock.thread.time { for _ in 0..<count { nested.send(deep) } }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { plain.send(increment) } }
      }
      guard nested.state[at: "level1.level2.level3.level4.level5.count"].int ?? 0 > 0 else {
        throw Unexpected(description: "the leaf has not counted: \(nested.state)")
      }
      return outcome
    },
  ]

  private static func floor(of handler: String) throws -> OpaquePointer {
    guard let floor = floor_open(Scripts.folder + "/counter.lua", handler) else {
      throw Unexpected(description: "no floor of \(handler)")
    }
    _ = floor_send_by(floor, 1)
    guard floor_count(floor) == 1 else { throw Unexpected(description: "the floor does not count") }
    return floor
  }
}
