import Testing

/// Parameters with the name of another value.
struct ParameterFindingTests {
  private static func finding(_ line: Int, _ column: Int, _ text: String, _ list: String) -> String
  {
    "app.lua:\(line):\(column): hint: \(text) here; write function(\(list)) [wrong-parameter]"
  }

  @Test(arguments: [
    CheckCase(
      "of handlers, of effects, and of a view",
      feature: """
        on = {
          tapped = function(self, state) state.n = 1 end,
          go = function(state, deps) return effect.run(function(send, deps, state) end) end,
          listed = function() return effect.run(function(deps) end, { catch = function(send) end }) end,
        },
        view = function(state, deps) return nil end,
        """,
      [
        finding(
          6, 12, "a handler gets state, action and deps, so that 'self' is `state`",
          "state, action, deps"),
        finding(
          7, 8, "a handler gets state, action and deps, so that 'deps' is `action`",
          "state, action, deps"),
        finding(
          7, 48, "the function of effect.run gets send and deps, so that 'state' is nil",
          "send, deps"),
        finding(
          8, 41, "the function of effect.run gets send and deps, so that 'deps' is `send`",
          "send, deps"),
        finding(
          8, 71, "`catch` gets error, send and deps, so that 'send' is `error`",
          "error, send, deps"),
        finding(10, 8, "a view gets state and env, so that 'deps' is `env`", "state, env"),
      ]),
    CheckCase(
      "other names, and functions that are written elsewhere",
      feature: """
        on = {
          tapped = function(self, _, clients) self.n = clients ~= nil end,
          go = function(s, a) return effect.run(function(emit, d) end) end,
          listed = begin,
        },
        view = function(model, environment) return nil end,
        """, above: "local function begin(state, deps) end", []),
  ])
  func theyAreHints(_ example: CheckCase) throws {
    let found = try example.found()
    #expect(found == example.findings)
  }
}
