import LuaBridge
import ScriptedStore

/// A parent's patterns on its children: what a dispatch costs does not depend on how many there are.
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
    }
  ]
}
