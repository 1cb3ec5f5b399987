import LuaBridge
import ScriptedStore
import Testing

/// What a store tells at once, and as streams.
struct StoreStreamTests {
  private static let app = """
    return scripted.feature {
      state = { n = 0 },
      on = {
        up = function(state) state.n = state.n + 1; return effect.send("echo") end,
        echo = function() end,
        fail = function() error("no") end,
      },
      view = function(state, env) return { kind = "text", text = "n is " .. state.n } end,
    }
    """

  @Test func anObserverMayHearOfThePresentValueAtOnce() throws {
    let store = try Scripts(app: Self.app).store()
    let values = Recorder<Value>()
    let observation = store.observe("n", initially: true) { values.record($0) }
    #expect(values.all == [0])
    store.send("up")
    #expect(values.all == [0, 1])
    let other =
      store.observe("nowhere", initially: true) { value, transaction in
        values.record(transaction ?? value)
      } as StoreObservation
    #expect(values.all == [0, 1, nil])
    observation.cancel()
    other.cancel()
  }

  @Test func aTaskThatHasOnlyTheStreamEndsWithTheStore() async throws {
    var store: Store? = try Scripts(app: Self.app).store()
    let values = try #require(store?.values(at: "n"))
    let task = Task { for await _ in values {} }
    store?.send("up")
    store = nil
    await task.value
  }

  @Test func actionsAreAStream() async throws {
    let store = try Scripts(app: Self.app).store()
    var actions = store.actions.makeAsyncIterator()
    for _ in 0..<100 { store.send("up") }
    store.send("fail")
    for number in 1...200 {
      let record = try #require(await actions.next())
      #expect(record.number == number)
      #expect(record.action.path == (number % 2 == 1 ? "up" : "echo"))
    }
    #expect(await actions.next()?.error != nil)
  }

  @Test func aStreamOfActionsMayDropOldOnes() async throws {
    let store = try Scripts(app: Self.app).store()
    var actions = store.actions(buffering: .bufferingNewest(3)).makeAsyncIterator()
    for _ in 0..<100 { store.send("up") }
    #expect(await actions.next()?.number == 198)
  }

  @Test func actionsEndWithTheStore() async throws {
    var store: Store? = try Scripts(app: Self.app).store()
    let actions = try #require(store?.actions)
    store?.send("up")
    store = nil
    var numbers: [Int] = []
    for await record in actions { numbers.append(record.number) }
    #expect(numbers == [1, 2])
  }

  @Test func aScreenMayBeHeardOfAtOnceAndEndsWithTheStore() async throws {
    var store: Store? = try Scripts(app: Self.app).store()
    let tree = try #require(store?.view())
    let heard = Recorder<String>()
    let observation = tree.observe(initially: true) { changes, tree in
      heard.record("\(changes.count) \(TextDrawing.draw(tree))")
    }
    store?.send("up")
    #expect(heard.all == ["0 n is 0", "1 n is 1"])
    var values = tree.values.makeAsyncIterator()
    #expect(await values.next().map { TextDrawing.draw($0) } == "n is 1")
    store?.send("up")
    #expect(await values.next().map { TextDrawing.draw($0) } == "n is 2")
    observation.cancel()
    store = nil
  }
}
