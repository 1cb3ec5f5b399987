import LuaBridge
import ScriptedStore

/// What a dispatch costs depends neither on how many patterns a parent has on its children nor on how many keys an
/// action's payload has.
enum Patterns {
  static let all = [
    Benchmark("an element's action under 200 patterns / under 2", bar: 1.1) { effort in
      let (many, few) = (try Scripts.store("patterns"), try Scripts.store("patterns_few"))
      let action = try Action(path: "rows[150].step.toggled")
      let outcome = try compare(effort) { count in
        Clock.thread.time { for _ in 0..<count { many.send(action) } }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { few.send(action) } }
      }
      guard many.state["count"].int ?? 0 > 0 && few.state["count"].int ?? 0 > 0 else {
        throw Unexpected(description: "the pattern has not matched")
      }
      return outcome
    },
    Benchmark("an action with 1,000 keys under patterns on keys / with one", bar: 1.6) { effort in
      let store = try Scripts.store("payload_patterns")
      var payload = Value.Object()
      for number in 1...1000 { payload["key\(number)"] = .integer(Int64(number)) }
      let large = try Action(path: "load", payload: .object(payload))
      let small = try Action(path: "load", payload: ["key1": 1])
      return try compare(effort) { count in
        Clock.thread.time { for _ in 0..<count { store.send(large) } }
      } floor: { count in
        Clock.thread.time { for _ in 0..<count { store.send(small) } }
      }
    },
  ]
}
