import LuaBridge
import ScriptedStore
import Testing

/// How features are composed, for people and tools.
struct ReducerTreeTests {
  private static let app = """
    local Row = scripted.feature { name = "Row", state = { done = false }, on = { toggle = function() end } }
    local App
    App = scripted.feature {
      name = "App", binding = true, state = { rows = {}, title = "", nested = {} },
      dependencies = { "clock", "uuid" }, actions = { "delegate" },
      on = {
        add = function() end,
        ["rows[*].toggle"] = function() end,
        tree = function(state) state.tree = App.tree() end,
      },
    }
    App = App:forEach("rows", Row)
    App = App:dependency("uuid", function() return "1" end)
    App = App:onChange("title", function() end)
    App = App:forEach("nested", function() return App end)
    return App
    """

  private static let text = """
    App (feature at app.lua:3)
      state: nested, rows, title
      dependencies: clock, uuid
      on add (app.lua:7)
      on rows[*].toggle (app.lua:8)
      on tree (app.lua:9)
      actions: delegate, binding
      forEach rows[*] on state.rows (app.lua:12)
        Row (feature at app.lua:1)
          state: done
          on toggle (app.lua:1)
      dependency uuid (app.lua:13)
      onChange on state.title (app.lua:14)
      forEach nested[*] on state.nested (app.lua:15)
        App (as above)
    """

  @Test func theTextShowsReducersActionsStateDependenciesAndLines() throws {
    let scripts = try Scripts(app: Self.app)
    #expect(try scripts.host.tree(of: "app").description == Self.text)
  }

  @Test func scriptsGetTheSameText() throws {
    let scripts = try Scripts(app: Self.app)
    let store = try scripts.store()
    store.send("tree")
    #expect(store.state["tree"].string == Self.text)
    #expect(scripts.errors.isEmpty)
  }

  @Test func theValueHasTheSameForPrograms() throws {
    let scripts = try Scripts(app: Self.app)
    let tree = try scripts.host.tree(of: "app").value
    #expect(tree["name"] == "App")
    #expect(tree["state"] == ["nested", "rows", "title"])
    #expect(tree["handlers"][1] == ["pattern": "rows[*].toggle", "origin": "app.lua:8"])
    #expect(tree["children"][0]["action"] == "rows[*]")
    #expect(tree["children"][0]["key"] == "rows")
    #expect(tree["children"][0]["children"][0]["name"] == "Row")
    #expect(tree["children"][3]["children"] == [["kind": "recursion", "name": "App"]])
    #expect(tree.object?["key"] == nil && tree["children"][0].object?["state"] == nil)
  }

  @Test func theGraphHasANodeForEachReducer() throws {
    let scripts = try Scripts(
      app: """
        local A = scripted.feature { name = "A \\"x\\"", state = { a = {} }, on = {} }
        return A:scope("a", A)
        """)
    #expect(
      try scripts.host.tree(of: "app").dot == #"""
        digraph {
          node [shape=box];
          n0 [label="A \"x\" (feature at app.lua:1)\lstate: a\l"];
          n1 [label="scope a on state.a (app.lua:2)\l"];
          n2 [label="A \"x\" (feature at app.lua:1)\lstate: a\l"];
          n1 -> n2;
          n0 -> n1;
        }

        """#)
  }

  @Test func theSameChildTwiceIsNoRecursion() throws {
    let scripts = try Scripts(
      app: """
        local C = scripted.feature { name = "C", on = { up = function() end } }
        return scripted.feature { name = "P", on = {} }
          :scope("a", function() return C end):scope("b", function() return C end)
        """)
    let tree = try scripts.host.tree(of: "app")
    #expect(tree.children.map(\.children.first?.kind) == ["feature", "feature"])
  }

  @Test func groupsAndReducersInSwiftAreShown() throws {
    let scripts = try Scripts(["row": "return scripted.feature { name = 'Row', on = {} }"])
    let reducer = Reducer.combine(
      .reduce { _, _ in .none }, .script("row"), Reducer.empty.scope("a", .script("row")))
    let tree = try scripts.host.tree(of: reducer)
    #expect(tree.kind == "combine")
    #expect(tree.children.map(\.kind) == ["reduce", "feature", "scope"])
    #expect(tree.children[0].origin?.contains("ReducerTreeTests.swift:") == true)
    #expect(tree.children[2].children.map(\.name) == ["Row"])
  }

  @Test func presentedChildrenCasesAndStacksAreShown() throws {
    let scripts = try Scripts(
      app: """
        local C = scripted.feature { name = "C", on = { up = function() end } }
        local Cases = scripted.cases { edit = C, alert = scripted.ephemeral }
        local App = scripted.feature { name = "P", on = {} }
        App = App:ifLet("destination", Cases)
        return App:stack("path", scripted.cases { detail = C })
        """)
    #expect(
      try scripts.host.tree(of: "app").description == """
        P (feature at app.lua:3)
          ifLet destination on state.destination (app.lua:4)
            cases (app.lua:2)
              actions: alert
              case edit
                C (feature at app.lua:1)
                  on up (app.lua:1)
          stack path[*] on state.path (app.lua:5)
            cases (app.lua:5)
              case detail
                C (feature at app.lua:1)
                  on up (app.lua:1)
        """)
  }

  @Test func aTreeTellsWhenAChildIsThereAndWhichActionsAreTheOperatorsOwn() throws {
    let scripts = try Scripts([
      "app": """
      local C = scripted.feature { name = "C", on = { up = function() end } }
      local App = scripted.feature { name = "P", on = {} }
      App = App:scope("a", C):ifLet("b", C):forEach("c", C):stack("d", C):onChange("a", function() end)
      return scripted.combine { C:pullback { state = "e" }, App }
      """,
      "tagged": """
      local C = scripted.feature { name = "C", on = { up = function() end } }
      return scripted.feature { name = "P", state = { a = {} }, on = {} }:ifCaseLet("a", C)
      """,
    ])
    let tree = try scripts.host.tree(of: "app")
    let operators = tree.children[1].children
    #expect(operators.map(\.presence) == [.always, .optional, .elements, .stack, nil])
    #expect(operators.map(\.ownActions) == [[], ["dismiss"], [], ["push", "popFrom"], []])
    #expect(operators.map(\.childAction) == ["a", "b", "c", "d", nil])
    #expect(tree.children[0].presence == .always)
    let tagged = try scripts.host.tree(of: "tagged")
    #expect(tagged.children.map(\.presence) == [.inCase])
  }

  @Test func sharedFieldsAreShownWithTheirKeys() throws {
    let scripts = try Scripts([
      "keys": """
      local shared = scripted.shared
      return {
        settings = shared.fileStorage("settings.json", { theme = "light" }),
        groups = shared.inMemory("groups", {}),
      }
      """,
      "app": """
      local keys = require "keys"
      return scripted.feature {
        name = "App", state = { text = "" },
        shared = {
          theme = keys.settings:at("theme"):reader(), status = keys.settings:status(),
          group = keys.groups:at { "list.x", 2 }, phone = scripted.shared.inherited("signUp.phone"),
          groups = keys.groups,
        },
      }
      """,
    ])
    let tree = try scripts.host.tree(of: "app")
    #expect(
      tree.description == """
        App (feature at app.lua:2)
          state: text
          shared group = inMemory "groups":at { "list.x", 2 } (keys.lua:4)
          shared groups = inMemory "groups" (keys.lua:4)
          shared phone = inherited "signUp.phone" (app.lua:6)
          shared status = fileStorage "settings.json":status() (keys.lua:3)
          shared theme = fileStorage "settings.json":at("theme"):reader() (keys.lua:3)
        """)
    #expect(
      tree.value["shared"][1] == [
        "field": "groups", "key": #"inMemory "groups""#, "origin": "keys.lua:4",
      ])
  }

  @Test func aFeatureThatDoesNotLoadThrows() throws {
    let scripts = try Scripts(app: "error('no')")
    #expect(scriptError { _ = try scripts.host.tree(of: "app") }?.line == 1)
  }
}
