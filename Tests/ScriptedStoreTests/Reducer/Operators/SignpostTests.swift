import LuaBridge
import ScriptedStore
import Testing

/// `signpost`: reducers and effects measured by the host's instrument.
struct SignpostTests {
  private struct Notes: SignpostInstrument {
    let notes = Recorder<String>()

    func begin(
      _ operation: InstrumentedOperation
    ) -> @Sendable (InstrumentedOperation.Outcome) -> Void {
      notes.record("\(operation.kind) \(operation.name)")
      return { [notes] outcome in
        switch outcome {
        case .finished: notes.record("end \(operation.name)")
        case .cancelled: notes.record("cancelled \(operation.name)")
        case .failed: notes.record("failed \(operation.name)")
        }
      }
    }
  }

  private let instrument = Notes()

  private func scripts(_ operators: String, clock: VirtualClock) throws -> Scripts {
    let instrument = instrument
    return try Scripts(
      [
        "app": """
        return scripted.feature {
          name = "App", state = {}, dependencies = { "clock" },
          on = {
            quick = function(state) state.n = 1 end,
            fail = function() error("no") end,
            load = function()
              return effect.merge(
                effect.send("quick"),
                effect.run(function(send, deps) deps.clock.sleep(1) end):cancellable("load"))
            end,
            loadAlone = function()
              return effect.run(function(send, deps) deps.clock.sleep(1) end)
            end,
            stop = function() return effect.cancel("load") end,
          },
        }\(operators)
        """
      ], clock: clock
    ) { $0.instrument = instrument }
  }

  @Test func reducersAndEffectsAreMeasured() throws {
    let clock = VirtualClock()
    let store = try scripts(":signpost('shop')", clock: clock).store()
    store.send("load")
    #expect(
      instrument.notes.all == [
        "reducer shop App: load", "end shop App: load",
        "reducer shop App: quick", "end shop App: quick",
        "effect shop App: load",
      ]
        || instrument.notes.all == [
          "reducer shop App: load", "end shop App: load", "effect shop App: load",
          "reducer shop App: quick", "end shop App: quick",
        ])
    instrument.notes.clear()
    clock.advance(by: .seconds(1))
    #expect(instrument.notes.all == ["end shop App: load"])
    #expect(store.effects.isEmpty)
  }

  @Test func whatIsCancelledOrRaisesSaysSo() throws {
    let store = try scripts(":signpost()", clock: VirtualClock()).store()
    store.send("load")
    instrument.notes.clear()
    store.send("stop")
    store.send("fail")
    #expect(instrument.notes.all.contains("cancelled App: load"))
    #expect(instrument.notes.all.contains("failed App: fail"))
    #expect(store.effects.isEmpty)
  }

  @Test(.timeLimit(.minutes(30)))
  func aTaskOfAMeasuredEffectIsAwaitedAndCancelledLikeAnyOther() async throws {
    let clock = VirtualClock()
    let store = try scripts(":signpost()", clock: clock).store()
    let task = store.send("loadAlone")
    let hasFinished = Recorder<Bool>()
    let waiter = Task {
      await task.finish()
      hasFinished.record(true)
    }
    #expect(store.effects.count == 1)
    #expect(hasFinished.all.isEmpty)
    clock.advance(by: .seconds(1))
    await waiter.value
    #expect(store.effects.isEmpty)

    let second = store.send("loadAlone")
    second.cancel()
    await second.finish()
    #expect(store.effects.isEmpty)
    #expect(instrument.notes.all.last == "cancelled App: loadAlone")
  }

  @Test func whatIsNotUnderASignpostIsNotMeasured() throws {
    let store = try scripts("", clock: VirtualClock()).store()
    store.send("load")
    #expect(instrument.notes.all.isEmpty)
  }

  @Test func itWorksInSwift() throws {
    let scripts = try scripts("", clock: VirtualClock())
    let store = try scripts.host.store(Reducer.script("app").signpost("outer"), state: [:])
    store.send("quick")
    #expect(instrument.notes.all == ["reducer outer App: quick", "end outer App: quick"])
  }

  @Test func effectsThatAnOnChangeOfASharedValueReturnsAreMeasured() throws {
    let clock = VirtualClock()
    let instrument = instrument
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          name = "App", state = {}, shared = { n = scripted.shared.inMemory("n", 0) }, dependencies = { "clock" },
        }:onChange("n", function() return effect.run(function(_, deps) deps.clock.sleep(1) end) end):signpost()
        """
      ], clock: clock
    ) { $0.instrument = instrument }
    let store = try scripts.store()
    try scripts.host.shared("n").update { $0 = 1 }
    #expect(instrument.notes.all == ["effect App: shared"])
    clock.advance(by: .seconds(1))
    #expect(instrument.notes.all == ["effect App: shared", "end App: shared"])
    #expect(store.effects.isEmpty)
  }
}
