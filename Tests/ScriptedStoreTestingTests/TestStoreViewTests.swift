import Foundation
import ScriptedStoreTesting
import Testing

/// The Swift face of test views; what can be found and done is tested in full with the scripts' face, which shares it.
@Suite struct TestStoreViewTests {
  private func counter() throws -> TestStore {
    try TestStore("counter", root: exampleScripts, dependencies: ["clock": .clock(TestClock())])
  }

  private func rows(_ count: Int) throws -> TestStore {
    let rows = (1...count).map {
      Value.object(["id": .integer(Int64($0)), "label": .string("row \($0)")])
    }
    return try TestStore(
      "rows", root: exampleScripts,
      state: ["rows": .array(.init(rows)), "selected": 0, "nextId": 9000])
  }

  @Test func aTestFindsAButtonByItsNameTapsItAndSaysWhatThatMakesOfTheState()
    async throws
  {
    let store = try counter()
    try await store.view.find(.button, "Increment").tap { $0["count"] = 1 }
    #expect(store.view.evaluated == [""])
    #expect(store.view.text().contains("1"))
    #expect(store.view.html.contains("<button"))
    #expect(store.view.audit.isEmpty)
  }

  @Test func whatIsNotOnTheScreenIsAnErrorThatSaysWhatThereIs() async throws {
    let store = try counter()
    let error = #expect(throws: ScriptError.self) { try store.view.find(.button, "Incremen") }
    #expect(error?.message.contains("'Increment'") == true, "\(error?.message ?? "")")
    #expect(try store.view.query(.button, "Nothing") == nil)
    #expect(try store.view.all(.button).count > 1)
  }

  @Test func rowsAreFoundByTheirNumberInTheirWindowOrNot() async throws {
    let store = try rows(500)
    let view = store.view
    let list = try #require(try view.all(.list).first ?? view.all(.table).first)
    let row = try view.find(.row, number: 400)
    #expect(row.name?.contains("row 400") == true, "\(row.name ?? "")")
    list.scroll(to: 400)
    #expect(view.text().contains("row 400") && !view.text().contains("row 300\n"))
  }

  @Test func aViewIsAsWideAsResizeHasSaid() throws {
    let view = try TestStore("todos", root: exampleScripts).view
    #expect(view.text() == view.text(width: 80))
    view.resize(toColumns: 12)
    #expect(view.text() == view.text(width: 12))
    #expect(view.text() != view.text(width: 80))
  }

  private static let mail = """
    local scripted = require "scripted"
    local ui = require "scripted.ui"
    return scripted.feature {
      name = "App", binding = true, state = { tab = "Inbox" },
      view = function()
        return ui.screen {
          title = "Mail",
          ui.columns {
            compact = "tabs", style = "sidebar", bind = "tab",
            ui.list { label = "Inbox", ui.text "Hello" },
            ui.section { title = "Message", ui.text "It rains." },
          },
        }
      end,
    }
    """

  @Test func columnsAreTabsWhereItIsCompactAndOneChoosesThem() async throws {
    let view = try store(Self.mail).view
    func has(_ text: String) -> Bool { view.text().contains(text) }
    #expect(has("Hello") && has("It rains."))
    #expect(try view.all(.tab).isEmpty)
    view.resize(toColumns: 50)
    #expect(has("Hello") && !has("It rains."))
    try await view.find(.tab, "Message").tap { $0["tab"] = "Message" }
    #expect(!has("Hello") && has("It rains."))
    view.resize(toColumns: 60)
    #expect(has("Hello") && has("It rains."))
    #expect(try view.all(.tab).isEmpty)
  }

  private static let boxes = """
    local scripted = require "scripted"
    local ui = require "scripted.ui"
    return scripted.feature {
      name = "App", state = { count = 0, boxes = { { id = 1 }, { id = 2 } } },
      on = { add = function(state) state.count = state.count + 1 end },
      view = function(state)
        return ui.screen {
          ui.button { "Count " .. state.count, action = "add" },
          ui.forEach(state.boxes, function(box)
            return ui.columns {
              compact = "tabs", ui.column { label = "One", "first " .. box.id }, ui.column { label = "Two", "second" },
            }
          end),
        }
      end,
    }
    """

  @Test
  func columnsInRowsAreTabsWhereItIsCompactAlsoAfterTheViewRanForAnotherReason()
    async throws
  {
    let view = try store(Self.boxes).view
    #expect(try view.all(.tab).isEmpty)
    // Only the rows depend on the width, and they do not run again for this.
    try await view.find(.button, "Count 0").tap { $0["count"] = 1 }
    view.resize(toColumns: 50)
    #expect(try view.all(.tab).count == 4)
    #expect(view.text().contains("first 2") && !view.text().contains("second"))
    try await view.find(.button, "Count 1").tap { $0["count"] = 2 }
    view.resize(toColumns: 60)
    #expect(try view.all(.tab).isEmpty)
    #expect(view.text().contains("second"))
  }

  /// A store of a script.
  private func store(_ script: String) throws -> TestStore {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(script.utf8).write(to: folder.appending(path: "app.lua"))
    return try TestStore("app", root: folder.path)
  }

  @Test func aRowIsMovedInItsListAndIntoAnotherOne() async throws {
    let store = try TestStore("kanban", root: exampleScripts)
    let view = store.view
    let draw: Value = ["id": 2, "title": "Draw the icons"]
    let write: Value = ["id": 1, "title": "Write the guide"]
    try await view.find(.row, "Draw the icons").move(to: 1) { $0["todo"] = [draw, write] }
    try await view.find(.row, "Draw the icons").move(to: 2, in: view.find(.list, "Doing")) {
      $0["todo"] = [write]
      $0["doing"] = [["id": 3, "title": "Drag a card"], draw]
    }
  }

  @Test func aFieldTakesTextAndAStateThatIsNotAsExpectedIsReported() async throws {
    let messages = await reportedIssues {
      let store = try TestStore("case_studies.binding_basics", root: exampleScripts)
      try await store.view.find(.textField).type("Blob") { $0["text"] = "Blo" }
    }
    try #require(messages.count == 1, "\(messages)")
    #expect(messages[0].contains("the state is not what was expected"))
  }

  @Test func whatAPersonCouldNotDoIsReportedAndTheTestGoesOn() async throws {
    let messages = await reportedIssues {
      let store = try TestStore("todos", root: exampleScripts)
      let clear = try store.view.find(.button, "Clear completed")
      #expect(clear.isDisabled)
      await clear.tap()
      await store.view.back()
    }
    try #require(messages.count == 2, "\(messages)")
    #expect(messages[0].contains("'Clear completed' is disabled"), "\(messages)")
    #expect(messages[1].contains("nothing to go back to"), "\(messages)")
  }

  @Test func theEnvironmentIsAnotherOneOnANarrowScreen() async throws {
    let store = try TestStore(
      .reduce { _, _ in .none }.view { _, env in ["kind": "text", "text": env["width"].value] },
      state: [:])
    #expect(store.view.text() == "regular\n" || store.view.text() == "regular")
    store.view.setEnvironment("width", to: "compact")
    #expect(store.view.tree["text"] == "compact")
  }

  @Test func aScreenWithoutNamesIsReportedAtTheEnd() async throws {
    let messages = await reportedIssues {
      let store = try TestStore(
        .reduce { _, _ in .none }.view { _, _ in ["kind": "toggle", "value": false] }, state: [:])
      #expect(store.view.tree["kind"] == "toggle")
    }
    #expect(messages.count == 1 && messages[0].contains("toggle"), "\(messages)")
  }
}
