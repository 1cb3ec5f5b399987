#if Server
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// The inspector in the bar for development.
struct InspectorTests {
  private static let script = """
    local scripted = require "scripted"
    local ui = require "scripted.ui"
    local Row = scripted.feature {
      name = "Row", on = { rename = function(state) state.title = state.title .. "!" end },
      view = function(state) return ui.button { state.title, action = "rename" } end,
    }
    local rows = {}
    for id = 1, 100000 do rows[id] = { id = id, title = "row " .. id } end
    return scripted.feature {
      name = "App", state = { count = 0, rows = rows, long = ("x"):rep(5000), note = { text = "a" } },
      dependencies = { "uuid" },
      on = {
        increment = function(state, _, deps)
          state.count = state.count + #deps.uuid()
          return scripted.effect.run(function(send, deps) deps.uuid() end)
        end,
      },
      view = function(state)
        return ui.column { ui.button { "Increment", action = "increment" }, ui.text(state.count), ui.list { ui.forEach "rows" } }
      end,
    }:forEach("rows", Row)
    """

  private func running(_ body: (TestServer, TestPage) async throws -> Void) async throws {
    try await TestServer.running(Self.script) { (server, browser) async throws in
      let page = try browser.open()
      try page.send(["dev": "open"])
      try await body(server, page)
    }
  }

  /// What the page knows of the members of a value of the state.
  private func list(_ path: String, _ page: TestPage) -> Value {
    let lists = page.development.flatMap { Array($0["state"]["lists"].array ?? []) }
    return lists.last { $0[0].string == path }?[1] ?? .null
  }

  private func member(_ path: String, in parent: String, _ page: TestPage) -> Value {
    list(parent, page)["members"].array?.first { $0["path"].string == path } ?? .null
  }

  private func latest(_ key: String, _ page: TestPage) -> Value {
    page.development.last { !$0[key].isNull }?[key] ?? .null
  }

  // MARK: The state

  @Test func nothingOfTheStateIsSentWhileItsPanelIsClosed() async throws {
    try await running { (server, page) async throws in
      try page.perform(.tap, at: [1])
      try page.wait { latest("history", page)["last"] == 1 }
      try page.send(["dev": "panel", "name": "state"])
      try page.wait { !list("", page).isNull }
      try page.send(["dev": "panel", "name": "actions"])
      try page.perform(.tap, at: [1])
      try page.wait { latest("history", page)["last"] == 2 }
      for key in ["calls", "views"] { #expect(latest(key, page).isNull) }
      #expect(page.development.filter { !$0["state"].isNull }.count == 1)
    }
  }

  @Test func theMembersOfAValueAreSentWhenItIsOpenedAHundredAtATime() async throws {
    try await running { (server, page) async throws in
      try page.send(["dev": "panel", "name": "state"])
      try page.wait { !list("", page).isNull }
      #expect(list("", page)["count"] == 4)
      #expect(member("rows", in: "", page)["count"] == 100_000)
      #expect(list("rows", page).isNull)
      let bytes = page.bytes
      try page.send(["dev": "unfold", "path": "rows"])
      try page.wait { !list("rows", page).isNull }
      #expect(list("rows", page)["members"].array?.count == 100)
      #expect(page.bytes - bytes < 32 << 10)
      #expect(
        member("rows[100]", in: "rows", page) == [
          "path": "rows[100]", "name": "[100]", "text": #"{ id = 100, title = "row 100" }"#,
          "count": 2, "edit": #"{ id = 100, title = "row 100" }"#,
        ])
      try page.send(["dev": "unfold", "path": "rows"])
      try page.wait { list("rows", page)["shown"] == 200 }
      try page.send(["dev": "unfold", "path": "rows[2]"])
      try page.wait { !list("rows[2]", page).isNull }
      #expect(member("rows[2].title", in: "rows[2]", page)["text"] == #""row 2""#)
    }
  }

  @Test func whatTheLastActionHasChangedIsMarkedAlsoBeyondWhatIsShown() async throws {
    try await running { (server, page) async throws in
      try page.send(["dev": "panel", "name": "state"])
      try page.send(["dev": "unfold", "path": "rows"])
      try page.wait { !list("rows", page).isNull }
      server.store.send("rows[5000].rename")
      try page.wait { member("rows", in: "", page)["mark"] == "inside" }
      #expect(member("count", in: "", page)["mark"].isNull)
      #expect(list("rows", page)["members"].array?.count == 101)
      #expect(member("rows[5000]", in: "rows", page)["mark"] == "inside")
      #expect(member("rows[1]", in: "rows", page)["mark"].isNull)
      try page.perform(.tap, at: [1])
      try page.wait { member("count", in: "", page)["mark"] == "changed" }
      #expect(member("rows", in: "", page)["mark"].isNull)
      #expect(list("rows", page)["members"].array?.count == 100)
      // Time travel shows the state of then, with what the action of then has changed.
      try page.send(["dev": "step", "by": -1])
      try page.wait { member("rows", in: "", page)["mark"] == "inside" }
      #expect(member("count", in: "", page)["text"] == "0")
    }
  }

  @Test func aClosedValueIsSentNoMoreAndOnlySoManyCanBeOpen() async throws {
    try await running { (server, page) async throws in
      try page.send(["dev": "panel", "name": "state"])
      try page.send(["dev": "unfold", "path": "note"])
      try page.wait { !list("note", page).isNull }
      try page.send(["dev": "fold", "path": "note"])
      try page.send(["dev": "set", "path": "note.text", "value": "'b'"])
      try page.wait { member("note", in: "", page)["text"] == #"{ text = "b" }"# }
      #expect(member("note.text", in: "note", page)["text"] == #""a""#)
      for number in 1...200 {
        try page.send(["dev": "unfold", "path": .string("rows[\(number)]")])
        try page.wait { !list("rows[\(number)]", page).isNull || !latest("refused", page).isNull }
      }
      #expect(latest("refused", page) == "200 values are open; close one first")
    }
  }

  @Test func aValueIsEditedAndGoingBackUndoesItWhatDoesNotFitSaysWhere() async throws {
    try await running { (server, page) async throws in
      try page.send(["dev": "panel", "name": "state"])
      try page.wait { !list("", page).isNull }
      #expect(member("long", in: "", page)["edit"].isNull)
      #expect(member("rows", in: "", page)["edit"].isNull)
      #expect(member("count", in: "", page)["edit"] == "0")
      try page.send(["dev": "set", "path": "count", "value": "41"])
      try page.wait { member("count", in: "", page)["text"] == "41" }
      #expect(latest("set", page) == ["path": "count"])
      #expect(server.store.state["count"] == 41)
      try page.send(["dev": "set", "path": "rows[1]", "value": "five"])
      try page.wait { !latest("set", page)["error"].isNull }
      #expect(
        latest("set", page) == [
          "path": "rows[1]",
          "error": "rows[1]: five is no value; text goes in quotes",
        ])
      try page.send(["dev": "set", "path": "rows[1]", "value": "5"])
      try page.wait { latest("set", page)["error"].string?.contains("must be a table") == true }
      try page.send(["dev": "set"])
      try page.wait { latest("set", page)["path"] == "" }
      try page.send(["dev": "step", "by": -1])
      try page.wait { member("count", in: "", page)["text"] == "0" }
      #expect(server.store.state["count"] == 0)
    }
  }

  // MARK: Calls and views

  @Test func theCallsOfTheLastActionAndOfItsEffectsAreThereWithTheirAnswers() async throws {
    try await running { (server, page) async throws in
      try page.send(["dev": "panel", "name": "calls"])
      try page.wait { latest("calls", page)["number"] == 0 }
      #expect(latest("calls", page)["calls"] == [])
      try page.perform(.tap, at: [1])
      try page.wait { latest("calls", page)["calls"][1]["answer"].string != nil }
      let calls = latest("calls", page)
      #expect(calls["number"] == 1 && calls["action"] == "increment" && calls["count"] == 2)
      #expect(calls["calls"].array?.map { $0["name"] } == ["uuid", "uuid"])
      #expect(calls["calls"].array?.map { $0["caller"] } == ["handler", "effect"])
      #expect(calls["calls"][0]["answer"].string?.utf8.count == 38)
    }
  }

  @Test func theViewsThatRanForTheLastChangeAreThereAsLongAsThePanelIsOpen() async throws {
    try await running { (server, page) async throws in
      try page.send(["dev": "panel", "name": "views"])
      try page.wait { !latest("views", page).isNull }
      #expect(latest("views", page) == ["number": 0])
      server.store.send("rows[2].rename")
      try page.wait { latest("views", page)["action"] == 1 }
      #expect(latest("views", page)["count"] == 1)
      #expect(latest("views", page)["runs"][0][0] == "rows[2]")
      try page.perform(.tap, at: [1])
      try page.wait { latest("views", page)["action"] == 2 }
      #expect(latest("views", page)["runs"][0][0] == "")
      // Nothing of this row is on the screen.
      server.store.send("rows[90000].rename")
      try page.wait { latest("views", page)["number"] == 3 }
      #expect(latest("views", page)["action"] == 2)
    }
  }

  // MARK: Production

  @Test func inProductionThereIsNoInspector() async throws {
    try await TestServer.running(Self.script, .with { $0.isProduction = true }) {
      (server, browser) async throws in
      let page = try browser.open()
      for command: Value in [
        ["dev": "open"], ["dev": "panel", "name": "state"], ["dev": "unfold", "path": "rows"],
        ["dev": "set", "path": "count", "value": "41"],
      ] { try page.send(command) }
      try page.perform(.tap, at: [1])
      #expect(page.development.isEmpty)
      #expect(server.store.state["count"] == 36)
    }
  }
}
#endif
