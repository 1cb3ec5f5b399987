import LuaBridge
import ScriptedStore
import Synchronization

/// What limits cost, and how late they hold.
enum Bounds {
  static let all = [
    Benchmark("limits: counter, with standard ones / with none", bar: 1.05) { effort in
      let (limited, free) = (
        try Scripts.store("bounded"), try Scripts.store("bounded", limits: .unlimited)
      )
      let increment = try Action(path: "increment")
      return try compare(effort) { count in
        Clock.thread.time { for _ in 0..<count { limited.send(increment) } }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { free.send(increment) } }
      }
    },
    Benchmark("limits: ten million additions, with standard ones / with none", bar: 1.1) { effort in
      let (limited, free) = (
        try Scripts.store("bounded"), try Scripts.store("bounded", limits: .unlimited)
      )
      let add = try Action(path: "add")
      return try compareOnce(effort) {
        Clock.thread.time { limited.send(add) }
      } floor: {
        Clock.thread.time { free.send(add) }
      }
    },
    Benchmark("limits: longest time over one of 50 ms, of 20", bar: 50) { effort in
      let stops = Atomic<Int>(0)
      let host = try ScriptHost(
        root: Scripts.folder,
        configuration: .init(
          limits: Limits(time: .milliseconds(50)), onWarning: nil,
          onError: { error, _ in
            if error.kind == .time { stops.add(1, ordering: .relaxed) }
          }))
      let store = try host.store("bounded")
      var longest = 0.0
      for _ in 0..<20 {
        let start = ContinuousClock.now
        try store.send("spin")
        longest = max(longest, (ContinuousClock.now - start) / .milliseconds(1) - 50)
      }
      guard stops.load(ordering: .relaxed) == 20 else {
        throw Unexpected(description: "not every loop was stopped")
      }
      return Outcome(result: longest, unit: .milliseconds, subject: longest * 1e6, floor: nil)
    },
  ]
}
