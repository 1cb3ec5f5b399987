import Dispatch
import RunnerShared
import ScriptedStore
import Synchronization
import Testing

/// What the runner waits for before it shows something.
struct WaitingTests {
  @Test func theWaitForObserversIsNotOverBeforeAHandlerThatTakesLong() async throws {
    let folder = try TemporaryFolder([
      "f.lua": """
      return require("scripted").feature {
        name = "F", state = { n = 0 }, on = { up = function(state) state.n = state.n + 1 end },
      }
      """
    ])
    let store = try ScriptHost(root: folder.path).store("f")
    let (calls, call) = AsyncStream<Void>.makeStream()
    let mayReturn = DispatchSemaphore(value: 0)
    let hasReturned = Atomic<Bool>(false)
    let observation = store.onAction { _ in
      call.yield()
      mayReturn.wait()
      hasReturned.store(true, ordering: .sequentiallyConsistent)
    }
    DispatchQueue.global().async { store.send("up") }
    for await _ in calls { break }
    // A wait that is over too early is over within this time.
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { mayReturn.signal() }
    await store.untilObserved()
    let isOver = hasReturned.load(ordering: .sequentiallyConsistent)
    #expect(isOver)
    observation.cancel()
  }
}
