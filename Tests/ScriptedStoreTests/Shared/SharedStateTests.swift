import Dispatch
import Foundation
import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Fields of a feature's state that are shared: within a store, and between the stores of a host.
struct SharedStateTests {
  @Test func effectsOfAStepOfAnotherStoreBeginAtOnce() throws {
    let scripts = try Scripts([
      "writer": """
      return scripted.feature {
        state = {}, shared = { count = scripted.shared.inMemory("count", 0) },
        on = { inc = function(state) state.count = state.count + 1 end },
      }
      """,
      "listener": """
      local count = scripted.shared.inMemory("count", 0)
      return scripted.feature {
        state = { heard = 0 }, shared = { count = count },
        on = { heard = function(state) state.heard = state.heard + 1 end },
      }:onChange("count", function() return effect.run(function(send) send("heard") end) end)
      """,
    ])
    let (writer, listener) = (
      try scripts.host.store("writer"), try scripts.host.store("listener")
    )
    writer.send("inc")
    #expect(listener.state == ["count": 1, "heard": 1])
  }

  /// What another store hears of values that are equal, but made anew.
  @Test func equalValuesAreNoStep() throws {
    let scripts = try Scripts([
      "app": """
      local shared = scripted.shared
      local settings = shared.inMemory("settings", { n = 0, group = { name = "a" } })
      return scripted.feature {
        state = {}, shared = { text = shared.inMemory("te#xt", ""), settings = settings },
        on = {
          write = function(state, action) state.text = ("long "):rep(action.count) end,
          replace = function(state, action) state.settings = { n = action.n, group = { name = action.name } } end,
        },
      }
      """,
      "reader": """
      local shared = scripted.shared
      local settings = shared.inMemory("settings", { n = 0, group = { name = "a" } })
      return scripted.feature {
        state = { heard = 0 }, shared = { text = shared.inMemory("te#xt", ""), group = settings:at("group") },
        on = { rename = function(state) state.group.name = state.group.name .. "!" end },
      }:onChange("group", function(state) state.heard = state.heard + 1 end)
      """,
    ])
    let writer = try scripts.host.store("app")
    let reader = try scripts.host.store("reader")
    let records = Recorder<ActionRecord>()
    let observation = reader.onAction { records.record($0) }
    defer { withExtendedLifetime(observation) {} }
    for _ in 1...2 { try writer.send("write", ["count": 20]) }
    #expect(records.all.map(\.action.value) == [["type": "shared", "keys": ["te#xt"]]])
    for n in 1...3 as ClosedRange<Int64> {
      try writer.send("replace", ["n": .integer(n), "name": "a"])
    }
    #expect(records.all.count == 1)
    #expect(reader.state["heard"] == 0)
    // The store writes to the very value all the same, and hears of another one.
    reader.send("rename")
    #expect(writer.state["settings"] == ["n": 3, "group": ["name": "a!"]])
    try writer.send("replace", ["n": 3, "name": "b"])
    #expect(reader.state["group"] == ["name": "b"])
    #expect(records.all.count == 3)
  }

  /// A counter that shares `n`, writes down what its `onChange` heard, and a parent of two counters that
  /// shares the same value.
  private static let modules = [
    "keys": """
    local shared = scripted.shared
    return {
      count = shared.inMemory("count", 0),
      settings = shared.inMemory("settings", { theme = "light", groups = { { id = 7, name = "a" } } }),
    }
    """,
    "counter": """
    return scripted.feature {
      name = "Counter", state = { log = {} }, shared = { n = require("keys").count },
      on = {
        inc = function(state) state.n = state.n + 1 end,
        clear = function(state) state.n = nil end,
        fail = function(state) state.n = 99 error("no") end,
      },
    }:onChange("n", function(state, old, new)
      table.insert(state.log, tostring(old) .. ">" .. tostring(new))
    end)
    """,
    "app": """
    local keys, Counter = require "keys", require "counter"
    return scripted.feature {
      name = "App", state = { a = Counter.initial(), b = Counter.initial(), rows = {}, seen = {} },
      shared = { count = keys.count, settings = keys.settings },
      on = {
        look = function(state)
          state.count = state.count + 10
          state.seen = { state.a.n, state.b.n, scripted.snapshot(state.a).n }
        end,
        addRow = function(state, action)
          table.insert(state.rows, Counter.initial { id = action.id })
          state.seen = { state.rows[#state.rows].n }
        end,
        replace = function(state) scripted.replace(state, { a = Counter.initial(), b = Counter.initial(), rows = {}, count = 5 }) end,
        pairs = function(state)
          state.count = 3
          local found = {}
          for key, value in pairs(state) do if key == "count" then found[#found + 1] = value end end
          state.seen = found
        end,
        keep = function(state)
          local settings = state.settings
          state.settings = state.settings
          settings.theme = "dark"
        end,
        whole = function(state) state.settings = { theme = "blue" } end,
      },
    }:scope("a", Counter):scope("b", Counter):forEach("rows", Counter):ifLet("child", Counter)
    """,
  ]

  @Test func aWriteThroughOneFieldIsSeenThroughAllOthersInTheSameAction() throws {
    let scripts = try Scripts(Self.modules)
    let store = try scripts.store()
    #expect(store.state["a"]["n"] == 0)
    #expect(store.state["settings"]["theme"] == "light")
    store.send("a.inc")
    #expect(store.state["count"] == 1)
    #expect(store.state["b"]["n"] == 1)
    store.send("look")
    #expect(store.state["seen"] == [11, 11, 11])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func childrenThatComeHaveTheirSharedFields() throws {
    let scripts = try Scripts(Self.modules)
    let store = try scripts.store()
    store.send("a.inc")
    try store.send("addRow", ["id": 1])
    #expect(store.state["seen"] == [1])
    #expect(store.state["rows"][0]["n"] == 1)
    store.send("rows[1].inc")
    #expect(store.state["rows"][0]["n"] == 2)
    #expect(store.state["a"]["n"] == 2)
    try store.send("addRow", ["id": 2])
    store.send("a.inc")
    #expect(store.state["rows"][1]["n"] == 3)
  }

  @Test func aSharedValueCanBeRemovedAndReplacedAsAWhole() throws {
    let scripts = try Scripts(Self.modules)
    let store = try scripts.store()
    store.send("a.clear")
    #expect(store.state.object?["count"] == nil)
    #expect(store.state["b"].object?["n"] == nil)
    store.send("replace")
    #expect(store.state["count"] == 5)
    #expect(store.state["b"]["n"] == 5)
    // `replace` does not name `settings`.
    #expect(store.state["settings"]["theme"] == "light")
    store.send("pairs")
    #expect(store.state["seen"] == [3])
    store.send("keep")
    #expect(store.state["settings"]["theme"] == "dark")
    store.send("whole")
    #expect(store.state["settings"] == ["theme": "blue"])
    #expect(scripts.errors.isEmpty)
  }

  @Test func anActionThatRaisesChangesNoSharedValue() throws {
    let scripts = try Scripts(Self.modules)
    let (one, other) = (try scripts.store(), try scripts.store())
    one.send("a.fail")
    #expect(scripts.errors.count == 1)
    #expect(one.state["count"] == 0)
    #expect(other.state["count"] == 0)
    #expect(scripts.host.shared("count").value == 0)
  }

  @Test(arguments: [
    ("while true do end", "longer than 0.2 s"),
    ("state.n = ('x'):rep(40000) state.own = ('y'):rep(40000)", "more than 65536 bytes"),
  ])
  func anActionThatALimitStopsChangesNoSharedValue(code: String, reason: String) throws {
    let scripts = try Scripts([
      "app": """
      return scripted.feature {
        state = { own = "" }, shared = { n = scripted.shared.inMemory("n", "a") },
        on = {
          go = function(state) state.n = "b" \(code) end,
          set = function(state) state.n = "c" end,
        },
      }
      """
    ]) { $0.limits = Limits(time: .milliseconds(200), loadTime: .seconds(5), stateSize: 1 << 16) }
    let store = try scripts.store()
    store.send("go")
    #expect(scripts.errors.first?.message.contains(reason) == true, "\(scripts.errors)")
    #expect(store.state == ["own": "", "n": "a"])
    #expect(scripts.host.shared("n").value == "a")
    store.send("set")
    #expect(scripts.host.shared("n").value == "c")
  }

  /// A value that others may write, but that is no state of this store's child.
  @Test func aStepThatAStoreCannotHoldLeavesItAsItWas() throws {
    let scripts = try Scripts(
      app: """
        local Page = scripted.feature { state = {} }
        local Nav = scripted.feature { state = {} }:ifLet("page", scripted.cases { a = Page, b = Page })
        return scripted.feature {
          state = { own = 0 }, shared = { nav = scripted.shared.inMemory("nav", {}) },
          on = { inc = function(state) state.own = state.own + 1 end },
        }:scope("nav", Nav)
        """)
    let store = try scripts.store()
    let observation = store.observe { _ in }
    let nav = scripts.host.shared("nav")
    try nav.update { $0 = ["page": ["a": [:]]] }
    let (held, unholdable): (Value, Value) = (
      store.state["nav"], ["page": ["a": [:], "b": [:]]]
    )
    try nav.update { $0 = unholdable }
    #expect(scripts.errors.last?.message.contains("exactly one key") == true, "\(scripts.errors)")
    #expect(store.state["nav"] == held)
    #expect(nav.value == unholdable)
    store.send("inc")
    #expect(store.state["nav"] == held)
    try nav.update { $0 = ["page": ["b": [:]]] }
    #expect(store.state["nav"] == ["page": ["b": [:]]])
    let own = store.state["own"].int ?? -1
    store.send("inc")
    #expect(store.state["own"].int == own + 1)
    observation.cancel()
  }

  @Test func whatAStoreOfTheSameWorkerHasChangedComesAsAStep() throws {
    let scripts = try Scripts(Self.modules)
    let (one, other) = (try scripts.store(), try scripts.store())
    let records = Recorder<ActionRecord>()
    let observation = other.onAction { records.record($0) }
    one.send("a.inc")
    #expect(other.state["count"] == 1)
    #expect(other.state["a"]["log"] == ["0>1"])
    #expect(records.all.map(\.source) == [.shared])
    #expect(records.all.first?.action.value == ["type": "shared", "keys": ["count"]])
    // A change of nothing is no step.
    one.send("whatever")
    #expect(records.all.count == 1)
    observation.cancel()
  }

  @Test func eachOnChangeHearsOnceAlsoThoseThatTheActionDoesNotPass() throws {
    let scripts = try Scripts(Self.modules)
    let store = try scripts.store()
    store.send("a.inc")
    store.send("look")
    #expect(store.state["a"]["log"] == ["0>1", "1>11"])
    #expect(store.state["b"]["log"] == ["0>1", "1>11"])
  }

  @Test func theHostReadsUpdatesAndObservesAValue() throws {
    let scripts = try Scripts(Self.modules)
    let store = try scripts.store()
    let count = scripts.host.shared("count")
    let seen = Recorder<Value?>()
    let observation = count.observe { seen.record($0) }
    try count.update { $0 = .integer(41 + Int64($0?.int ?? 0)) }
    #expect(store.state["count"] == 41)
    #expect(store.state["a"]["log"] == ["0>41"])
    store.send("b.inc")
    #expect(count.value == 42)
    #expect(seen.all == [41, 42])
    observation.cancel()
    store.send("b.inc")
    #expect(seen.all.count == 2)
  }

  @Test func aFirstValueIsTakenFromTheFirstStoreOnly() throws {
    let scripts = try Scripts(Self.modules)
    let one = try scripts.store(state: ["count": 7])
    #expect(one.state["a"]["n"] == 7)
    let other = try scripts.store(state: ["count": 8])
    #expect(other.state["count"] == 7)
  }

  /// The function `meddle` of the host. In its first two calls another thread changes the shared value `n`. It returns `n`.
  private final class Meddler: Sendable {
    let host = Mutex<ScriptHost?>(nil)
    let calls = Mutex(0)

    var dependencies: Dependencies {
      var dependencies = Dependencies()
      dependencies.register("meddle", live: .function { [self] in meddle() })
      return dependencies
    }

    private func meddle() -> Int {
      guard let count = host.withLock({ $0?.shared("n") }) else { return -1 }
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      if call < 3 {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          try? count.update { $0 = .integer(100 * Int64(call)) }
          isDone.signal()
        }
        isDone.wait()
      }
      return count.value?.int ?? -1
    }
  }

  /// The first two tries meet a change of another thread. The third one runs alone, and the host's
  /// function reads the value meanwhile.
  @Test func anActionThatMeetsOtherThreadsIsReducedAgainAndAloneAtLast() throws {
    let meddler = Meddler()
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          state = { log = {} }, shared = { n = scripted.shared.inMemory("n", 0) }, dependencies = { "meddle" },
          on = {
            inc = function(state, action, deps)
              local before = state.n
              state.seen = deps.meddle()
              state.n = before + 1
            end,
          },
        }:onChange("n", function(state, old, new) table.insert(state.log, old .. ">" .. new) end)
        """
      ], dependencies: meddler.dependencies)
    meddler.host.withLock { $0 = scripts.host }
    defer { meddler.host.withLock { $0 = nil } }
    let store = try scripts.store()
    let records = Recorder<ActionRecord>()
    let observation = store.onAction { records.record($0) }
    store.send("inc")
    #expect(scripts.errors.isEmpty)
    #expect(meddler.calls.withLock { $0 } == 3)
    #expect(store.state["n"] == 201)
    #expect(store.state["seen"] == 200)
    #expect(store.state["log"] == ["0>100", "100>200", "200>201"])
    #expect(records.all.map(\.source) == [.shared, .shared, .input])
    #expect(records.all.map(\.number) == [1, 2, 3])
    observation.cancel()
  }

  @Test func anActionThatIsReducedAgainUsesUpNoIDOfAStack() throws {
    let meddler = Meddler()
    let scripts = try Scripts(
      [
        "app": """
        local Page = scripted.feature { name = "Page", state = { n = 0 } }
        return scripted.feature {
          state = { path = {} }, shared = { n = scripted.shared.inMemory("n", 0) }, dependencies = { "meddle" },
          on = {
            show = function(state, action, deps)
              state.n = state.n + 1
              table.insert(state.path, { page = { n = deps.meddle() } })
            end,
          },
        }:stack("path", scripted.cases { page = Page })
        """
      ], dependencies: meddler.dependencies)
    meddler.host.withLock { $0 = scripts.host }
    defer { meddler.host.withLock { $0 = nil } }
    let store = try scripts.store()
    store.send("show")
    #expect(scripts.errors.isEmpty)
    #expect(store.state["n"] == 201)
    #expect(store.state["path"] == [["id": 0, "page": ["n": 200]]])
  }

  @Test func whatObserversSeeLastIsTheNewestValue() throws {
    let scripts = try Scripts(Self.modules)
    let count = scripts.host.shared("count")
    let seen = Recorder<Value?>()
    let observation = count.observe { seen.record($0) }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<500 { try? count.update { $0 = .integer(1 + Int64($0?.int ?? 0)) } }
    }
    #expect(count.value == 2000)
    let numbers = seen.all.map { $0?.int ?? 0 }
    #expect(numbers == numbers.sorted())
    #expect(numbers.last == 2000)
    observation.cancel()
  }

  @Test func whatSettlingMakesOfAValueIsTheValueEverywhere() throws {
    let scripts = try Scripts(
      app: """
        local nav = scripted.shared.inMemory("nav", { path = {} })
        local Nav = scripted.feature { state = { path = {} } }:stack("path", scripted.feature { state = {} })
        return scripted.feature {
          state = {}, shared = { nav = nav, again = nav },
          on = { add = function(state) table.insert(state.again.path, { name = "a" }) end },
        }:scope("nav", Nav)
        """)
    let store = try scripts.store()
    store.send("add")
    #expect(scripts.errors.isEmpty)
    #expect(store.state["nav"]["path"][0]["id"] != .null)
    #expect(store.state["again"] == store.state["nav"])
    #expect(scripts.host.shared("nav").value == store.state["nav"])
    store.send("add")
    #expect(store.state["again"] == store.state["nav"])
    #expect(store.state["nav"]["path"][0]["id"] != store.state["nav"]["path"][1]["id"])
  }
}
