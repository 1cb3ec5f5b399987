import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// Scripts are replaced by others while their stores go on.
struct ReloadTests {
  private static func counter(step: Int, more: String = "") -> String {
    """
    return scripted.feature {
      name = "Counter", state = { count = 0 },
      on = { up = function(state) state.count = state.count + \(step) end, \(more) },
    }
    """
  }

  @Test func theNextActionRunsTheNewCodeOnTheSameState() throws {
    let scripts = try Scripts(app: Self.counter(step: 1))
    let store = try scripts.store(state: ["other": [1, 2.0, "three"]])
    store.send("up")
    let before = store.state
    try scripts.write("app", Self.counter(step: 10))
    let report = try scripts.host.reload()
    #expect(store.state.json() == before.json())
    #expect(report.changed == ["app.lua"] && report.reloaded == ["app.lua"])
    #expect(report.removed.isEmpty && report.stores == 1 && report.generation == 1)
    #expect(scripts.host.generation == 1)
    store.send("up")
    #expect(store.state["count"] == 11)
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  /// A script may be missing when the changes are looked for, and be there when it is loaded.
  @Test func aScriptThatIsLoadedIsNeverReportedAsRemoved() throws {
    let scripts = try Scripts(app: Self.counter(step: 1))
    let store = try scripts.store()
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      for step in 2..<400 {
        if thread == 0 {
          try? scripts.remove("app")
          try? scripts.write("app", Self.counter(step: step))
        } else if let report = try? scripts.host.reload() {
          #expect(!report.removed.contains("app.lua"), "\(report)")
        }
      }
    }
    _ = try? scripts.host.reload()
    store.send("up")
  }

  @Test func whatHasNotChangedIsNotReloaded() throws {
    let scripts = try Scripts(app: Self.counter(step: 1))
    let store = try scripts.store()
    try scripts.write("app", Self.counter(step: 1))
    let report = try scripts.host.reload()
    #expect(!report.hasChanges && report.generation == 0 && scripts.host.generation == 0)
    #expect(report.description == "nothing to reload")
    store.send("up")
    #expect(store.state["count"] == 1)
  }

  @Test func aHostWithoutStoresHasNothingToReload() throws {
    let scripts = try Scripts(app: Self.counter(step: 1))
    try scripts.write("app", Self.counter(step: 2))
    #expect(try !scripts.host.reload().hasChanges)
    #expect(try scripts.store().state["count"] == 0)
  }

  @Test func allThatRequireAChangedModuleAreReloadedAndNoOthers() throws {
    let scripts = try Scripts([
      "step": "return { size = 1 }",
      "counter": """
      local step = require "step"
      return scripted.feature {
        name = "Counter", state = { count = 0 },
        on = { up = function(state) state.count = state.count + step.size end },
      }
      """,
      "app": """
      return scripted.feature { name = "App", state = { a = { count = 0 } } }:scope("a", require "counter")
      """,
      "alone": Self.counter(step: 1),
    ])
    let (store, alone) = (try scripts.store(), try scripts.host.store("alone"))
    try scripts.write("step", "return { size = 5 }")
    let report = try scripts.host.reload()
    #expect(report.changed == ["step.lua"])
    #expect(report.reloaded == ["app.lua", "counter.lua", "step.lua"])
    #expect(report.stores == 2)
    store.send("a.up")
    alone.send("up")
    #expect(store.state["a"]["count"] == 5 && alone.state["count"] == 1)
  }

  @Test func allWorkersReloadOrNone() throws {
    let scripts = try Scripts(["app": Self.counter(step: 1)], workers: 4)
    let stores = try (0..<8).map { _ in try scripts.store() }
    try scripts.write("app", Self.counter(step: 10))
    #expect(try scripts.host.reload().stores == 8)
    for store in stores { store.send("up") }
    #expect(stores.allSatisfy { $0.state["count"] == 10 })
    // One of the states cannot be migrated.
    stores[5].send("up")
    try scripts.write(
      "app",
      """
      return scripted.feature {
        name = "Counter", state = { count = 0 }, version = 2,
        migrate = function(state) if state.count == 20 then error("no") end state.new = true end,
        on = { up = function(state) state.count = state.count + 100 end },
      }
      """)
    #expect(scripts.refusal() != nil)
    #expect(stores.allSatisfy { $0.state["new"].isNull } && scripts.host.generation == 1)
    for store in stores { store.send("up") }
    #expect(stores.map { $0.state["count"] } == [20, 20, 20, 20, 20, 30, 20, 20])
  }

  @Test func newStoresRunTheNewCode() throws {
    let scripts = try Scripts(app: Self.counter(step: 1))
    let old = try scripts.store()
    try scripts.write(
      "app", Self.counter(step: 2).replacing("count = 0", with: "count = 40"))
    try scripts.host.reload()
    let new = try scripts.store()
    new.send("up")
    #expect(new.state["count"] == 42 && old.state["count"] == 0)
  }

  @Test func storesOfSwiftReducersReloadTheScriptsThatTheyName() throws {
    let scripts = try Scripts(
      ["counter": Self.counter(step: 1), "app": "return require(\"host\")"],
      reducers: ["host": .script("counter")])
    let store = try scripts.host.store(
      Reducer.empty.scope("a", .script("counter")), state: ["a": ["count": 0]])
    let other = try scripts.host.store("app", state: ["count": 0])
    try scripts.write("counter", Self.counter(step: 7))
    try scripts.host.reload()
    store.send("a.up")
    other.send("up")
    #expect(store.state["a"]["count"] == 7 && other.state["count"] == 7)
  }

  @Test func dependenciesOfStoresAndOfTheHostAreThereInTheNewCode() throws {
    var dependencies = Dependencies()
    dependencies.register("greeting", live: .value("hello"))
    dependencies.register("name", live: .value("host"))
    let app = { (mark: String) in
      """
      scripted.dependency { name = "mark", live = "\(mark)" }
      return scripted.feature {
        name = "App", state = {}, dependencies = { "greeting", "name", "mark" },
        on = { go = function(state, _, deps) state.text = deps.greeting .. " " .. deps.name .. deps.mark end },
      }
      """
    }
    let scripts = try Scripts(["app": app("?")], dependencies: dependencies)
    let store = try scripts.host.store("app", dependencies: ["name": .value("store")])
    store.send("go")
    #expect(store.state["text"] == "hello store?")
    try scripts.write("app", app("!"))
    try scripts.host.reload()
    store.send("go")
    #expect(store.state["text"] == "hello store!")
  }

  @Test func modulesThatAreRequiredLateAreReloaded() throws {
    let scripts = try Scripts([
      "late": "return { text = 'a' }",
      "app": """
      return scripted.feature {
        name = "App", state = {}, on = { go = function(state) state.text = require("late").text end },
      }
      """,
    ])
    let store = try scripts.store()
    store.send("go")
    try scripts.write("late", "return { text = 'b' }")
    #expect(try scripts.host.reload().reloaded == ["app.lua", "late.lua"])
    store.send("go")
    #expect(store.state["text"] == "b")
  }

  @Test func aModuleThatWasMissingIsThereOnceItIsWritten() throws {
    let scripts = try Scripts(
      app: """
        local found, more = pcall(require, "more")
        return scripted.feature {
          name = "App", state = {}, on = { go = function(state) state.text = found and more or "none" end },
        }
        """)
    let store = try scripts.store()
    store.send("go")
    #expect(store.state["text"] == "none")
    try scripts.write("more", "return 'found'")
    let report = try scripts.host.reload()
    #expect(report.changed == ["more.lua"] && report.reloaded == ["app.lua", "more.lua"])
    store.send("go")
    #expect(store.state["text"] == "found")
  }

  @Test func idsOfStacksNeverComeTwice() throws {
    let app = { (mark: String) in
      """
      -- \(mark)
      local Screen = scripted.feature { name = "Screen", state = {} }
      return scripted.feature { name = "App", state = { path = {} } }
        :stack("path", scripted.cases { screen = Screen })
      """
    }
    let scripts = try Scripts(app: app("one"))
    let store = try scripts.store()
    for _ in 0..<3 { try store.send("path.push", ["state": ["screen": [:]]]) }
    try store.send("path.popFrom", ["id": 1])
    try scripts.write("app", app("two"))
    try scripts.host.reload()
    try store.send("path.push", ["state": ["screen": [:]]])
    #expect(store.state["path"].array?.map { $0["id"] } == [0, 3])
  }

  @Test func childrenGivenAsFunctionsAreThoseOfTheNewCode() throws {
    let folder = { (name: String) in
      """
      local Folder
      Folder = scripted.feature {
        name = "Folder", state = { folders = {} },
        on = { name = function(state) state.name = "\(name)" end },
      }:forEach("folders", function() return Folder end)
      return Folder
      """
    }
    let scripts = try Scripts(app: folder("old"))
    let store = try scripts.store(
      state: ["folders": [["id": 1, "folders": [["id": 2, "folders": []]]]]])
    store.send("folders[1].folders[2].name")
    try scripts.write("app", folder("new"))
    try scripts.host.reload()
    store.send("folders[1].name")
    #expect(store.state["folders"][0]["name"] == "new")
    #expect(store.state["folders"][0]["folders"][0]["name"] == "old")
    store.send("folders[1].folders[2].name")
    #expect(store.state["folders"][0]["folders"][0]["name"] == "new")
  }

  @Test func aLongListIsFoundItsElementsInAfterAReload() throws {
    let app = { (step: Int) in
      """
      local Row = scripted.feature {
        name = "Row", state = { n = 0 }, on = { up = function(state) state.n = state.n + \(step) end },
      }
      return scripted.feature { name = "App", state = { rows = {} } }:forEach("rows", Row)
      """
    }
    let scripts = try Scripts(app: app(1))
    let rows = (0..<100).map { id -> Value in ["id": .integer(Int64(id)), "n": 0] }
    let store = try scripts.store(state: ["rows": .array(Value.List(rows))])
    for id in 0..<100 { try store.send("rows[\(id)].up") }
    try scripts.write("app", app(10))
    try scripts.host.reload()
    for id in 0..<100 { try store.send("rows[\(id)].up") }
    #expect(store.state["rows"].array?.allSatisfy { $0["n"] == 11 } == true)
    #expect(scripts.warnings.isEmpty)
  }

  @Test func aThousandReloadsLeaveOneCodeAndOneState() throws {
    let scripts = try Scripts(app: Self.counter(step: 0))
    let store = try scripts.store()
    for step in 1...1000 {
      try scripts.write("app", Self.counter(step: step))
      try scripts.host.reload()
      store.send("up")
    }
    #expect(store.state["count"] == 500_500 && scripts.host.generation == 1000)
  }

  @Test func whatOldScriptsHeldIsLetGoOf() throws {
    final class Witness: Sendable {}
    weak var witness: Witness?
    let scripts: Scripts
    do {
      let held = Witness()
      witness = held
      // Each VM keeps what a store's dependencies hold for as long as it is there.
      scripts = try Scripts(
        ["app": Self.counter(step: 1), "other": Self.counter(step: 1)])
      let store = try scripts.host.store(
        "other",
        dependencies: ["uuid": .function { () in withExtendedLifetime(held) { "x" } }])
      store.send("up")
      try scripts.write("other", Self.counter(step: 2))
      try scripts.host.reload()
      store.send("up")
      #expect(store.state["count"] == 3)
    }
    try scripts.write("other", Self.counter(step: 3))
    try scripts.host.reload()
    #expect(witness == nil)
  }
}

extension String {
  fileprivate func replacing(_ part: String, with other: String) -> String {
    replacingOccurrences(of: part, with: other)
  }
}
