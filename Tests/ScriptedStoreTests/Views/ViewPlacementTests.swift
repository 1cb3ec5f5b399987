import LuaBridge
import ScriptView
import ScriptedStore
import Testing

/// Children where views place them: scopes, optional children, cases, stacks, and what is presented.
struct ViewPlacementTests {
  private func text(_ tree: ViewTree) -> String { TextDrawing.draw(tree.value) }

  private static let child = """
    local Child = scripted.feature {
      name = "Child", state = { n = 0 },
      on = { up = function(state) state.n = state.n + 1 end },
      view = function(state, env) return ui.text("n is " .. state.n .. (env.mark or "")) end,
    }

    """

  // MARK: One child

  @Test func aScopeIsPlacedByItsAction() throws {
    let (scripts, store, tree) = try shown(
      Self.child + """
        return scripted.feature {
          state = { a = { child = Child.initial() } },
          view = function() return ui.row { ui.child("kid", { env = { mark = "!" } }) } end,
        }:scope("a.child", Child, { action = "kid" })
        """)
    #expect(
      tree.value["children"][0] == [
        "kind": "child", "action": "kid", "children": [["kind": "text", "text": "n is 0!"]],
      ])
    store.send("kid.up")
    #expect(tree.value["children"][0]["children"][0]["text"] == "n is 1!")
    #expect(tree.evaluated == ["kid"])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aScopeByFunctionsIsPlaced() throws {
    let (_, store, tree) = try shown(
      Self.child + """
        return scripted.feature {
          state = { m = 1 },
          view = function() return ui.child "kid" end,
        }:scope({ get = function(s) return { n = s.m * 2 } end, set = function(s, c) s.m = c.n end }, Child, { action = "kid" })
        """)
    #expect(tree.value["children"][0]["text"] == "n is 2")
    store.send("kid.up")
    #expect(tree.value["children"][0]["text"] == "n is 6")
  }

  @Test func anActionOnThePathOfAChildMayBeginWithACombiningCharacter() throws {
    let (scripts, store, tree) = try shown(
      Self.child + """
        local Group = scripted.feature { name = "Group", state = { child = Child.initial() } }
          :scope("child", Child, { action = "\\u{301}kid" })
        return scripted.feature {
          state = { group = { child = Child.initial() } },
          view = function() return ui.child "group.\\u{301}kid" end,
        }:scope("group", Group)
        """)
    #expect(tree.value["children"][0]["text"] == "n is 0")
    store.send("group.\u{301}kid.up")
    #expect(tree.value["children"][0]["text"] == "n is 1")
    #expect(tree.evaluated == ["group.\u{301}kid"])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func anOptionalChildIsNothingWhileItIsAbsent() throws {
    let (scripts, store, tree) = try shown(
      Self.child + """
        return scripted.feature {
          state = {},
          on = { open = function(state) state.editor = Child.initial() end },
          view = function() return ui.column { ui.child "editor", "after" } end,
        }:ifLet("editor", Child)
        """)
    #expect(tree.value["children"][0] == ["kind": "child", "action": "editor"])
    store.send("open")
    #expect(tree.value["children"][0]["children"] == [["kind": "text", "text": "n is 0"]])
    store.send("editor.dismiss")
    #expect(tree.value["children"][0] == ["kind": "child", "action": "editor"])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  private static let cases =
    child + """
      local Other = scripted.feature { name = "Other", state = { title = "" }, view = function(state) return ui.heading(state.title) end }
      local Cases = scripted.cases { child = Child, other = Other, alert = scripted.ephemeral }

      """

  @Test func casesWithoutAViewShowThePresentCase() throws {
    let (scripts, store, tree) = try shown(
      Self.cases + """
        return scripted.feature {
          state = { mode = { child = { n = 3 } } },
          on = { switch = function(state) state.mode = { other = { title = "Other" } } end },
          view = function() return ui.child "mode" end,
        }:scope("mode", Cases)
        """)
    #expect(
      tree.value["children"][0] == [
        "kind": "child", "action": "child", "children": [["kind": "text", "text": "n is 3"]],
      ])
    store.send("switch")
    #expect(tree.value["children"][0]["action"] == "other")
    #expect(tree.value["children"][0]["children"][0]["kind"] == "heading")
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty)
  }

  @Test func aViewOfCasesPlacesThePresentOneOrANamedOne() throws {
    let (scripts, store, tree) = try shown(
      Self.cases + """
        local Framed = Cases:view(function(state)
          return ui.group { title = state.other and "other" or "child", ui.child(), ui.child "other" }
        end)
        return scripted.feature {
          state = { mode = { child = { n = 3 } } },
          on = { switch = function(state) state.mode = { other = { title = "Other" } } end },
          view = function() return ui.child "mode" end,
        }:scope("mode", Framed)
        """)
    let group = tree.value["children"][0]
    #expect(group["title"] == "child")
    #expect(group["children"][0]["action"] == "child")
    #expect(group["children"][1] == ["kind": "child", "action": "other"])
    store.send("switch")
    #expect(tree.value["children"][0]["children"][1]["children"][0]["text"] == "Other")
    #expect(scripts.errors.isEmpty)
  }

  @Test func aPlacedFeatureWithoutAViewIsAnErrorThatNamesIt() throws {
    let (scripts, _, tree) = try shown(
      """
      local Mute = scripted.feature { name = "Mute", state = { n = 0 } }
      return scripted.feature {
        state = { mute = Mute.initial() },
        view = function() return ui.column { "before", ui.child "mute" } end,
      }:scope("mute", Mute)
      """)
    #expect(tree.value["children"][0]["text"] == "before")
    let failed = tree.value["children"][1]["children"][0]
    #expect(failed["error"]["message"].string?.hasPrefix("Mute has no view") == true)
    #expect(scripts.errors.count == 1)
  }

  // MARK: Presentation

  @Test func whatIsPresentedIsThereWhileItsStateIs() throws {
    let (scripts, store, tree) = try shown(
      Self.cases + """
        return scripted.feature {
          state = {},
          on = {
            open = function(state) state.destination = { child = Child.initial() } end,
            alert = function(state)
              state.destination = { alert = { title = "Sure?", message = "Really", buttons = {
                { label = "Delete", role = "destructive", action = "confirm" }, { label = "Keep", role = "cancel" },
              } } }
            end,
            ["destination.alert.confirm"] = function(state) state.confirmed = true end,
          },
          view = function() return ui.screen { title = "App", "body", sheet = "destination.child", alert = "destination.alert" } end,
        }:ifLet("destination", Cases)
        """)
    #expect(tree.value["sheet"] == .null && tree.value["alert"] == .null)
    store.send("open")
    #expect(
      tree.value["sheet"] == [
        "kind": "child", "action": "destination.child",
        "children": [["kind": "text", "text": "n is 0"]],
      ])
    store.send("destination.child.up")
    #expect(tree.evaluated == ["destination.child"])
    store.send("alert")
    #expect(tree.value["sheet"] == .null)
    #expect(tree.value["alert"]["children"][0]["title"] == "Sure?")
    let task = try tree.perform(.tap, at: ViewPath([.presentation("alert"), .child(1), .child(1)]))
    #expect(task != nil)
    #expect(store.state["confirmed"] == true)
    #expect(tree.value["alert"] == .null)
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test func aSheetLeavesOutTheCasesThatAreAlertsBesideIt() throws {
    let (scripts, store, tree) = try shown(
      Self.child + """
        local Photo = scripted.feature { name = "Photo", view = function() return "photo" end }
        return scripted.feature {
          state = {},
          on = {
            add = function(state) state.destination = { add = Child.initial() } end,
            edit = function(state) state.destination = { edit = Child.initial { n = 1 } } end,
            photo = function(state) state.destination = { photo = {} } end,
            ask = function(state) state.destination = { alert = { title = "Sure?" } } end,
          },
          view = function()
            return ui.screen {
              title = "Root", sheet = "destination", cover = "destination.photo", alert = "destination.alert",
            }
          end,
        }:ifLet("destination", scripted.cases { add = Child, edit = Child, photo = Photo, alert = scripted.ephemeral })
        """)
    func presented() -> [String] {
      ["sheet", "cover", "alert"].filter { !tree.value[$0].isNull }
    }
    store.send("add")
    #expect(presented() == ["sheet"])
    #expect(text(tree).contains("n is 0"))
    store.send("edit")
    #expect(presented() == ["sheet"])
    #expect(text(tree).contains("n is 1"))
    store.send("photo")
    #expect(presented() == ["cover"])
    store.send("ask")
    #expect(presented() == ["alert"])
    #expect(tree.value == tree.madeAnew)
    try tree.perform(.dismiss, at: ViewPath([.presentation("alert")]))
    #expect(store.state["destination"] == .null)
    store.send("edit")
    try tree.perform(.dismiss, at: ViewPath([.presentation("sheet")]))
    #expect(store.state["destination"] == .null)
    #expect(presented() == [])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty, "\(scripts.errors)")
  }

  @Test func aStackShowsItsRootAndItsEntries() throws {
    let (scripts, store, tree) = try shown(
      Self.cases + """
        return scripted.feature {
          state = { path = {} },
          view = function() return ui.navigation { path = "path", ui.text "root" } end,
        }:stack("path", Cases)
        """)
    #expect(tree.value["children"][0]["text"] == "root")
    try store.send("path.push", ["state": ["child": ["n": 7]]])
    try store.send("path.push", ["state": ["other": ["title": "Top"]]])
    let entries = tree.value["children"][1]
    #expect(entries["children"].array?.count == 2)
    #expect(text(tree).contains("Top") && !text(tree).contains("root"))
    try tree.perform(.back)
    #expect(store.state["path"].array?.count == 1)
    store.send("path[0].child.up")
    #expect(tree.evaluated == ["path[0].child"])
    #expect(tree.value == tree.madeAnew)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  // MARK: Swift

  @Test func aReducerInSwiftHasAView() throws {
    let app = Reducer.reduce { state, action in
      if action.path == "up" { state["n"] = Value.integer(Int64(state["n"].int ?? 0) + 1) }
      if action.path == "other" { state["other"] = true }
      return .none
    }
    .view { state, env in
      [
        "kind": "column",
        "children": [
          .string("n is \(state["n"].int ?? 0) on \(env["platform"].string ?? "?")"),
          ["kind": "child", "action": "child"], ["kind": "textField", "label": "N", "bind": "n"],
        ],
      ]
    }
    .scope("child", .script("app"))
    let scripts = try Scripts(
      ["app": "local ui = require \"scripted.ui\"\n" + Self.child + "return Child"])
    let store = try scripts.host.store(app, state: ["n": 1, "child": ["n": 5]])
    let tree = store.view()
    tree.recordEvaluated()
    #expect(tree.value["children"][0]["text"] == "n is 1 on text")
    #expect(tree.value["children"][1]["children"][0]["text"] == "n is 5")
    #expect(tree.value["children"][2]["value"] == 1)
    store.send("other")
    #expect(tree.evaluated == [])
    store.send("child.up")
    #expect(tree.evaluated == ["child"])
    store.send("up")
    #expect(tree.evaluated == [""])
    #expect(tree.value["children"][0]["text"] == "n is 2 on text")
    #expect(tree.value == tree.madeAnew)
  }

  // Proof: one thread uses it.
  private final class Kept: @unchecked Sendable { var state: ViewState? }

  @Test func whatAViewInSwiftKeepsIsNullWhenItHasRun() throws {
    let kept = Kept()
    let app = Reducer.reduce { _, _ in .none }.view { state, _ in
      kept.state = state["list"]
      return .string("\(state["list"].count) rows")
    }
    do {
      let scripts = try Scripts(["app": "return scripted.feature { state = {} }"])
      let store = try scripts.host.store(app, state: ["list": [["n": 1]]])
      let tree = store.view()
      #expect(tree.value["text"] == "1 rows")
      #expect(kept.state?[0]["n"].isNull == true)
      withExtendedLifetime(tree) {}
    }
    let state = try #require(kept.state)
    #expect(state.value == .null && state.count == 0 && state[0].isNull && state["n"].isNull)
  }
}
