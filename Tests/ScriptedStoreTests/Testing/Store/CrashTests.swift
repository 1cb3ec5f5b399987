import ScriptedStore
import Testing

/// The loss of the process in a test: transient fields, effects in flight, `recovered`.
@Suite struct CrashTests {
  /// A room with rows, a presented child and one that presents itself in a transient field. Each effect sends an action when it is cancelled.
  private static let app = """
    local function wait(id)
      return effect.run(function(send, deps)
        local hasEnded = false
        local closing <close> = setmetatable({}, {
          __close = function() if not hasEnded then send("closed") end end,
        })
        deps.clock.sleep(60)
        hasEnded = true
        send("ended")
      end):cancellable(id)
    end
    local Row = scripted.feature {
      name = "Row", state = { id = 0, hover = false, text = "" }, transient = { "hover" }, dependencies = { "clock" },
      on = {
        enter = function(state) state.hover = true; state.text = "x" end,
        wait = function(_, action) return wait(action.as or "row") end,
        ring = function() return effect.alarm("a", 5, "rang") end,
        rang = function(state) state.text = "rang" end,
        closed = function() error("taken") end,
        ended = function(state) state.text = "ended" end,
        recovered = function(state, action)
          local ids = {}
          for i, one in ipairs(action.effects) do ids[i] = one.id end
          state.recovered = ids
          return wait("again")
        end,
      },
    }
    local Quiet = scripted.feature {
      name = "Quiet", dependencies = { "clock" },
      on = { wait = function() return wait("quiet") end, closed = function() error("taken") end, ended = print },
    }
    return scripted.feature {
      name = "App", dependencies = { "clock" }, transient = { "typing", "popup" },
      state = {
        typing = { "nobody" }, popup = scripted.null, count = 0, quiet = { id = 1 },
        rows = { { id = 1, hover = false, text = "" }, { id = 2, hover = false, text = "" } },
      },
      on = {
        count = function(state) state.count = state.count + 1; table.insert(state.typing, "Ada") end,
        open = function(state) state.popup = { id = 7, hover = false, text = "" } end,
        ring = function() return effect.alarm("a", 5, "rang") end,
        rang = function(state) state.count = 100 end,
        wait = function() return wait("root") end,
        recovered = function(state, action) state.count = 50; return effect.send("told") end,
        told = function() end,
        closed = function() error("taken") end,
        leave = function() return effect.dismiss() end,
      },
    }:forEach("rows", Row):ifLet("quiet", Quiet):ifLet("popup", Row)
    """

  private static let make = """
    local clock = test.clock()
    local store = make { dependencies = { clock = clock } }

    """

  /// What passes.
  @Test(arguments: [
    "store:crash()",
    // Fields at all places get their defaults, and others stay.
    """
    store:send("count", function(state) state.count = 1; state.typing = { "nobody", "Ada" } end)
    store:send("rows[2].enter", function(state) state.rows[2].hover = true; state.rows[2].text = "x" end)
    store:crash(function(state) state.typing = { "nobody" }; state.rows[2].hover = false end)
    assert.equal("x", store.state.rows[2].text)
    store:send("count", function(state) state.count = 2; state.typing = { "nobody", "Ada" } end)
    """,
    // Effects are gone, and what their ends send is dropped. Each place hears of its own.
    """
    store:send("rows[2].wait")
    store:send("wait")
    store:send("rows[2].wait", { as = "other" })
    store:crash()
    store:receive("rows[2].recovered", function(state) state.rows[2].recovered = { "row", "other" } end)
    store:receive(function(action)
      assert.equal("recovered", action.type)
      assert.equal("root", action.effects[1].id)
      assert.matches("^app.lua:", action.effects[1].origin)
      return #action.effects == 1
    end, function(state) state.count = 50 end)
    store:receive("told")
    clock:advance(60)
    store:receive("rows[2].ended", function(state) state.rows[2].text = "ended" end)
    """,
    // Where nothing handles it, nothing is sent.
    """
    store:send("quiet.wait")
    store:crash()
    store:finish()
    clock:advance(100)
    """,
    // Alarms stay.
    """
    store:send("ring")
    store:send("rows[1].ring")
    clock:advance(2)
    store:crash()
    assert.equal(2, #store.alarms)
    clock:advance(3)
    store:receive("rang", function(state) state.count = 100 end)
    store:receive("rows[1].rang", function(state) state.rows[1].text = "rang" end)
    """,
    // A child in a transient field is gone, with its effects and alarms.
    """
    store:send("open", function(state) state.popup = { id = 7, hover = false, text = "" } end)
    store:send("popup.wait")
    store:send("popup.ring")
    store:crash(function(state) state.popup = nil end)
    assert.same({}, store.alarms)
    clock:advance(100)
    """,
    // Twice.
    """
    store:send("rows[1].wait")
    store:crash()
    store:receive("rows[1].recovered", function(state) state.rows[1].recovered = { "row" } end)
    store:crash()
    store:receive("rows[1].recovered", function(state) state.rows[1].recovered = { "again" } end)
    store:crash()
    store:receive("rows[1].recovered")
    store:skipInFlightEffects()
    """,
    // An action of that name is one as any other.
    """
    store:send("recovered", { effects = {} }, function(state) state.count = 50 end)
    store:receive("told")
    """,
    // Not exhaustive.
    """
    store.exhaustivity = "off"
    store:send("count")
    store:send("wait")
    store:crash(function(state) state.typing = { "nobody" } end)
    store:receive("told")
    assert.equal(50, store.state.count)
    """,
  ])
  func whatPasses(_ body: String) async throws {
    let result = try await Spec(Self.make + body, app: Self.app).result
    #expect(result == "passed")
  }

  @Test(arguments: [
    (
      "store:send('count', function(state) state.count = 1; state.typing = { 'nobody', 'Ada' } end) store:crash()",
      "the state was not expected to change, but it did"
    ),
    (
      "store:crash(function(state) state.count = 9 end)",
      "the state is not what was expected"
    ),
    (
      "store:crash(function(state) end)",
      "the state was expected to change, but it did not"
    ),
    (
      "store:send('recovered', function(state) state.count = 50 end) store:crash()",
      "the store was not crashed. 1 action was received and not asserted:\n  - told"
    ),
    (
      "store:send('leave') store:crash()",
      "the store was not crashed: App asked to be dismissed"
    ),
    (
      "store:send('wait') store:crash()", "2 actions were received and not asserted:\n  - recovered"
    ),
    ("store:crash('x')", "what is expected is a function"),
  ])
  func whatFails(_ body: String, _ message: String) async throws {
    let result = try await Spec(Self.make + body, app: Self.app).result
    #expect(result.contains(message), "\(result)")
  }

  @Test(arguments: [
    (
      "transient = { 'typng' }",
      "`transient` names 'typng', which is no field of `state`; did you mean 'typing'?"
    ),
    (
      "transient = { 'zork' }",
      "`transient` names 'zork', which is no field of `state`; give it its default there"
    ),
    (
      "transient = { typing = true }",
      "`transient` is a list of names of fields: transient = { \"typing\" }"
    ),
    ("transient = { 3 }", "a name in `transient` must be a string"),
    (
      "transient = 'typing'",
      "the field 'transient' of scripted.feature must be a table, not a string"
    ),
    (
      "transient = { 'names' }, shared = { names = scripted.shared.inMemory('names', 0) }",
      "the field 'names' is in `shared` and in `transient`; leave it out of `transient`"
    ),
  ])
  func aWrongListOfTransientFieldsIsAnErrorAtItsLine(
    _ field: String, _ message: String
  ) throws {
    let scripts = try Scripts(
      app: "return scripted.feature {\nname = 'App', state = { typing = 1 }, \(field) }")
    let error = #expect(throws: ScriptError.self) { try scripts.store() }
    #expect(error?.message.contains(message) == true, "\(error?.description ?? "")")
    #expect(error?.script == "app.lua" && error?.line == 1)
  }

  /// A dependency that writes, by a handler and by an effect, and what the test puts in its place.
  private static let writing = """
    scripted.dependency {
      name = "audit", writes = true,
      live = { add = function() end }, test = { add = function() end },
    }
    return scripted.feature {
      name = "App", state = { count = 0 }, dependencies = { "audit" },
      on = {
        handle = function(state, _, deps)
          state.count = state.count + 1
          deps.audit.add("a line")
        end,
        start = function() return effect.run(function(send, deps) deps.audit.add("a line") end) end,
      },
    }
    """

  @Test(arguments: [
    "{ durable = true }", "{ durable = true, dependencies = { audit = { add = print } } }",
  ])
  func aHandlerOfADurableStoreCannotWrite(options: String) async throws {
    let refused = """
      local store = make \(options)
      assert.error_matches(function() store:send("handle") end, "deps.audit.add writes outside of the store")
      assert.equal(0, store.state.count)
      store:send("start")
      """
    #expect(try await Spec(refused, app: Self.writing).result == "passed")
    for options in ["{}", "{ durable = false }"] {
      let called = """
        local store = make \(options)
        store:send("handle", function(state) state.count = 1 end)
        """
      #expect(try await Spec(called, app: Self.writing).result == "passed")
    }
    let wrong = try await Spec("make { durable = 1 }", app: Self.writing).result
    #expect(wrong.contains("'durable'"), "\(wrong)")
  }
}
