import Testing

@testable import ScriptedStore

/// What a clock or a stream of a test's keeps of the hosts that used it.
struct WorkerLinkTests {
  private static let app = """
    return scripted.feature {
      state = { n = 0 }, dependencies = { "clock", "source" },
      on = {
        go = function(state, _, deps)
          return effect.run(function(send, deps)
            for value in deps.source.updates() do send("got") end
          end)
        end,
        got = function(state) state.n = state.n + 1 end,
      },
    }
    """

  private struct Witness {
    weak var link: WorkerLink?
  }

  @Test func theLinksToHostsThatAreGoneAreDropped() throws {
    let (clock, stream) = (VirtualClock(), TestStream())
    var witnesses: [Witness] = []
    for n in 0..<10 {
      let scripts = try Scripts(
        ["app": Self.app],
        dependencies: Dependencies(["source": .client(["updates": .stream(stream)])]), clock: clock)
      let store = try scripts.store()
      witnesses.append(Witness(link: store.handle.link))
      store.send("go")
      try stream.send(.integer(Int64(n)))
      #expect(store.state["n"] == 1)
      clock.advance(by: .seconds(1))
    }
    // The last one stays until another comes.
    #expect(witnesses.dropLast().allSatisfy { $0.link == nil })
  }
}
