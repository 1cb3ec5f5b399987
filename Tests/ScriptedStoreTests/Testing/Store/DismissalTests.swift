import ScriptedStore
import Testing

/// A test store stands for what presents its feature.
@Suite struct DismissalTests {
  private static let app = """
    local Row = scripted.feature {
      name = "Row", state = {}, dependencies = { "clock" },
      on = {
        ask = function(state, _, deps) state.isPresented = deps.isPresented end,
        close = function() return effect.dismiss() end,
        tick = function() return effect.run(function(_, deps) deps.clock.sleep(60) end) end,
      },
    }
    return scripted.feature {
      name = "Sheet", state = { row = {} }, dependencies = { "clock" },
      on = {
        ask = function(state, _, deps) state.isPresented = deps.isPresented end,
        wait = function() return effect.run(function(send, deps) deps.clock.sleep(60) send("waited") end) end,
        waited = function() end,
        count = function(state) state.count = (state.count or 0) + 1 end,
        countAndWait = function(state)
          state.count = (state.count or 0) + 1
          return effect.run(function(send) send("count") end)
        end,
        close = function() return effect.dismiss() end,
        closeFirst = function()
          return effect.merge(effect.dismiss(), effect.run(function(send) send("count") end))
        end,
        closeAmongOthers = function()
          return effect.concatenate(
            effect.run(function(_, deps) deps.clock.sleep(1) end), effect.dismiss(),
            effect.run(function(send) send("count") end))
        end,
        save = function() return effect.merge(effect.send("countAndWait"), effect.dismiss()) end,
        closeLater = function()
          return effect.run(function(send, deps)
            deps.clock.sleep(1)
            deps.dismiss()
            send("count")
            deps.clock.sleep(60)
          end)
        end,
      },
    }:scope("row", Row)
    """

  @Test(arguments: [
    // What is in flight is cancelled.
    """
    local store = make { dependencies = { clock = test.clock() } }
    local task = store:send("wait")
    store:send("row.tick")
    assert.is_false(store.isDismissed)
    store:send("close")
    assert.is_true(store.isDismissed)
    task:finish()
    store:finish()
    """,
    // What is started after the dismissal never has a turn.
    """
    make():send("closeFirst")
    """,
    """
    local clock = test.clock()
    local store = make { dependencies = { clock = clock } }
    store:send("closeAmongOthers")
    clock:advance(1)
    assert.is_true(store.isDismissed)
    """,
    // What was sent before it is received, and what that starts has no turn.
    """
    local store = make()
    store:send("save")
    store:receive("countAndWait", function(state) state.count = 1 end)
    """,
    // The effect that asks for it is cancelled, too.
    """
    local clock = test.clock()
    local store = make { dependencies = { clock = clock } }
    store:send("closeLater")
    clock:advance(1)
    assert.is_true(store.isDismissed)
    clock:advance(60)
    """,
    // A child that nothing in the feature presents stands for the feature.
    """
    local store = make { dependencies = { clock = test.clock() } }
    store:send("wait")
    store:send("row.close")
    assert.is_true(store.isDismissed)
    """,
    // Who is presented.
    """
    local store = make()
    store:send("ask", function(state) state.isPresented = true end)
    store:send("row.ask", function(state) state.row.isPresented = true end)
    store.dependencies.isPresented = false
    store:send("ask", function(state) state.isPresented = false end)
    """,
    """
    local store = make { dependencies = { isPresented = false } }
    store:send("ask", function(state) state.isPresented = false end)
    """,
  ])
  func aDismissalAtTheRootEndsWhatIsInFlight(_ body: String) async throws {
    #expect(try await Spec(body, app: Self.app).result == "passed")
  }

  @Test(arguments: [
    ("store:send('close')", "Sheet asked to be dismissed at app_test.lua:5"),
    ("store:send('row.close')", "Row asked to be dismissed at app_test.lua:5"),
    ("store:send('closeLater') clock:advance(1)", "Sheet asked to be dismissed at app.lua:33"),
  ])
  func sendingToWhatWasDismissedFailsOnAndOffExhaustivity(
    _ dismissal: String, _ who: String
  ) async throws {
    for exhaustivity in ["on", "off"] {
      let result = try await Spec(
        """
        local clock = test.clock()
        local store = make { exhaustivity = "\(exhaustivity)", dependencies = { clock = clock } }
        \(dismissal)
        store:send("count", function(state) state.count = 1 end)
        """, app: Self.app
      ).result
      #expect(
        result == """
          app_test.lua:6: the action count was not sent: \(who), and what presents it would have removed it by now. \
          Test what comes after a dismissal with another store.
          """)
    }
  }

  @Test func anActionThatIsReceivedBeforeADismissalHasToBeAsserted() async throws {
    let result = try await Spec("make():send('save')", app: Self.app).result
    #expect(result.contains("1 action was received and not asserted:\n  - countAndWait"))
  }
}
