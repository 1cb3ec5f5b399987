import ScriptedStore
import Testing

/// A test store that wants only said what the test wants to say.
@Suite struct NonExhaustiveTests {
  @Test(arguments: [
    // Nothing has to be said.
    """
    local store = make { exhaustivity = "off", dependencies = { clock = test.clock() } }
    store:send("up")
    store:send("sendsTwo")
    store:send("ticks")
    """,
    // The function gets the state after.
    """
    local store = make { exhaustivity = "off" }
    store:send("up", function(state) assert.are.equal(1, state.count) state.count = 1 end)
    """,
    // A receive passes over others.
    """
    local store = make { exhaustivity = "off" }
    store:send("sendsTwo")
    store:receive("rename", function(state) state.name = "b" end)
    """,
    // What was received is passed over by a send.
    """
    local store = make { exhaustivity = "off" }
    store:send("sendsTwo")
    store:send("up", function(state) state.count = 2 end)
    """,
    // The store's state is the one before the action all the same.
    """
    local store = make { exhaustivity = "off" }
    store:send("sendsTwo", function(state) state.count = 0 end)
    store:receive("rename", function(state)
      assert.are.equal("b", state.name)
      assert.are.equal(1, store.state.count)
      assert.is_nil(store.state.name)
      state.name = "b"
    end)
    assert.are.equal("b", store.state.name)
    """,
    // What was received need not be asserted when all is to have ended.
    """
    local store = make { exhaustivity = "off" }
    store:send("sendsTwo")
    store:finish()
    """,
    // For a while.
    """
    local store = make()
    store:withExhaustivity("off", function()
      store:send("up")
    end)
    assert.are.equal("on", store.exhaustivity)
    store:send("up", function(state) state.count = 2 end)
    """,
  ])
  func passesWhatSaysLess(_ body: String) async throws {
    #expect(try await Spec(body).result == "passed")
  }

  @Test func whatIsSaidHasToBeRight() async throws {
    let result = try await Spec(
      """
      make { exhaustivity = "off" }:send("up", function(state) state.count = 2 end)
      """
    ).result
    #expect(result.hasPrefix("app_test.lua:3: the state is not what was expected"))
    #expect(result.contains("-   count = 2,\n+   count = 1,"))
  }

  @Test func anExpectedActionThatNeverCameFailsWithThoseThatDid() async throws {
    let result = try await Spec(
      """
      local store = make { exhaustivity = "off" }
      store:send("sendsTwo")
      store:receive("ticks")
      """
    ).result
    #expect(
      result.contains(
        """
        expected to receive an action "ticks", but none of the received actions is one:
          - up (from an effect of App)
          - rename { name = "b" } (from an effect of App)
        """))
  }

  @Test func whatIsLeftOutIsPrintedWhereThatIsWantedAndFailsNothing() async throws {
    let spec = try await Spec(
      """
      local store = make { exhaustivity = { showSkipped = true } }
      store:send("sendsTwo")
      store:receive("rename", function(state) state.name = "b" end)
      store:send("up")
      """)
    #expect(spec.result == "passed")
    #expect(
      spec.output == """
        app_test.lua:5: not asserted:
          - up (from an effect of App)
        app_test.lua:6: not asserted:
          {
        -   count = 1,
        +   count = 2,
            -- 2 unchanged
          }
        """)
  }
}
