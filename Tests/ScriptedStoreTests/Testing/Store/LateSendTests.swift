import ScriptedStore
import Testing

/// The `send` of an effect that was kept beyond it, in a test.
@Suite struct LateSendTests {
  /// `late` is a function of the test file.
  private static let app = """
    return scripted.feature {
      name = "Keeper", state = { count = 0 }, dependencies = { "clock", "keep", "late" },
      on = {
        keep = function() return effect.run(function(send, deps) deps.keep(send) end) end,
        up = function(state) state.count = state.count + 1 end,
        late = function(_, _, deps) deps.late("up") end,
        lateEffect = function() return effect.run(function(_, deps) deps.late("up") end) end,
        later = function()
          return effect.run(function(_, deps)
            deps.clock.sleep(1)
            deps.late("up")
          end)
        end,
      },
    }
    """

  private static let before = """
    local kept, clock; \
    local function keep(send) kept = send end; \
    local function late(...) kept(...) end; \
    local function keeper() \
      clock = test.clock() \
      local store = make { dependencies = { clock = clock, keep = keep, late = late } } \
      store:send("keep") \
      return store \
    end
    """

  private static var dependencies: Dependencies {
    var dependencies = Dependencies()
    for name in ["keep", "late"] {
      dependencies.register(name, live: .value(true))
    }
    return dependencies
  }

  private func spec(_ body: String) async throws -> Spec {
    try await Spec(
      body, before: Self.before, app: Self.app, dependencies: Self.dependencies)
  }

  @Test(arguments: [
    "kept('up')", "kept({ type = 'up' })", "kept('up', { by = 1 })", "store:send('late')",
    "store:send('lateEffect')", "store:send('later') clock:advance(1)",
    "store:send('up', function(state) state.count = 1 kept('up') end)",
  ])
  func failsTheStatementInWhichItIsCalled(_ statement: String) async throws {
    let result = try await spec(
      """
      local store = keeper()
      \(statement)
      store:send("up", function(state) state.count = store.state.count + 1 end)
      """
    ).result
    // The call raises, or an effect did so earlier, which is a warning with the effect's place at its end.
    #expect(
      result.replacing("warning[sendAfterEnd]: ", with: "").hasPrefix(
        """
        app_test.lua:4: the `send` of an effect was used when its function had returned, or outside of it, so the \
        action "up" is dropped; start another effect for what comes later
        """))
  }

  @Test func isAWarningThatATestMayExpect() async throws {
    let result = try await spec(
      """
      local store = keeper()
      test.expectWarning("was used when its function had returned", function() kept("up") end)
      test.expectWarning("was used when its function had returned", function() store:send("late") end)
      assert.are.equal(0, store.state.count)
      """
    ).result
    #expect(result == "passed")
  }
}
