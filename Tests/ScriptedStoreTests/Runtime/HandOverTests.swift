import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// A thread that sends an action does not do what comes up meanwhile for ever.
@Suite(.timeLimit(.minutes(30))) struct HandOverTests {
  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
    func set() { value.store(true, ordering: .sequentiallyConsistent) }
  }

  @Test func aThreadThatSendsComesBackWhileHandlersSendOn() async throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          name = "App", state = { count = 0 },
          on = { up = function(state) state.count = state.count + 1 end },
        }
        """)
    let store = try scripts.store()
    let (isOver, heard) = (Flag(), Recorder<Int>())
    let up = try Action(path: "up")
    let observation = store.observe("count") { value in
      heard.record(value.int ?? -1)
      if !isOver.isSet { store.send(up) }
    }
    store.send(up)
    isOver.set()
    // What is left by then is heard on another thread, in the same order.
    while heard.all.last != store.state["count"].int { await Task.yield() }
    #expect(heard.count >= 100)
    #expect(zip(heard.all, heard.all.dropFirst()).allSatisfy { $0 < $1 })
    observation.cancel()
  }

  @Test func aThreadThatSendsComesBackWhileAnEffectOnlyYields() async throws {
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          name = "App", state = { count = 0 },
          on = {
            yields = function()
              return effect.run(function() while true do effect.yield() end end)
            end,
          },
        }
        """
      ], clock: VirtualClock())
    let store = try scripts.store()
    let task = store.send("yields")
    #expect(store.effects.count == 1)
    task.cancel()
    await store.finish()
    #expect(store.effects.isEmpty)
  }
}
