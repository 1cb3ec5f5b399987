import LuaBridge
import ScriptedStore
import Testing

/// The effects of this version, and the order of what they send.
struct EffectTests {
  /// A child under a parent, both noting what they get; `go` returns the effects that are given.
  private func log(child: String, parent: String) throws -> [String] {
    let scripts = try Scripts(
      app: """
        local Child = scripted.feature {
          name = "Child",
          actions = { "a", "b", "c" },
          on = { go = function() \(child) end },
        }
        return scripted.feature {
          state = { log = {}, child = {} },
          actions = { "x", "y", "z" },
          on = { ["child.go"] = function() \(parent) end },
        }:scope("child", Child)
        """)
    let store = try scripts.store()
    let paths = Recorder<String>()
    let observation = store.onAction { paths.record("\($0.number) \($0.source) \($0.action)") }
    store.send("child.go")
    observation.cancel()
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty, "\(scripts.errors)")
    return paths.all
  }

  @Test func aChildsEffectsComeBeforeItsParentsInListOrder() throws {
    #expect(
      try log(
        child: "return effect.merge(effect.send('a'), effect.send('b', { n = 1 }))",
        parent: "return effect.concatenate { effect.send('x'), effect.send { type = 'y', n = 2 } }")
        == [
          "1 input child.go", "2 effect child.a", "3 effect child.b { n = 1 }", "4 effect x",
          "5 effect y { n = 2 }",
        ])
  }

  @Test func noneAndEmptyListsAreNothing() throws {
    #expect(
      try log(
        child: "return effect.merge(effect.none, effect.merge(), effect.merge {}, nil)",
        parent: "return effect.concatenate { effect.none, effect.send('x'), effect.concatenate() }")
        == ["1 input child.go", "2 effect x"])
  }

  @Test func aHoleInAListIsNone() throws {
    #expect(
      try log(
        child: "return effect.merge { nil, effect.send('a'), nil, effect.send('b') }",
        parent: "return effect.concatenate { effect.send('x'), nil, effect.send('y') }")
        == ["1 input child.go", "2 effect child.a", "3 effect child.b", "4 effect x", "5 effect y"])
  }

  @Test func mergesNestAndKeepTheirOrder() throws {
    #expect(
      try log(
        child: """
          return effect.merge(effect.send("a"), effect.concatenate(effect.send("b"), effect.merge { effect.send("c") }))
          """, parent: "return effect.send('x')")
        == [
          "1 input child.go", "2 effect child.a", "3 effect child.b", "4 effect child.c",
          "5 effect x",
        ])
  }

  @Test func anEffectIsAValueThatMayBeReturnedAgain() throws {
    #expect(
      try log(child: "local e = effect.send('a'); return effect.merge(e, e)", parent: "return nil")
        == ["1 input child.go", "2 effect child.a", "3 effect child.a"])
  }

  @Test func sentActionsFormOneFirstInFirstOutQueue() throws {
    let scripts = try Scripts(
      app: """
        local sends = { go = { "a", "b" }, a = { "a1", "a2" }, b = { "b1" } }
        return scripted.feature {
          state = { log = {} },
          reduce = function(state, action)
            table.insert(state.log, action.type)
            return effect.merge(list.map(sends[action.type] or {}, function(path) return effect.send(path) end))
          end,
        }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(store.log == ["go", "a", "b", "a1", "a2", "b1"])
    #expect(scripts.errors.isEmpty, "\(scripts.errors)")
  }

  @Test func whatAnEffectSendsComesBeforeTheNextOutsideAction() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { log = {} },
          reduce = function(state, action)
            table.insert(state.log, action.type)
            if action.type == "go" then return effect.send("sent") end
          end,
        }
        """)
    let store = try scripts.store()
    // An observer's send is from outside: it waits until the queue is empty.
    let observation = store.onAction { [weak store] record in
      if record.number == 1 { _ = store?.send("outside") }
    }
    store.send("go")
    store.send("next")
    observation.cancel()
    #expect(store.log == ["go", "sent", "outside", "next"])
  }

  @Test func effectsOfARolledBackActionAreDropped() throws {
    let scripts = try Scripts(
      app: """
        local Child = scripted.feature { on = { go = function() return effect.send("a") end }, actions = { "a" } }
        return scripted.feature {
          state = { child = {} },
          on = { ["child.go"] = function() error("no") end, later = function() return effect.send("fails"), nil end,
            fails = function(state) state.x = 1; error("inner") end },
        }:scope("child", Child)
        """)
    let store = try scripts.store()
    let records = Recorder<ActionRecord>()
    let observation = store.onAction { records.record($0) }
    store.send("child.go")
    #expect(records.all.map(\.action.path) == ["child.go"])
    // An effect's action that raises is rolled back by itself.
    store.send("later")
    observation.cancel()
    #expect(records.all.map(\.action.path) == ["child.go", "later", "fails"])
    #expect(records.all.map(\.error?.message) == ["no", nil, "inner"])
    #expect(store.state == ["child": [:]])
  }

  @Test func theRestOfTheQueueGoesOnAfterAnActionRaised() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { n = 0 },
          on = {
            go = function() return effect.merge(effect.send("bad"), effect.send("good")) end,
            bad = function() error("x") end,
            good = function(state) state.n = state.n + 1 end,
          },
        }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(store.state == ["n": 1])
    #expect(scripts.errors.count == 1)
  }

  @Test(arguments: [
    ("effect.send()", "an action is a table with a type, or a path, not nil"),
    ("effect.send(5)", "or a path"),
    ("effect.send {}", "has no type"),
    ("effect.send { by = 1 }", "has no type"),
    ("effect.send('a..b')", "malformed action path"),
    ("effect.send('a', print)", "payload"),
    ("effect.send({ type = 'a' }, { x = 1 })", "a payload goes with a path"),
    ("effect.send { 'a', { n = 3 } }", "as two arguments: send(\"a\", { n = 3 })"),
    ("effect.send('a', 1, 2)", "'send' takes an action and one payload"),
    ("effect.send('a', nil, 2)", "'send' takes an action and one payload"),
    ("effect.send('a', { type = 'x' })", "may not have a field 'type'"),
    ("effect.send { type = 'a', f = print }", "f: a function"),
    ("effect.merge(5)", "bad argument #1 to 'effect.merge' (effect expected, got number)"),
    ("effect.merge { effect.none, 5 }", "bad argument #2 to 'effect.merge'"),
    ("effect.none.unknown", "an effect has no 'unknown'"),
    ("effect.concatenate(effect.none, 'x')", "bad argument #2 to 'effect.concatenate'"),
    ("effect.run()", "function expected"), ("effect.run(5)", "function expected, got number"),
    ("effect.run(function() end, { catsh = print })", "catsh"),
    ("effect.run(function() end, { catch = 5 })", "catch"),
    ("effect.run(print, { [{}] = true })", "there is no 'table: 1'"),
    ("effect.run(print):cancellable('x', { [print] = true })", "there is no 'function: 1'"),
    ("effect.run(function() end, 5)", "a table of options expected, as { catch = fn }, got number"),
    ("effect.run(function() end):cancellable()", "cancellable"),
    ("effect.run(function() end):cancellable(print)", "function"),
    ("effect.run(function() end):cancellable('x', { cancelInFligth = true })", "cancelInFligth"),
    (
      "effect.run(print):cancellable { id = 'x', cancelInFlight = true }",
      "bad argument #1 to 'cancellable' (an id expected, got a table of options; "
        + "write cancellable(\"x\", { cancelInFlight = true }))"
    ),
    ("effect.run(print):cancellable { id = 'x' }", "an id expected, got a table of options"),
    ("effect.run(print):cancellable({ 'x', latest = 1 })", "got a table of options"),
    (
      "effect.run(print):cancellable('x', true)",
      "a table of options expected, as { cancelInFlight = true }, got boolean"
    ),
    ("effect.cancel { id = 'x' }", "got a table of options; write effect.cancel(\"x\")"),
    (
      "effect.run(print):debounce { id = 'x' }",
      "got a table of options; write debounce(\"x\", 0.3)"
    ),
    (
      "effect.run(print):debounce({ id = 'x', seconds = 1 })",
      "a time of zero or more seconds expected, got no value; write debounce(\"x\", 0.3)"
    ),
    (
      "effect.run(print):throttle({ id = 'x', latest = true }, 1)",
      "got a table of options; write throttle(\"x\", 0.3, { latest = true })"
    ),
    (
      "effect.run(print):throttle('x', 1, true)",
      "a table of options expected, as { latest = true }, got boolean"
    ),
    ("effect.run(print):debounce('x', -1)", "expected, got -1; write debounce"),
    (
      "effect.run(print).cancellable('x')",
      "effect expected, got string; call it with a colon: effect:cancellable(…)"
    ),
    ("effect.send('a').map(print)", "call it with a colon: effect:map(…)"),
    ("effect.run(function() end):debounce('x')", "debounce"),
    ("effect.run(function() end):debounce('x', 'y')", "debounce"),
    ("effect.run(function() end):throttle('x', {})", "throttle"),
    ("effect.run(function() end):throttle('x', 1, { last = true })", "last"),
    ("effect.run(function() end):map(5)", "map"), ("effect.cancel()", "cancel"),
    ("effect.cancel('x', 'a..b')", "a..b"), ("effect.cancel(print)", "function"),
    ("effect.none:unknown()", "an effect has no 'unknown'"),
    ("(function() effect.none.x = 1 end)()", "an effect is not changed; its methods"),
    ("(function() effect.run(print).x = 1 end)()", "an effect is not changed"),
    ("effect.send('a'):transaction(nil)", "value expected"),
    ("effect.none:cancelable('x')", "no 'cancelable'; did you mean 'cancellable'?"),
    ("effect.run(print):debouce('x', 1)", "no 'debouce'; did you mean 'debounce'?"),
  ]) func aWrongEffectRaisesAtItsLine(_ made: String, _ message: String) throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature { on = {
          go = function()
            local made = \(made)
            return made
          end } }
        """)
    try scripts.store().send("go")
    let error = try #require(scripts.errors.first)
    #expect(error.message.contains(message), "\(error)")
    #expect(error.script == "app.lua" && error.line == 3, "\(error)")
  }

  @Test func aTableWithOtherKeysIsAnID() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { log = {} },
          on = {
            start = function()
              return effect.run(function(send)
                effect.withCancellation({ kind = "inner", id = 3 }, function() end)
                effect.yield()
                send("never")
              end):cancellable { kind = "load", id = 3 }
            end,
            stop = function() return effect.concatenate(effect.cancel { id = 3, kind = "load" }, effect.send("stopped")) end,
            both = function() return effect.merge(effect.send("start"), effect.send("stop")) end,
            never = function(state) table.insert(state.log, "never") end,
            stopped = function(state) table.insert(state.log, "stopped") end,
          },
        }
        """)
    let store = try scripts.store()
    store.send("both")
    #expect(store.log == ["stopped"])
    #expect(scripts.errors.isEmpty, "\(scripts.errors)")
    #expect(scripts.warnings.isEmpty, "\(scripts.warnings)")
  }

  @Test func optionsInPlaceOfAnIDAreRefusedInTheBodyToo() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          on = {
            go = function()
              return effect.run(function()
                effect.withCancellation({ id = "x", cancelInFlight = true }, function() end)
              end)
            end,
          },
        }
        """)
    try scripts.store().send("go")
    let warning = try #require(scripts.warnings.first?.message)
    #expect(
      warning.contains("write withCancellation(\"x\", { cancelInFlight = true }, fn)"), "\(warning)"
    )
  }

  @Test func anActionThatIsPutIntoAnEffectMayBeADraftOrTheAction() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { row = { n = 1 }, got = {} },
          on = {
            go = function(state, action)
              local sent = effect.merge(effect.send("take", { row = state.row, whole = action }), effect.send("take", state.row))
              state.row.n = 2
              return sent
            end,
            take = function(state, action) table.insert(state.got, action) end,
          },
        }
        """)
    let store = try scripts.store()
    try store.send("go", ["x": 1])
    #expect(scripts.errors.isEmpty, "\(scripts.errors)")
    #expect(
      store.state["got"] == [
        ["type": "take", "row": ["n": 1], "whole": ["type": "go", "x": 1]],
        ["type": "take", "n": 1],
      ])
  }

  @Test func manyEffectsMergedOneByOne() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { n = 0 },
          on = {
            go = function()
              local all = effect.none
              for _ = 1, 30000 do all = effect.merge(all, effect.send("up")) end
              return all
            end,
            up = function(state) state.n = state.n + 1 end,
          },
        }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(store.state == ["n": 30000])
  }

  @Test func aChainOfSends() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { n = 0 },
          on = { up = function(state)
            state.n = state.n + 1
            if state.n < 10000 then return effect.send("up") end
          end },
        }
        """)
    let store = try scripts.store()
    store.send("up")
    #expect(store.state == ["n": 10000])
  }

  @Test func aSendThatNestsTooDeepOnItsWayUpIsDroppedWithAWarning() throws {
    let scripts = try Scripts(
      app: """
        local Child = scripted.feature { on = { go = function()
          local action = { type = "leaf" }
          for _ = 1, 127 do action = { type = "up", action = action } end
          return effect.send(action)
        end } }
        return scripted.feature { state = { child = {}, n = 0 }, on = { ["child.go"] = function(state) state.n = 1 end } }
          :scope("child", Child)
        """)
    let store = try scripts.store()
    store.send("child.go")
    #expect(scripts.warnings.map(\.kind) == [.effectError])
    #expect(scripts.warnings.first?.message.contains("128") == true, "\(scripts.warnings)")
    #expect(store.state["n"] == 1)
  }
}
