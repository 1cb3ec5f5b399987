import LuaBridge
import ScriptedStore
import Testing

/// A thread that sends an action does not do what comes up meanwhile for ever.
@Suite(.timeLimit(.minutes(30))) struct HandOverTests {
  private static let counter = """
    return scripted.feature {
      name = "App", state = { count = 0 },
      on = { up = function(state) state.count = state.count + 1 end },
    }
    """

  @Test func anObserverThatSendsIsHeardToTheEndOnItsThread() async throws {
    let store = try Scripts(app: Self.counter).store()
    let up = try Action(path: "up")
    let heard = await onOwnThread {
      let heard = Recorder<Int>()
      let observation = store.observe("count") { value in
        guard isOnOwnThread, let count = value.int else { return }
        heard.record(count)
        if count < 500 { store.send(up) }
      }
      store.send(up)
      let all = heard.all
      observation.cancel()
      return all
    }
    #expect(heard == Array(1...500))
  }

  /// 5,000 actions are queued while a thread is inside. It runs some of them, and another thread the others.
  @Test func aThreadThatSendsComesBackWhileOthersQueue() async throws {
    let gate = Gate()
    let ran = Recorder<Bool>()
    let heard = Recorder<Int>()
    let store = try Scripts([:]).host.store(
      .reduce { state, action in
        if action.path == "block" { gate.wait() }
        ran.record(isOnOwnThread)
        state["count"] = .integer(Int64((state["count"].int ?? 0) + 1))
        return .none
      }, state: [:])
    let observation = store.observe("count") { heard.record($0.int ?? -1) }
    let sender = Task { await onOwnThread { _ = store.send("block") } }
    await gate.arrival()
    let up = try Action(path: "up")
    let tasks = (0..<5_000).map { _ in store.send(up) }
    gate.open()
    await sender.value
    for task in tasks { await task.finish() }
    await store.finish()
    #expect(ran.count == 5_001 && heard.all.last == 5_001)
    #expect(ran.all.filter { $0 }.count <= 2_001)
    #expect(heard.all == Array(1...5_001))
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
