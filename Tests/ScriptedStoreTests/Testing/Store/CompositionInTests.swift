import ScriptedStore
import Testing

/// Test stores of features whose children come and go.
@Suite struct CompositionInTests {
  private static let app = """
    local Child = scripted.feature {
      name = "Child", state = { ticks = 0 }, dependencies = { "clock" }, actions = { "delegate" },
      on = {
        tick = function(state) state.ticks = state.ticks + 1 end,
        start = function()
          return effect.run(function(send, deps) for _ in deps.clock.timer(1) do send("tick") end end)
        end,
        close = function() return effect.dismiss() end,
        closeLater = function()
          return effect.run(function(send, deps)
            deps.clock.sleep(1)
            deps.dismiss()
            send("tick")
          end)
        end,
        save = function()
          return effect.run(function(send, deps) send("delegate") deps.dismiss() end)
        end,
        ask = function(state, _, deps) state.isPresented = deps.isPresented end,
        later = function() return effect.run(function(send) send("tick") end) end,
      },
    }
    local Destination = scripted.cases { edit = Child, alert = scripted.ephemeral }
    local Path = scripted.cases { edit = Child, list = scripted.ignored }

    return scripted.feature {
      name = "App",
      state = { path = {} },
      actions = { "leave" },
      on = {
        open = function(state) state.child = { ticks = 0 } end,
        close = function(state) state.child = nil end,
        edit = function(state) state.destination = { edit = { ticks = 0 } } end,
        alert = function(state) state.destination = { alert = { title = "Sure?" } } end,
        add = function(state) table.insert(state.path, { edit = { ticks = 0 } }) end,
        clear = function(state) state.path = {} end,
        leave = function() return effect.dismiss() end,
        ["child.later"] = function(state) state.child = nil end,
        runs = function(state, _, deps)
          return Child.run(state.child, "later", deps):map(function(action) return { type = "child", action = action } end)
        end,
        runsInVain = function(state, _, deps)
          Child.run(state.child, "later", deps)
          pcall(Child.run, state.child, "later", deps)
        end,
      },
    }:ifLet("child", Child):ifLet("destination", Destination):stack("path", Path)
    """

  /// What passes.
  @Test(arguments: [
    // Presenting and dismissing.
    """
    local store = make()
    store:send("open", function(state) state.child = { ticks = 0 } end)
    store:send("child.tick", function(state) state.child.ticks = 1 end)
    store:send("child.dismiss", function(state) state.child = nil end)
    """,
    """
    local store = make { state = { child = { ticks = 0 } } }
    store:send("child.close")
    store:receive("child.dismiss", function(state) state.child = nil end)
    assert.is_false(store.isDismissed)
    """,
    """
    local store = make { state = { child = { ticks = 0 } } }
    store:send("child.save")
    store:receive("child.delegate")
    store:receive("child.dismiss", function(state) state.child = nil end)
    """,
    // What the effect does after its dismissal is never received.
    """
    local clock = test.clock()
    local store = make { state = { child = { ticks = 0 } }, dependencies = { clock = clock } }
    store:send("child.closeLater")
    clock:advance(1)
    store:receive("child.dismiss", function(state) state.child = nil end)
    clock:advance(10)
    """,
    // Effects end with their child.
    """
    local clock = test.clock()
    local store = make { state = { child = { ticks = 0 } }, dependencies = { clock = clock } }
    local task = store:send("child.start")
    clock:advance(1)
    store:receive("child.tick", function(state) state.child.ticks = 1 end)
    store:send("close", function(state) state.child = nil end)
    task:finish()
    clock:advance(10)
    store:send("open", function(state) state.child = { ticks = 0 } end)
    clock:advance(10)
    """,
    // An effect of a child that goes in the same action never starts, nor does one that nobody returns.
    """
    local store = make { state = { child = { ticks = 0 } } }
    store:send("runsInVain")
    store:send("runs")
    store:receive("child.tick", function(state) state.child.ticks = 1 end)
    store:send("child.later", function(state) state.child = nil end)
    """,
    // Cases.
    """
    local clock = test.clock()
    local store = make { dependencies = { clock = clock } }
    store:send("edit", function(state) state.destination = { edit = { ticks = 0 } } end)
    store:send("destination.edit.start")
    clock:advance(1)
    store:receive("destination.edit.tick", function(state) state.destination.edit.ticks = 1 end)
    store:send("alert", function(state) state.destination = { alert = { title = "Sure?" } } end)
    store:send("destination.alert.yes", function(state) state.destination = nil end)
    """,
    """
    local store = make { state = { destination = { edit = { ticks = 0 } } } }
    store:send("destination.edit.close")
    store:receive("destination.dismiss", function(state) state.destination = nil end)
    """,
    // Stacks, whose ids begin with 0 in each store.
    """
    for _ = 1, 2 do
      local store = make()
      store:send("path.push", { state = { edit = { ticks = 0 } } }, function(state)
        state.path[1] = { id = 0, edit = { ticks = 0 } }
      end)
      store:send("add", function(state) state.path[2] = { id = 1, edit = { ticks = 0 } } end)
      store:send("path[1].edit.tick", function(state) state.path[2].edit.ticks = 1 end)
      store:send("path.popFrom", { id = 0 }, function(state) state.path = {} end)
      store:send("add", function(state) state.path = { { id = 2, edit = { ticks = 0 } } } end)
    end
    """,
    """
    local clock = test.clock()
    local store = make {
      state = { path = { { edit = { ticks = 0 } }, { list = {} }, { edit = { ticks = 0 } } } },
      dependencies = { clock = clock },
    }
    assert.are.same({ 0, 1, 2 }, { store.state.path[1].id, store.state.path[2].id, store.state.path[3].id })
    store:send("path[0].edit.start")
    store:send("path[2].edit.start")
    clock:advance(1)
    store:receive("path[0].edit.tick", function(state) state.path[1].edit.ticks = 1 end)
    store:receive("path[2].edit.tick", function(state) state.path[3].edit.ticks = 1 end)
    store:send("path[2].edit.close")
    store:receive("path.popFrom", { id = 2 }, function(state) state.path[3] = nil end)
    clock:advance(1)
    store:receive("path[0].edit.tick", function(state) state.path[1].edit.ticks = 2 end)
    store:send("clear", function(state) state.path = {} end)
    """,
    // Who is presented.
    """
    local store = make { state = { child = { ticks = 0 }, path = { { edit = { ticks = 0 } } } } }
    store:send("child.ask", function(state) state.child.isPresented = true end)
    store:send("path[0].edit.ask", function(state) state.path[1].edit.isPresented = true end)
    """,
    """
    local store = make()
    store:send("leave")
    assert.is_true(store.isDismissed)
    """,
    """
    local store = make { state = { child = { ticks = 0 } } }
    store:send("child.close")
    store:receive("child.dismiss", function(state) state.child = nil end)
    store:send("open", function(state) state.child = { ticks = 0 } end)
    """,
  ])
  func passesWhatSaysEverything(_ body: String) async throws {
    #expect(try await Spec(body, app: Self.app).result == "passed")
  }

  @Test func aDismissalThatIsNotReceivedFailsTheEndOfTheTest() async throws {
    let result = try await Spec(
      """
      local store = make { state = { child = { ticks = 0 } } }
      store:send("child.close")
      """, app: Self.app
    ).result
    #expect(
      result.contains(
        """
        1 action was received and not asserted:
          - child.dismiss (from an effect of Child)
        """))
  }

  @Test func aDismissalWhoseChildIsNotSaidToGoFails() async throws {
    let result = try await Spec(
      """
      local store = make { state = { child = { ticks = 0 } } }
      store:send("child.close")
      store:receive("child.dismiss")
      """, app: Self.app
    ).result
    #expect(
      result == """
        app_test.lua:5: the state was not expected to change, but it did (- expected, + actual):

          {
        -   child = { ticks = 0 },
            -- 1 unchanged
          }
        """)
  }

  @Test func theEffectOfAChildThatIsStillThereIsInFlightAtTheEnd() async throws {
    let result = try await Spec(
      """
      local store = make { state = { path = { { edit = { ticks = 0 } } } }, dependencies = { clock = test.clock() } }
      store:send("path[0].edit.start")
      """, app: Self.app
    ).result
    #expect(result.contains("1 effect is still in flight at the end of the test:"))
    #expect(result.contains("path[0].edit"))
  }

  @Test func anActionForAChildThatIsNotThereFailsItsStatement() async throws {
    let spec = try await Spec(
      """
      local store = make()
      for _, action in ipairs { "child.tick", "child.dismiss", "destination.edit.tick", "path[7].edit.tick" } do
        print((pcall(store.send, store, action)))
      end
      test.expectWarning("path", function() store:send("path.popFrom", { id = 7 }) end)
      """, app: Self.app)
    #expect(spec.result == "passed")
    #expect(spec.output == "false\nfalse\nfalse\nfalse")
  }
}
