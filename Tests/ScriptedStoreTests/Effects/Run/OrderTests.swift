import LuaBridge
import ScriptedStore
import Testing

/// In which order actions are reduced and bodies start.
struct OrderTests {
  @Test func bodiesStartAfterTheQueueInTheOrderInWhichTheyWereReturned() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.merge(effect.run(function() note("first") end), effect.send("a"), effect.run(function() note("second") end))
      end,
      a = function() return effect.merge(effect.send("b"), effect.run(function() note("third") end)) end,
      b = function() return effect.run(function() note("fourth") end) end,
      """)
    app.store.send("go")
    #expect(app.cleanTrace == ["go", "a", "b", "first", "second", "third", "fourth"])
  }

  @Test func bodiesRunUpToTheirFirstWait() throws {
    let app = try EffectApp(
      """
      go = function()
        local function body(name)
          return effect.run(function() note(name .. "1"); effect.yield(); note(name .. "2"); effect.yield(); note(name .. "3") end)
        end
        return effect.merge { body("a"), body("b"), body("c") }
      end,
      """)
    app.store.send("go")
    #expect(
      app.cleanTrace == ["go", "a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func sendInABodyReturnsAfterAllThatItCausedIsReduced() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.run(function(send) note("before"); send("a", 1); note("after"); send("b"); note("end") end)
      end,
      a = function() return effect.merge(effect.run(function() note("body of a") end), effect.send("a1"), effect.send("a2")) end,
      a1 = function() return effect.send("a3") end,
      """)
    app.store.send("go")
    #expect(
      app.cleanTrace == [
        "go", "before", "a 1", "a1", "a2", "a3", "after", "b", "end", "body of a",
      ])
  }

  @Test func sendsOfABodyAreSeenByTheNextHandlers() throws {
    let app = try EffectApp(
      """
      go = function(state)
        state.n = 0
        return effect.run(function(send) for i = 1, 5 do send("up") end; send("check") end)
      end,
      up = function(state) state.n = state.n + 1 end,
      check = function(state) note(state.n) end,
      """)
    app.store.send("go")
    #expect(app.cleanTrace.suffix(2) == ["check", "5"])
  }

  @Test func whatEffectsSendComesBeforeTheNextOutsideAction() throws {
    let app = try EffectApp(
      """
      go = function() return effect.merge(effect.send("sent"), effect.run(function(send) send("body") end)) end,
      """)
    // An observer sends from outside while the drain is not over.
    let observation = app.store.onAction { [weak store = app.store] record in
      if record.number == 1 { _ = store?.send("outside") }
    }
    app.store.send("go")
    app.store.send("next")
    observation.cancel()
    let trace = app.cleanTrace
    #expect(trace.prefix(2) == ["go", "sent"])
    #expect(trace.last == "next")
    #expect(Set(trace) == ["go", "sent", "body", "outside", "next"] && trace.count == 5)
  }

  @Test func concatenateStartsTheNextWhenTheFormerIsDone() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.concatenate(
          effect.run(function(send, deps) note("1"); deps.clock.sleep(1); note("1 done") end),
          effect.send("between"),
          effect.run(function(send, deps) note("2"); deps.clock.sleep(1); send("from2") end),
          effect.run(function() note("3") end))
      end,
      """)
    app.store.send("go")
    #expect(app.cleanTrace == ["go", "1"])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "1", "1 done", "between", "2"])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "1", "1 done", "between", "2", "from2", "3"])
    #expect(app.store.effects.isEmpty)
  }

  @Test func concatenateWaitsForAllOfAMergeInIt() throws {
    let app = try EffectApp(
      """
      go = function()
        local function sleep(name, seconds)
          return effect.run(function(_, deps) deps.clock.sleep(seconds); note(name) end)
        end
        return effect.concatenate(effect.merge(sleep("slow", 2), sleep("fast", 1)), effect.send("then"))
      end,
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "fast"])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "fast", "slow", "then"])
  }

  @Test func concatenatesInAMergeGoOnSideBySide() throws {
    let app = try EffectApp(
      """
      go = function()
        local function chain(name)
          local function step(n) return effect.run(function(_, deps) note(name .. n); deps.clock.sleep(1) end) end
          return effect.concatenate(step(1), step(2))
        end
        return effect.merge(chain("a"), chain("b"))
      end,
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace == ["go", "a1", "b1", "a2", "b2"])
    app.clock.advance(by: .seconds(1))
    #expect(app.store.effects.isEmpty)
  }

  @Test func whatTheSendOfAConcatenateStartsIsNotWaitedFor() throws {
    let app = try EffectApp(
      """
      go = function() return effect.concatenate(effect.send("a"), effect.run(function() note("second") end)) end,
      a = function() return effect.run(function(_, deps) deps.clock.sleep(1); note("body of a") end) end,
      """)
    app.store.send("go")
    #expect(app.cleanTrace == ["go", "a", "second"])
    app.clock.advance(by: .seconds(1))
    #expect(app.cleanTrace.last == "body of a")
  }

  @Test func anErrorInOneOfAConcatenateDoesNotHoldUpTheNext() throws {
    let app = try EffectApp(
      """
      go = function() return effect.concatenate(effect.run(function() error("no") end), effect.send("next")) end,
      """)
    app.store.send("go")
    #expect(app.trace == ["go", "next"])
    #expect(app.scripts.warnings.map(\.kind) == [.effectError])
  }

  @Test func aLongConcatenateTakesNoStack() throws {
    let app = try EffectApp(
      """
      go = function(state)
        state.n = 0
        local all = {}
        for i = 1, 20000 do all[i] = i % 2 == 0 and effect.run(function() end) or effect.send("up") end
        return effect.concatenate(all)
      end,
      up = function(state) state.n = state.n + 1 end,
      """)
    app.store.send("go")
    #expect(app.store.state["n"] == 10000)
    #expect(app.store.effects.isEmpty)
  }

  @Test func observersHearOnceAfterTheDrain() throws {
    let app = try EffectApp(
      """
      go = function(state) state.n = 1; return effect.merge(effect.send("up"), effect.send("up")) end,
      up = function(state) state.n = state.n + 1 end,
      later = function() return effect.run(function(send, deps) deps.clock.sleep(1); send("go") end) end,
      """)
    let heard = Recorder<Value>()
    let observation = app.store.observe("n") { heard.record($0) }
    app.store.send("go")
    #expect(heard.all == [3])
    app.store.send("up")
    app.store.send("later")
    app.clock.advance(by: .seconds(1))
    observation.cancel()
    #expect(heard.all == [3, 4, 3])
  }

  @Test func childrensEffectsStartBeforeTheirParents() throws {
    let app = try EffectApp(
      """
      ["child.go"] = function() return effect.merge(effect.send("parent"), effect.run(function() note("parent's body") end)) end,
      """,
      locals: """
        local Child = scripted.feature {
          name = "Child", actions = { "sent" },
          on = { go = function() return effect.merge(effect.run(function() note("child's body") end), effect.send("sent")) end },
        }
        """, operators: ":scope('child', Child)", state: "{ child = {} }")
    app.store.send("child.go")
    #expect(
      app.cleanTrace == ["child.go", "child.sent", "parent", "child's body", "parent's body"])
  }

  @Test func sleepersWakeInTimeOrderAndThoseOfOneTimeAsTheyFellAsleep() throws {
    let app = try EffectApp(
      """
      go = function()
        local all = {}
        for i, seconds in ipairs { 3, 1, 2, 1, 3, 0.5, 1 } do
          all[i] = effect.run(function(_, deps) deps.clock.sleep(seconds); note(seconds .. "#" .. i) end)
        end
        return effect.merge(all)
      end,
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(10))
    #expect(
      app.cleanTrace == ["go", "0.5#6", "1#2", "1#4", "1#7", "2#3", "3#1", "3#5"])
  }

  @Test func effectsRunUntilIdleBeforeTheNextSleeperWakes() throws {
    let app = try EffectApp(
      """
      go = function()
        return effect.merge(
          effect.run(function(send, deps) deps.clock.sleep(1); send("one", deps.clock.now()); effect.yield(); deps.clock.sleep(0.5); send("half", deps.clock.now()) end),
          effect.run(function(send, deps) deps.clock.sleep(2); send("two", deps.clock.now()) end))
      end,
      """)
    app.store.send("go")
    app.clock.advance(by: .seconds(2))
    #expect(app.clock.now == .seconds(2))
    #expect(app.cleanTrace == ["go", "one 1.0", "half 1.5", "two 2.0"])
  }
}
