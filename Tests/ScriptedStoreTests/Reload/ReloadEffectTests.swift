import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// Effects that are in flight while scripts are replaced.
struct ReloadEffectTests {
  /// A feature whose effects sleep for a second and say of what code they are, as do the handlers that they reach.
  private static func app(_ mark: String, fields: String = "", on more: String = "") -> String {
    """
    return scripted.feature {
      name = "App", state = { log = {} }, dependencies = { "clock" }, \(fields)
      on = {
        said = function(state, action) table.insert(state.log, action.value .. " reached \(mark)") end,
        go = function(_, action)
          return effect.run(function(send, deps)
            deps.clock.sleep(1)
            send("said", "\(mark)")
          end):cancellable(action.id or "go")
        end,
        stop = function(_, action) return effect.cancel(action.id or "go") end,
        \(more)
      },
    }
    """
  }

  private struct App {
    let scripts: Scripts
    let clock = VirtualClock()
    let store: Store

    init(_ source: String) throws {
      scripts = try Scripts(["app": source], clock: clock)
      store = try scripts.store()
    }

    @discardableResult
    func reload(_ source: String) throws -> ReloadReport {
      try scripts.write("app", source)
      return try scripts.host.reload()
    }

    var kinds: [RuntimeWarning.Kind] { scripts.warnings.map(\.kind) }
  }

  @Test func theyEndOnTheOldCodeAndReachTheNew() throws {
    let app = try App(Self.app("old"))
    app.store.send("go")
    let report = try app.reload(Self.app("new"))
    #expect(report.effects.map(\.outcome) == [.finishesOnOldCode])
    #expect(report.effects.first?.description.origin.hasPrefix("app.lua:") == true)
    #expect(app.store.effects.map(\.waitingOn) == ["clock.sleep"])
    try app.store.send("go", ["id": "second"])
    app.clock.advance(by: .seconds(1))
    #expect(app.store.log == ["old reached new", "new reached new"])
    #expect(app.scripts.warnings.isEmpty && app.scripts.errors.isEmpty)
  }

  @Test func newCodeCancelsThemById() throws {
    let app = try App(Self.app("old"))
    app.store.send("go")
    try app.reload(Self.app("new"))
    app.store.send("stop")
    #expect(app.store.effects.isEmpty)
    app.clock.advance(by: .seconds(1))
    #expect(app.store.log.isEmpty)
  }

  @Test func newCodeReplacesThemById() throws {
    let replacing =
      "again = function() return effect.run(function(send, deps) deps.clock.sleep(1) send('said', 'new') end):cancellable('go', { cancelInFlight = true }) end"
    let app = try App(Self.app("old"))
    app.store.send("go")
    try app.reload(Self.app("new", on: replacing))
    app.store.send("again")
    app.clock.advance(by: .seconds(1))
    #expect(app.store.log == ["new reached new"])
  }

  @Test func thoseOfFeaturesThatSaySoAreCancelled() throws {
    let app = try App(
      Self.app(
        "old", fields: "reload = 'cancel',",
        on: """
          waits = function() return effect.send("said", "late"):debounce("d", 1) end,
          """))
    for action in ["go", "waits"] { try app.store.send(action) }
    let report = try app.reload(Self.app("new", fields: "reload = 'cancel',"))
    #expect(report.effects.map(\.outcome) == [.cancelled, .cancelled])
    #expect(app.store.effects.isEmpty)
    app.clock.advance(by: .seconds(1))
    #expect(app.store.effects.isEmpty && app.store.log.isEmpty && app.scripts.warnings.isEmpty)
  }

  @Test func thoseOfFeaturesThatDidNotChangeGoOn() throws {
    let scripts = try Scripts(
      ["app": Self.app("a", fields: "reload = 'cancel',"), "other": "return 1"],
      clock: VirtualClock())
    let store = try scripts.store()
    _ = try? scripts.host.store("other")
    store.send("go")
    try scripts.write("other", "return 2")
    let report = try scripts.host.reload()
    #expect(report.reloaded == ["other.lua"])
    #expect(report.effects.map(\.outcome) == [.finishesOnOldCode])
    #expect(store.effects.count == 1)
  }

  /// No feature has returned them, so that the new code can lack none.
  @Test func thoseOfReducersWithoutAFeatureGoOn() throws {
    func app(_ value: String) -> String {
      """
      local Child = scripted.reduce(function(state, action)
        state.n = action.value
        if action.value == 1 then return effect.run(function() end):debounce("own", 10) end
      end)
      return scripted.empty:scope("child", Child)
        :onChange(function(state) return \(value) end, function(state, _, new)
          state.heard = new
          return effect.run(function(send) send("child.set", 7) end):debounce("d", 1)
        end)
      """
    }
    let clock = VirtualClock()
    let scripts = try Scripts(["app": app("state.child.n")], clock: clock)
    let store = try scripts.store(state: ["child": ["n": 0]])
    try store.send("child.set", 1)
    #expect(store.state == ["child": ["n": 1], "heard": 1])
    try scripts.write("app", app("{ n = state.child.n }"))
    let report = try scripts.host.reload()
    #expect(report.effects.map(\.outcome) == [.finishesOnOldCode, .finishesOnOldCode])
    clock.advance(by: .seconds(1))
    #expect(store.state == ["child": ["n": 7], "heard": ["n": 7]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty, "\(scripts.warnings)")
  }

  @Test func whatDebounceAndThrottleHoldComesThrough() throws {
    let on = """
      later = function() return effect.run(function(send) send("said", "later") end):debounce("d", 1) end,
      first = function(_, action) return effect.send("said", action.value):throttle("t", 1, { latest = true }) end,
      mapped = function()
        return effect.send("said", "m"):map(function(action) action = scripted.snapshot(action)
          action.value = action.value .. "apped" return action end):throttle("m", 1, { latest = true })
      end,
      """
    let app = try App(Self.app("old", on: on))
    for action in ["later", "mapped", "mapped"] { try app.store.send(action) }
    for value in ["a", "b", "c"] { try app.store.send("first", .string(value)) }
    try app.reload(Self.app("new", on: on))
    // The interval goes on.
    try app.store.send("first", "d")
    app.clock.advance(by: .seconds(1))
    #expect(
      app.store.log == [
        "mapped reached old", "a reached old", "later reached new", "mapped reached new",
        "d reached new",
      ], "\(app.store.log)")
    #expect(app.scripts.warnings.isEmpty && app.scripts.errors.isEmpty)
  }

  @Test func whatADebounceStartsAfterAReloadKeepsItsScriptsWhileItWaits() throws {
    let on = """
      later = function()
        return effect.run(function(send, deps)
          deps.clock.sleep(1)
          send("said", "later")
        end):debounce("d", 1)
      end,
      """
    let app = try App(Self.app("old", on: on))
    app.store.send("later")
    for mark in ["new", "newer"] { try app.reload(Self.app(mark, on: on)) }
    app.clock.advance(by: .seconds(1))
    #expect(app.store.effects.map(\.waitingOn) == ["clock.sleep"])
    for _ in 0..<3 { try app.store.send("said", "tick") }
    app.clock.advance(by: .seconds(1))
    #expect(app.store.log.last == "later reached newer")
    #expect(app.scripts.warnings.isEmpty && app.scripts.errors.isEmpty)
  }

  @Test func whatAnEffectSendsAfterAReloadIsHeldAndMappedByItsOwnScripts() throws {
    let on = """
      ticks = function()
        return effect.run(function(send, deps)
          for i = 1, 4 do
            deps.clock.sleep(1)
            send("said", "t" .. i)
          end
        end):throttle("t", 1.5, { latest = true }):map(function(action)
          return { type = action.type, value = action.value .. " mapped" }
        end)
      end,
      """
    let app = try App(Self.app("old", on: on))
    app.store.send("ticks")
    try app.reload(Self.app("new", on: on))
    for _ in 0..<6 {
      app.clock.advance(by: .seconds(1))
      try app.reload(Self.app("newer", on: on))
    }
    #expect(
      app.store.log == [
        "t1 mapped reached new", "t2 mapped reached newer", "t3 mapped reached newer",
        "t4 mapped reached newer",
      ],
      "\(app.store.log)")
    #expect(app.store.effects.isEmpty)
    #expect(app.scripts.warnings.isEmpty && app.scripts.errors.isEmpty)
  }

  @Test func listsAndGroupsGoOn() throws {
    let on = """
      list = function()
        return effect.concatenate {
          effect.run(function(send, deps) deps.clock.sleep(1) send("said", "first") end),
          effect.run(function(send, deps) deps.clock.sleep(1) send("said", "second") end),
          effect.send("said", "third"),
        }
      end,
      all = function()
        return effect.run(function(send, deps)
          deps.clock.sleep(1)
          local a, b = effect.all {
            function() deps.clock.sleep(1) return "a" end, function() deps.clock.sleep(1) return "b" end,
          }
          send("said", a .. b)
        end)
      end,
      """
    let app = try App(Self.app("old", on: on))
    app.store.send("list")
    app.store.send("all")
    try app.reload(Self.app("new", on: on))
    app.clock.advance(by: .seconds(1))
    app.clock.advance(by: .seconds(1))
    #expect(
      app.store.log == [
        "first reached new", "ab reached new", "second reached new", "third reached new",
      ]
        || app.store.log == [
          "first reached new", "second reached new", "third reached new", "ab reached new",
        ], "\(app.store.log)")
    #expect(app.store.effects.isEmpty && app.scripts.warnings.isEmpty)
  }

  @Test func presentedChildrenCanBeDismissedByOldEffects() throws {
    let source = { (mark: String) in
      """
      local Child = scripted.feature {
        name = "Child", state = {}, dependencies = { "clock" },
        on = {
          go = function() return effect.run(function(_, deps) deps.clock.sleep(1) deps.dismiss() end) end,
        },
      }
      return scripted.feature {
        name = "App", state = { child = {} },
        on = { ["child.dismiss"] = function(state) state.seen = "\(mark)" end },
      }:ifLet("child", Child)
      """
    }
    let app = try App(source("old"))
    app.store.send("child.go")
    try app.reload(source("new"))
    app.clock.advance(by: .seconds(1))
    #expect(app.store.state == ["seen": "new"] && app.scripts.warnings.isEmpty)
  }

  @Test func aHandlerThatVanishedIsAWarning() throws {
    let app = try App(
      Self.app(
        "old",
        on: "load = function() return effect.run(function(_, deps) deps.clock.sleep(1) end) end"))
    for _ in 0..<3 { app.store.send("load") }
    app.store.send("go")
    let report = try app.reload(Self.app("new"))
    #expect(report.warnings.map(\.kind) == [.vanishedHandler] && app.kinds == [.vanishedHandler])
    let warning = try #require(report.warnings.first)
    #expect(warning.message.contains("the handler of \"load\" in App is not there any more"))
    #expect(warning.effect?.action == "load")
  }

  @Test func aFeatureThatVanishedIsAWarning() throws {
    let app = try App(Self.app("old"))
    app.store.send("go")
    let report = try app.reload(
      Self.app("new").replacingOccurrences(of: "\"App\"", with: "\"Other\""))
    #expect(report.warnings.map(\.kind) == [.vanishedHandler])
    #expect(report.warnings.first?.message.hasPrefix("the feature App is not there") == true)
  }

  @Test func theyMayOutliveManyGenerations() throws {
    let app = try App(Self.app("0"))
    for generation in 1...5 {
      try app.store.send("go", ["id": .integer(Int64(generation))])
      try app.reload(Self.app("\(generation)"))
    }
    app.clock.advance(by: .seconds(1))
    #expect(app.store.log == (0..<5).map { "\($0) reached 5" })
  }

  @Test func oldCodeIsLetGoOfWhenTheLastOfThemEnds() throws {
    final class Witness: Sendable {}
    weak var witness: Witness?
    let clock = VirtualClock()
    let source = { (mark: String) in
      Self.app(mark, on: "ask = function(state, _, deps) state.id = deps.uuid() end,")
        .replacingOccurrences(of: "{ \"clock\" }", with: "{ \"clock\", \"uuid\" }")
    }
    let scripts = try Scripts(["app": source("old")], clock: clock)
    let store = try scripts.store()
    do {
      let held = Witness()
      witness = held
      // The VM that it asks in keeps the function that it asks.
      let asking = try scripts.host.store(
        "app", dependencies: ["uuid": .function { () in withExtendedLifetime(held) { "x" } }])
      asking.send("ask")
      #expect(asking.state["id"] == "x")
    }
    store.send("go")
    try scripts.write("app", source("new"))
    try scripts.host.reload()
    #expect(witness != nil)
    clock.advance(by: .seconds(1))
    #expect(store.log == ["old reached new"])
    #expect(witness == nil)
  }

  @Test func thoseThatAMigrationEndsAreReportedAsCancelled() throws {
    func source(_ parent: String) -> String {
      """
      local Child = scripted.feature {
        name = "Child", state = { id = 1 }, dependencies = { "clock" },
        on = { go = function() return effect.run(function(_, deps) deps.clock.sleep(1) end) end },
      }
      return scripted.feature { name = "App", state = { kids = { { id = 1 }, { id = 2 } } }, \(parent) }:forEach("kids", Child)
      """
    }
    let app = try App(source(""))
    app.store.send("kids[1].go")
    app.store.send("kids[2].go")
    let report = try app.reload(
      source("version = 2, migrate = function(state) table.remove(state.kids, 1) end"))
    #expect(report.effects.map(\.description.place) == ["kids[1]", "kids[2]"])
    #expect(report.effects.map(\.outcome) == [.cancelled, .finishesOnOldCode])
    #expect(app.store.effects.map(\.place) == ["kids[2]"])
  }
}
