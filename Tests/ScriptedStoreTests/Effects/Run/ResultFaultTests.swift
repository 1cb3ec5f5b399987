import ScriptedStore
import Testing

/// What `effect.result` makes of programming errors, which no script means as failures.
struct ResultFaultTests {
  private static func app(_ body: String) throws -> EffectApp {
    try EffectApp(
      """
      go = function()
        return effect.run(function(send, deps)
          send("got", { result = effect.result(function()
            \(body)
          end) })
        end)
      end,
      got = function(state, action) state.result = action.result end,
      """)
  }

  private static func message(_ app: EffectApp) throws -> String? {
    app.store.send("go")
    app.clock.advance(by: .seconds(10))
    return app.store.state["result"]["failure"]["message"].string
  }

  @Test(arguments: [
    ("local t; return t.name", "attempt to index a nil value (local 't')"),
    ("local t = {}; t.call()", "attempt to call a nil value (field 'call')"),
    ("return 1 + {}", "attempt to perform arithmetic on a table value"),
    ("return 1 < 'a'", "attempt to compare number with string"),
    ("return ('x'):rep({})", "bad argument #1 to 'rep' (number expected, got table)"),
    ("return ipairs()", "bad argument #1 to 'ipairs' (value expected)"),
    ("deps.clock.sleep(1); local t; return t.name", "attempt to index a nil value (local 't')"),
    (
      "effect.all { function() local t; return t.name end }",
      "attempt to index a nil value (local 't')"
    ),
    (
      "local ok, e = pcall(function() local t; return t.name end); error(e, 0)",
      "attempt to index a nil value (local 't')"
    ),
    (
      "effect.timeout('soon', print)",
      "bad argument #1 to 'effect.timeout' (a time of zero or more seconds expected, got the string soon)"
    ),
  ])
  func aProgrammingErrorKeepsItsPosition(_ body: String, _ text: String) throws {
    let app = try Self.app(body)
    let message = try #require(try Self.message(app))
    let position = try #require(message.wholeMatch(of: /(app\.lua:\d+): (.*)/))
    #expect(position.2 == text)
    // It may be due to the answer of a service, so that a live store does not warn.
    #expect(app.scripts.warnings.isEmpty)
  }

  @Test func aGlobalThatIsNotThereIsAProgrammingError() throws {
    let app = try Self.app("return nonsense")
    let message = try #require(try Self.message(app))
    #expect(message.hasPrefix("app.lua:") && message.contains("nonsense"), "\(message)")
  }

  @Test func itIsOneInAHandlerToo() throws {
    let app = try EffectApp(
      """
      go = function(state)
        state.result = effect.result(function() local t; return t.name end)
      end,
      """)
    let message = try #require(try Self.message(app))
    #expect(message.hasSuffix(": attempt to index a nil value (local 't')"))
  }

  @Test(arguments: [
    ("error('no luck')", "no luck"), ("error('no luck', 0)", "no luck"),
    ("assert(nil, 'no luck')", "no luck"), ("assert(false)", "assertion failed!"),
    ("error('attempt to connect failed')", "attempt to connect failed"),
    ("error { message = 'gone' }", "gone"), ("error { code = 'gone' }", "gone"),
    ("effect.timeout(1, deps.clock.sleep, 5)", "timeout"),
    ("effect.all { function() error('no luck') end }", "no luck"),
    ("scripted.json.decode('{')", "expected"),
  ])
  func aFailureIsNoWarning(_ body: String, _ text: String) async throws {
    let app = try Self.app(body)
    let message = try #require(try Self.message(app))
    #expect(message.contains(text) && !message.contains("app.lua"), "\(message)")
    let spec = """
      return scripted.feature {
        name = "App", dependencies = { "clock" },
        on = { go = function() return effect.run(function(_, deps)
          effect.result(function() \(body) end)
        end) end },
      }
      """
    let test = """
      local store = make { dependencies = { clock = test.immediateClock() } }
      store:send("go")
      store:finish()
      """
    #expect(try await Spec(test, app: spec).result == "passed")
  }

  @Test(arguments: [
    ("error { 'a', 'b' }", #"{ "message": "error" }"#),
    ("error { code = print, kind = 'k' }", #"{ "kind": "k", "message": "error" }"#),
    ("error { code = 7 }", #"{ "code": 7, "message": "7" }"#),
    ("error { message = 5 }", #"{ "message": "5" }"#),
    ("error { message = { 'a' }, code = 'gone' }", #"{ "code": "gone", "message": "gone" }"#),
    ("error { message = 'no', at = 0/0, list = { print } }", #"{ "message": "no" }"#),
    ("error('\\xFF!', 0)", #"{ "message": "\\255!" }"#),
  ])
  func aFailureCanAlwaysBeSent(_ body: String, _ failure: String) throws {
    let app = try Self.app(body)
    app.store.send("go")
    #expect(app.scripts.warnings.isEmpty)
    #expect(try app.store.state["result"]["failure"] == Value(json: failure))
  }

  private static let faulty = """
    return scripted.feature {
      name = "App", state = { count = 0 },
      on = {
        load = function()
          return effect.run(function(send)
            send("loaded", { result = effect.result(function()
              local place
              return place.name
            end) })
          end)
        end,
        loaded = function(state, action) state.failure = action.result.failure.message end,
      },
    }
    """

  @Test func itFailsATest() async throws {
    let body = """
      local store = make()
      store:send("load")
      store:receive("loaded", function(state)
        state.failure = "app.lua:8: attempt to index a nil value (local 'place')"
      end)
      """
    let result = try await Spec(body, app: Self.faulty).result
    #expect(
      result.contains(
        "effect.result caught a programming error, which the reducer gets as a failure: "
          + "app.lua:8: attempt to index a nil value (local 'place')"), "\(result)")
    let expected = """
      local store = make()
      test.expectWarning("programming error", function() store:send("load") end)
      store:receive("loaded", function(state)
        state.failure = "app.lua:8: attempt to index a nil value (local 'place')"
      end)
      """
    #expect(try await Spec(expected, app: Self.faulty).result == "passed")
  }
}
