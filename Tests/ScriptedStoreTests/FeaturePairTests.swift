import LuaBridge
import ScriptedStore
import Testing

/// What a feature uses, in each place and under all that can happen to a store: it does the same as by itself.
struct FeaturePairTests {
  /// A feature that uses one concept, and a session with it.
  struct Part: Sendable, CustomTestStringConvertible {
    let name: String
    /// Makes the reducer `Part`. All states have an `id`, so that each can be an element.
    let source: String
    /// Actions with their payloads. `+` lets a second pass, and `finish` waits for the effects.
    let steps: [(action: String, payload: Value)]
    /// The state in the end.
    let result: Value

    init(_ name: String, _ source: String, _ steps: [(String, Value)], _ result: Value) {
      (self.name, self.source, self.steps, self.result) = (name, source, steps, result)
    }

    var testDescription: String { name }
  }

  private static let time = ("+", Value.null)

  static let parts = [
    Part(
      "debounce",
      """
      local Part = scripted.feature { state = { id = 1, n = 0, saved = 0 }, dependencies = { "clock" }, on = {
        up = function(state) state.n = state.n + 1 return effect.send("save"):debounce("save", 1) end,
        save = function(state) state.saved = state.n end,
      } }
      """,
      [("up", [:]), ("up", [:]), time, ("up", [:])], ["id": 1, "n": 3, "saved": 2]),
    Part(
      "throttle",
      """
      local Part = scripted.feature { state = { id = 1, n = 0, saved = {} }, dependencies = { "clock" }, on = {
        up = function(state)
          state.n = state.n + 1
          return effect.send("save", { n = state.n }):throttle("save", 1, { latest = true })
        end,
        save = function(state, action) table.insert(state.saved, action.n) end,
      } }
      """,
      [("up", [:]), ("up", [:]), ("up", [:]), time], ["id": 1, "n": 3, "saved": [1, 3]]),
    Part(
      "stream and cancellation",
      """
      local Part = scripted.feature { state = { id = 1, n = 0 }, dependencies = { "clock" }, on = {
        start = function()
          return effect.run(function(send, deps) for _ in deps.clock.timer(1) do send("tick") end end)
            :cancellable("timer", { cancelInFlight = true })
        end,
        tick = function(state) state.n = state.n + 1 end,
        stop = function() return effect.cancel("timer") end,
      } }
      """,
      [("start", [:]), time, ("start", [:]), time, time, ("stop", [:]), time], ["id": 1, "n": 3]),
    Part(
      "compute",
      """
      local Part = scripted.feature { state = { id = 1 }, on = {
        go = function() return effect.run(function(send) send("done", { sum = effect.compute("work", "add", 1, 2) }) end) end,
        done = function(state, action) state.sum = action.sum end,
      } }
      """,
      [("go", [:]), ("finish", .null)], ["id": 1, "sum": 3]),
    Part(
      "presentation",
      """
      local Sheet = scripted.feature { state = { n = 0 }, dependencies = { "clock" }, on = {
        wait = function() return effect.run(function(send, deps) deps.clock.sleep(1) send("up") end) end,
        up = function(state) state.n = state.n + 1 end,
        leave = function() return effect.dismiss() end,
      } }
      local Part = scripted.feature { state = { id = 1, ups = 0 }, on = {
        open = function(state) state.sheet = Sheet.initial() end,
        ["sheet.up"] = function(state) state.ups = state.ups + 1 end,
      } }:ifLet("sheet", Sheet)
      """,
      [
        ("open", [:]), ("sheet.wait", [:]), time, ("sheet.wait", [:]), ("sheet.leave", [:]), time,
        ("open", [:]),
      ], ["id": 1, "ups": 1, "sheet": ["n": 0]]),
    Part(
      "stack",
      """
      local Page = scripted.feature { state = { n = 0 }, dependencies = { "clock" }, on = {
        later = function() return effect.run(function(send, deps) deps.clock.sleep(1) send("up") end) end,
        up = function(state) state.n = state.n + 1 end,
      } }
      local Part = scripted.feature { state = { id = 1, pages = scripted.array {} }, on = {
        open = function() return effect.send("pages.push", { state = { page = Page.initial() } }) end,
        back = function(state) return effect.send("pages.popFrom", { id = state.pages[#state.pages].id }) end,
      } }:stack("pages", scripted.cases { page = Page })
      """,
      [
        ("open", [:]), ("open", [:]), ("pages[0].page.later", [:]), ("pages[1].page.later", [:]),
        ("back", [:]), time, ("open", [:]),
      ], ["id": 1, "pages": [["id": 0, "page": ["n": 1]], ["id": 2, "page": ["n": 0]]]]),
    Part(
      "elements and cancellation across them",
      """
      local Row = scripted.feature { state = { n = 0 }, dependencies = { "clock" }, on = {
        later = function()
          return effect.run(function(send, deps) deps.clock.sleep(1) send("up") end):cancellable("later")
        end,
        up = function(state) state.n = state.n + 1 end,
      } }
      local Part = scripted.feature { state = { id = 1, rows = { { id = "a", n = 0 }, { id = "b", n = 0 } } }, on = {
        stop = function() return effect.cancel("later", "rows[*]") end,
        drop = function(state) table.remove(state.rows, 1) end,
      } }:forEach("rows", Row)
      """,
      [
        ("rows[\"a\"].later", [:]), ("rows[\"b\"].later", [:]), time, ("rows[\"a\"].later", [:]),
        ("stop", [:]), time, ("rows[\"a\"].later", [:]), ("drop", [:]), time,
      ], ["id": 1, "rows": [["id": "b", "n": 1]]]),
    Part(
      "cases",
      """
      local Off = scripted.feature { state = {}, on = { flip = function() end } }
      local On = scripted.feature { state = { n = 0 }, on = { up = function(state) state.n = state.n + 1 end } }
      local Part = scripted.feature { state = { id = 1, lamp = { off = {} } }, on = {
        ["lamp.off.flip"] = function(state) state.lamp = { on = On.initial() } end,
      } }:scope("lamp", scripted.cases { off = Off, on = On })
      """,
      [("lamp.off.flip", [:]), ("lamp.on.up", [:])], ["id": 1, "lamp": ["on": ["n": 1]]]),
    Part(
      "shared value and onChange",
      """
      local Part = scripted.feature {
        state = { id = 1, heard = 0 }, shared = { total = scripted.shared.inMemory("total", 0) },
        dependencies = { "clock" },
        on = {
          add = function(state) state.total = state.total + 1 end,
          later = function() return effect.send("add"):debounce("add", 1) end,
        },
      }:onChange("total", function(state, _, new) state.heard = new end)
      """,
      [("add", [:]), ("later", [:]), time], ["id": 1, "heard": 2, "total": 2]),
    Part(
      "chosen key",
      """
      local Part = scripted.feature {
        state = { id = 1 },
        shared = { note = function(state)
          return state.open and scripted.shared.inMemory("notes " .. state.open, { text = "" })
        end },
        on = {
          open = function(state, action) state.open = action.name end,
          write = function(state, action) state.note.text = action.text end,
        },
      }
      """,
      [
        ("open", ["name": "a"]), ("write", ["text": "x"]), ("open", ["name": "b"]),
        ("write", ["text": "y"]), ("open", ["name": "a"]),
      ], ["id": 1, "open": "a", "note": ["text": "x"]]),
    Part(
      "inherited key",
      """
      local Child = scripted.feature {
        state = {}, shared = { total = scripted.shared.inherited("total", 0) },
        on = { add = function(state) state.total = state.total + 1 end },
      }
      local Part = scripted.feature {
        state = { id = 1, child = {} }, shared = { total = scripted.shared.inMemory("sum", 0) }, on = {},
      }:scope("child", Child)
      """,
      [("child.add", [:]), ("child.add", [:])],
      ["id": 1, "child": ["total": 2], "total": 2]),
    Part(
      "overridden dependencies",
      """
      scripted.dependency { name = "tag", live = { text = function() return "live" end },
        test = { text = function() return "test" end } }
      local Child = scripted.feature { state = {}, dependencies = { "tag", "clock" }, on = {
        now = function(state, _, deps) state.now = deps.tag.text() end,
        later = function()
          return effect.run(function(send, deps) deps.clock.sleep(1) send("said", deps.tag.text()) end)
        end,
        said = function(state, action) state.later = action.value end,
      } }:onChange("now", function(state, _, _, _, deps) state.changed = deps.tag.text() end)
      local Part = scripted.combine {
        Child:pullback { state = "child", dependencies = function()
          return { tag = { text = function() return "mine" end } }
        end },
        scripted.feature { state = { id = 1, child = {} }, actions = { "child" }, on = {} },
      }
      """,
      [("child.now", [:]), ("child.later", [:]), time],
      ["id": 1, "child": ["now": "mine", "changed": "mine", "later": "mine"]]),
    Part(
      "bindings and onChange",
      """
      local Part = scripted.feature { binding = true, state = { id = 1, name = "", length = 0 },
        dependencies = { "clock" }, on = {
          ["binding.name"] = function() return effect.send("clean"):debounce("clean", 1) end,
          clean = function(state) state.name = state.name:lower() end,
        } }:onChange("name", function(state, _, new) state.length = #new end)
      """,
      [("binding.name", "AB"), ("binding.name", "ABC"), time],
      ["id": 1, "name": "abc", "length": 3]),
    Part(
      "reducing at once",
      """
      local Child = scripted.feature { state = { n = 0 }, dependencies = { "clock" }, on = {
        up = function(state) state.n = state.n + 1 return effect.send("up2"):debounce("up2", 1) end,
        up2 = function(state) state.n = state.n + 10 end,
      } }
      local Part = scripted.feature { state = { id = 1, child = { n = 0 } }, dependencies = { "clock" }, on = {
        both = function(state, _, deps)
          return Child.run(state.child, { type = "up" }, deps):map(function(a) return { type = "child", action = a } end)
        end,
      } }:scope("child", Child)
      """,
      [("both", [:]), ("both", [:]), time], ["id": 1, "child": ["n": 12]]),
  ]

  /// Where the part is in the feature of the store.
  enum Place: String, CaseIterable, Sendable {
    case root, scope, lazyScope, ifLet, element, value, page, aCase

    /// The script of the store's feature.
    var source: String {
      let parent =
        "local Part = require 'part'; return scripted.feature { name = 'Parent', on = {}, state = "
      return switch self {
      case .root: "return require 'part'"
      case .scope: parent + "{ part = Part.initial() } }:scope('part', Part)"
      case .lazyScope:
        parent + "{ part = Part.initial() } }:scope('part', function() return require 'part' end)"
      case .ifLet: parent + "{ part = Part.initial() } }:ifLet('part', Part)"
      case .element:
        parent + "{ rows = { Part.initial(), Part.initial { id = 2 } } } }:forEach('rows', Part)"
      case .value:
        parent + "{ parts = { x = Part.initial(), y = Part.initial() } } }:forEach('parts', Part)"
      case .page:
        parent
          + "{ path = { { id = 0, part = Part.initial() } } } }:stack('path', scripted.cases { part = Part })"
      case .aCase:
        parent + "{ to = { part = Part.initial() } } }:ifLet('to', scripted.cases { part = Part })"
      }
    }

    /// What the part's actions begin with.
    var path: String {
      switch self {
      case .root: ""
      case .scope, .lazyScope, .ifLet: "part."
      case .element: "rows[1]."
      case .value: "parts[\"x\"]."
      case .page: "path[0].part."
      case .aCase: "to.part."
      }
    }

    func part(of state: Value) -> Value? {
      switch self {
      case .root: state
      case .scope, .lazyScope, .ifLet: state["part"]
      case .element: state["rows"].array?.first
      case .value: state["parts"]["x"]
      case .page: state["path"].array?.first?["part"]
      case .aCase: state["to"]["part"]
      }
    }
  }

  private struct Session {
    let part: Part
    let place: Place
    let clock = VirtualClock()
    let scripts: Scripts
    let store: Store

    init(_ part: Part, in place: Place) throws {
      (self.part, self.place) = (part, place)
      scripts = try Scripts(Session.modules(part, place), clock: clock)
      try scripts.folder.write("return { add = function(a, b) return a + b end }", to: "work.lua")
      store = try scripts.store()
    }

    static func modules(_ part: Part, _ place: Place) -> [String: String] {
      ["part": part.source + "\nreturn Part", "app": place.source]
    }

    /// Plays the session, and calls `body` after each step.
    func play(then body: () throws -> Void = {}) async throws {
      for (action, payload) in part.steps {
        switch action {
        case "+": clock.advance(by: .seconds(1))
        case "finish": await store.finish()
        default: try store.send("\(place.path)\(action)", payload)
        }
        try body()
      }
    }

    func expectResult(_ circumstance: String) {
      let state = place.part(of: store.state)
      #expect(state == part.result, "\(part.name) in \(place) \(circumstance)")
      #expect(scripts.errors.isEmpty, "\(part.name) in \(place) \(circumstance)")
      #expect(scripts.warnings.isEmpty, "\(part.name) in \(place) \(circumstance)")
    }
  }

  @Test(arguments: parts, Place.allCases)
  func inEachPlaceItDoesTheSame(_ part: Part, _ place: Place) async throws {
    let session = try Session(part, in: place)
    try await session.play()
    session.expectResult("by itself")
  }

  /// The effects in flight end on old code, and reach the new one.
  @Test(arguments: parts, Place.allCases)
  func reloadsInBetweenChangeNothing(_ part: Part, _ place: Place) async throws {
    let session = try Session(part, in: place)
    var reloads = 0
    try await session.play {
      reloads += 1
      try session.scripts.write("part", "\(part.source)\nreturn Part -- \(reloads)")
      try session.scripts.host.reload()
    }
    session.expectResult("with reloads")
  }

  @Test(arguments: parts, Place.allCases)
  func itsPastIsThereAgainAndCanBeReplayed(_ part: Part, _ place: Place) async throws {
    let session = try Session(part, in: place)
    let history = session.store.record()
    try await session.play {
      let report = try history.replay(from: history.numbers.lowerBound)
      #expect(report.difference == nil, "\(part.name) in \(place)")
    }
    session.expectResult("with replays")
    let last = history.numbers.upperBound - 1
    let entries = history.entries(history.numbers.lowerBound...last)
    for entry in entries.reversed() {
      try history.go(to: entry.number)
      #expect(session.store.state == entry.state, "\(part.name) in \(place), \(entry.number)")
    }
    try history.go(to: last)
    session.expectResult("after jumps")
    let recording = try Recording(jsonLines: history.export())
    let other = try Scripts(Session.modules(part, place), clock: VirtualClock())
    let report = try other.host.replay(recording)
    #expect(
      report.difference == nil && report.count == entries.count,
      "\(part.name) in \(place): \(report)")
  }
}
