#if Server
import ScriptView
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// Pages.
struct PageTests {
  @Test func aPageShowsTheScreenAndWhatAPersonDoesThere() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open("?width=compact&colorScheme=dark&locale=de-DE")
      #expect(page.tree["children"][0]["text"] == "Count: 0")
      #expect(page.tree["children"][3]["text"] == "compact dark web")
      try page.perform(.tap, at: [2])
      #expect(page.tree["children"][0]["text"] == "Count: 1")
      try page.perform(.press("mod+i"))
      #expect(page.tree["children"][0]["text"] == "Count: 2")
      try page.perform(.enter("Blob"), at: [3])
      #expect(page.tree["children"][2]["value"] == "Blob")
      #expect(page.refusals.isEmpty)
    }
  }

  @Test func whatAnEventDidIsThereWhenItIsToldToBeSeen() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open()
      for number in 1...100 {
        try page.begin(.tap, at: [2])
        try page.settle()
        #expect(page.tree["children"][0]["text"] == .string("Count: \(number)"))
      }
    }
  }

  @Test func anEqualActionThatFailsLaterDoesNotMakeAnEventFail() async throws {
    let script = """
      local ui = require "scripted.ui"
      return require("scripted").feature {
        name = "App", state = { isPaid = false },
        on = { pay = function(state)
          if state.isPaid then error("paid already") end
          state.isPaid = true
        end },
        view = function(state) return ui.column { ui.button { "Pay", action = "pay" } } end,
      }
      """
    try await TestServer.running(script) { (server, browser) async throws in
      let page = try browser.open()
      let observation = server.store.onAction { record in
        if record.error == nil { server.store.send("pay") }
      }
      try page.perform(.tap, at: [1])
      #expect(page.refusals.isEmpty)
      observation.cancel()
      try page.perform(.tap, at: [1])
      #expect(page.refusals.map(\.message) == ["That did not work"])
    }
  }

  @Test func twoPagesShowOneStore() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let (first, second) = (try browser.open(), try server.browser().open())
      try first.perform(.tap, at: [2])
      try second.wait { second.tree["children"][0]["text"] == "Count: 1" }
      try second.perform(.tap, at: [2])
      try first.wait { first.tree["children"][0]["text"] == "Count: 2" }
      #expect(server.stores.withLock { $0.count } == 1)
      #expect(first.seen == 1)
    }
  }

  @Test func withSessionsEachBrowserHasAStoreOfItsOwnAndItsPagesShareIt() async throws {
    try await TestServer.running(Scripts.counter, .with { $0.storesPerSession = true }) {
      (server, browser) async throws in
      let (first, other) = (try browser.open(), try server.browser().open())
      try first.perform(.tap, at: [2])
      let second = try browser.open()
      #expect(second.tree["children"][0]["text"] == "Count: 1")
      #expect(other.tree["children"][0]["text"] == "Count: 0")
      #expect(server.stores.withLock { $0.count } == 2)
    }
  }

  @Test func aPageMaySayThatItsWidthHasChanged() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open("?width=compact")
      try page.send(["env": ["width": "regular"]])
      try page.waitForFrame()
      #expect(page.tree["children"][3]["text"] == "regular light web")
      try page.perform(.tap, at: [2])
      #expect(page.tree["children"][0]["text"] == "Count: 1")
    }
  }

  @Test func anAnimationIsInTheFrameOfItsAction() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open()
      server.store.send("animate")
      try page.waitForFrame()
      #expect(page.reader.animation == "spring")
      try page.perform(.tap, at: [2])
      #expect(page.reader.animation.isNull)
    }
  }

  @Test func aSavedScriptChangesThePageAndItsStateStays() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open()
      try page.perform(.tap, at: [2])
      try server.save(Scripts.counter.replacing("Count: ", with: "Number: "))
      try page.waitForFrame()
      #expect(page.tree["children"][0]["text"] == "Number: 1")
      try page.perform(.tap, at: [2])
      #expect(page.tree["children"][0]["text"] == "Number: 2")
    }
  }

  @Test func aFeatureWithoutAViewIsAnErrorThatThePageShows() async throws {
    let script = #"return require("scripted").feature { name = "App", state = { count = 0 } }"#
    try await TestServer.running(script) { (server, browser) async throws in
      let page = try TestPage(browser)
      #expect(try page.waitForClose() == 1013)
    }
  }

  // MARK: Typing

  @Test func whatIsTypedIsPutTogetherFromItsChanges() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open()
      func type(
        _ start: Int, _ removed: Int, _ inserted: String, from: Int? = nil, more: Bool = false
      ) throws -> Int {
        var fields: Value.Object = [
          "gesture": "type", "start": Value(start), "removed": Value(removed),
          "inserted": .string(inserted),
        ]
        fields["from"] = from.map { Value($0) }
        if more { fields["more"] = 1 }
        return try page.begin(fields, at: [3])
      }
      // Without a wait, so that the tree is behind.
      let first = try type(0, 0, "M")
      let second = try type(1, 0, "ilk", from: first)
      _ = try type(0, 1, "S", from: second)
      try page.settle()
      #expect(server.store.state["name"] == "Silk")
      // From what the tree has, in pieces.
      try page.wait { page.tree["children"][2]["value"] == "Silk" }
      let long = String(repeating: "é", count: 7_000)
      var last = try type(0, 4, long, more: true)
      for piece in 1..<4 { last = try type(piece * 7_000, 0, long, from: last, more: piece < 3) }
      try page.settle()
      #expect(server.store.state["name"] == .string(String(repeating: long, count: 4)))
    }
  }

  @Test func whatIsTypedRightAfterAHandlerHasChangedTheFieldIsNotJoinedWithWhatWasThere()
    async throws
  {
    let script = """
      local scripted = require "scripted"
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "Form", binding = true, state = { name = "", sent = {} },
        on = { submit = function(state)
          table.insert(state.sent, state.name)
          state.name = ""
        end },
        view = function(state)
          return ui.form { onSubmit = "submit", ui.textField { label = "Name", bind = "name" } }
        end,
      }
      """
    try await TestServer.running(script) { (server, browser) async throws in
      let page = try browser.open()
      var last: Int?
      func type(_ start: Int, _ inserted: String) throws {
        var fields: Value.Object = [
          "gesture": "type", "start": Value(start), "removed": 0, "inserted": .string(inserted),
        ]
        fields["from"] = last.map { Value($0) }
        last = try page.begin(fields, at: [1])
      }
      // All of it comes before the page has heard anything.
      try type(0, "first")
      try page.begin(["gesture": "submit"], at: [1])
      for (index, letter) in "second".enumerated() { try type(5 + index, String(letter)) }
      try page.begin(["gesture": "submit"], at: [1])
      try type(11, "third")
      try page.settle()
      #expect(server.store.state["sent"] == ["first", "second"])
      #expect(server.store.state["name"] == "third")
      #expect(page.refusals.isEmpty)
    }
  }

  @Test func aChangeThatDoesNotFitIsRefusedAndTheWholeTextIsTakenAfterwards() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open()
      func type(_ fields: Value.Object) throws {
        try page.begin(fields.merging(["gesture": "type"]), at: [3])
        try page.settle()
      }
      try type(["start": 5, "removed": 0, "inserted": "x"])
      #expect(page.refusals.map(\.message) == ["this text was not taken"])
      // The page is asked for the whole text, and the person is told nothing.
      try type(["start": 0, "removed": 0, "inserted": "x", "from": 99])
      #expect(page.refusals.map(\.message) == ["this text was not taken", ""])
      #expect(page.askedAgain == [2])
      try type(["start": 0, "removed": 0, "inserted": "Milk"])
      #expect(server.store.state["name"] == "Milk")
    }
  }

  @Test func aTextThatIsTypedInAVersionThatHasGoneIsAskedForAgain() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open()
      let version = page.reader.version
      try page.perform(.tap, at: [2])
      try page.perform(.tap, at: [2])
      try page.begin(
        ["gesture": "type", "start": 0, "removed": 0, "inserted": "x", "at": Value(version)],
        at: [3])
      try page.settle()
      #expect(page.askedAgain == [3])
      #expect(server.store.state["name"] == "")
    }
  }

  @Test func whatWasTypedBelowANodeThatHasComeMeanwhileIsEnteredIntoItsField() async throws {
    let script = """
      local ui = require "scripted.ui"
      return require("scripted").feature {
        name = "App", binding = true, state = { a = "AAA", b = "x" },
        on = { add = function(state) state.isSaved = true end },
        view = function(state)
          local nodes = state.isSaved and { ui.text "Saved" } or {}
          for _, name in ipairs { "a", "b" } do
            nodes[#nodes + 1] = ui.textField { label = name, bind = name }
          end
          nodes[#nodes + 1] = ui.button { "Add", action = "add" }
          return ui.column(nodes)
        end,
      }
      """
    try await TestServer.running(script) { (server, browser) async throws in
      let page = try browser.open()
      try page.sendAtOnce([
        page.message(of: ["gesture": "tap"], at: [3]),
        page.message(
          of: ["gesture": "type", "start": 1, "removed": 0, "inserted": "!"], at: [2]),
      ])
      try page.settle()
      #expect(page.refusals.isEmpty)
      #expect(server.store.state["a"] == "AAA")
      #expect(server.store.state["b"] == "x!")
    }
  }

  // MARK: What only the person knows

  @Test func whatAPersonHasOpenedInTabsAndDisclosuresWithoutABindingCanBeUsed() async throws {
    let script = """
      local scripted = require "scripted"
      local ui = require "scripted.ui"
      local Sheet = scripted.feature {
        name = "Sheet", binding = true, state = { text = "" },
        view = function() return ui.form { ui.textField { label = "Title", bind = "text" } } end,
      }
      return scripted.feature {
        name = "App", binding = true, state = { count = 0, text = "", isOn = false },
        on = {
          tap = function(state) state.count = state.count + 1 end,
          open = function(state) state.sheet = Sheet.initial() end,
        },
        view = function()
          return ui.column {
            ui.columns { compact = "tabs", ui.section { title = "A", ui.text "in A" },
              ui.section { title = "B", sheet = "sheet", ui.button { "Tap", action = "tap" },
                ui.textField { label = "Text", bind = "text" }, ui.toggle { label = "On", bind = "isOn" },
                ui.button { "Open", action = "open" } } },
            ui.disclosure { label = "D", value = false, ui.button { "In D", action = "tap" } },
          }
        end,
      }:ifLet("sheet", Sheet)
      """
    try await TestServer.running(script) { (server, browser) async throws in
      let page = try browser.open("?width=compact")
      #expect(page.tree["children"][0]["kind"] == "tabs")
      try page.perform(.tap, at: [1, 2, 1])
      try page.begin(
        ["gesture": "type", "start": 0, "removed": 0, "inserted": "hello"], at: [1, 2, 2])
      try page.settle()
      try page.perform(.tap, at: [1, 2, 3])
      try page.perform(.tap, at: [2, 1])
      try page.perform(.tap, at: [1, 2, 4])
      try page.perform(.enter("Milk"), at: [1, 2, "sheet", 1, 1])
      #expect(page.refusals.isEmpty, "\(page.refusals)")
      #expect(server.store.state["count"] == 2)
      #expect(server.store.state["text"] == "hello")
      #expect(server.store.state["isOn"] == true)
      #expect(server.store.state["sheet"]["text"] == "Milk")
      try page.perform(.dismiss, at: [1, 2, "sheet"])
      #expect(page.refusals.isEmpty)
      #expect(server.store.state["sheet"].isNull)
    }
  }

  // MARK: Dropping rows

  @Test func aRowIsDroppedIntoAnotherListUnlessItOrTheListHasGoneMeanwhile() async throws {
    let script = """
      local scripted = require "scripted"
      local ui = require "scripted.ui"
      local list = scripted.list
      return scripted.feature {
        name = "Board", state = { a = { "x", math.maxinteger }, b = { "y" }, isOpen = true },
        on = {
          drop = function(state, action)
            list.removeAll(state[action.from], function(id) return id == action.id end)
            list.insert(state[action.to], action.id, action.index)
          end,
          clear = function(state) state.a = scripted.array {} end,
          close = function(state) state.isOpen = false end,
        },
        view = function(state)
          local function column(name)
            return ui.list { name = name, accepts = { "a", "b" }, onDrop = "drop",
              ui.forEach(state[name], { id = "self" }, function(id) return ui.text(tostring(id)) end) }
          end
          return ui.column { column "a", state.isOpen and column "b" }
        end,
      }
      """
    let drop: Value.Object = ["gesture": "move", "ids": [], "to": 2, "into": [2]]
    try await TestServer.running(script) { (server, browser) async throws in
      let (page, other) = (try browser.open(), try browser.open())
      let largest = WireID.value(of: .integer(.max))
      #expect(page.tree["children"][0]["accepts"] == ["a", "b"])
      try page.begin(drop, at: [1, 1, [largest]])
      try page.settle()
      #expect(page.refusals.isEmpty)
      #expect(server.store.state["b"] == ["y", .integer(.max)])
      server.store.send("clear")
      try other.begin(drop, at: [1, 1, ["x"]])
      try other.settle()
      #expect(other.refusals.count == 1)
      server.store.send("close")
      try page.begin(drop, at: [2, 1, ["y"]])
      try page.settle()
      #expect(page.refusals.count == 1)
      #expect(server.store.state["b"] == ["y", .integer(.max)])
      #expect(server.store.state["a"] == [])
    }
  }

  // MARK: Windows

  static let long = """
    local scripted = require "scripted"
    local ui = require "scripted.ui"
    local rows = {}
    for i = 1, 10000 do rows[i] = { id = i, title = "row " .. i } end
    return scripted.feature {
      name = "Long", state = { rows = rows, offset = 0 },
      on = { remove = function(state, action)
        for i, row in ipairs(state.rows) do if row.id == action.id then table.remove(state.rows, i) break end end
      end },
      view = function(state)
        return ui.list { ui.forEach(state.rows, function(row)
          return ui.row { ui.text(row.title), ui.button { "Remove", action = { "remove", { id = row.id } } } }
        end) }
      end,
    }
    """

  @Test func of10000RowsAPageGetsThoseThatItShowsInAtMost2KB() async throws {
    try await TestServer.running(PageTests.long) { (server, browser) async throws in
      let (page, other) = (try browser.open(), try browser.open())
      #expect(page.bytes <= 2 << 10)
      #expect(page.tree["window"] == [1, 60, 10_000])
      try page.begin(["show": [5_000, 40]], at: [])
      try page.settle()
      try page.wait { page.tree["window"][0] == 5_000 }
      #expect(page.tree["children"][0]["children"][0]["children"][0]["text"] == "row 5000")
      // The other page stays where it is.
      try other.perform(.tap, at: [1, [1], 2])
      #expect(other.tree["window"] == [1, 60, 9_999])
      try page.wait { page.tree["window"][2] == 9_999 }
      #expect(page.tree["window"][0] == 4_999)
      try page.perform(.tap, at: [1, [5_001], 2])
      #expect(page.refusals.isEmpty)
      #expect(server.store.state["rows"].array?.count == 9_998)
    }
  }

  static let lists = """
    local ui = require "scripted.ui"
    local rows = {}
    for i = 1, 10000 do rows[i] = { id = i } end
    return require("scripted").feature {
      name = "Lists", state = { rows = rows },
      view = function(state, env)
        local function list()
          return ui.list { ui.forEach(state.rows, function(row) return ui.text("row " .. row.id) end) }
        end
        return ui.column { list(), list(), ui.text(env.width) }
      end,
    }
    """

  @Test func aPageThatAsksForRowsOfTwoListsAtOnceGetsThoseOfBoth() async throws {
    try await TestServer.running(PageTests.lists) { (server, browser) async throws in
      let page = try browser.open()
      try page.sendAtOnce([
        page.message(of: ["show": [5_000, 40]], at: [1]),
        page.message(of: ["show": [7_000, 40]], at: [2]),
      ])
      try page.settle()
      #expect(page.tree["children"][0]["window"][0] == 5_000)
      #expect(page.tree["children"][1]["window"][0] == 7_000)
      // From now on the screen is the page's own.
      try page.sendAtOnce([
        page.message(of: ["show": [1_000, 40]], at: [1]),
        page.message(of: ["show": [2_000, 40]], at: [2]),
      ])
      try page.settle()
      #expect(page.tree["children"][0]["window"][0] == 1_000)
      #expect(page.tree["children"][1]["window"][0] == 2_000)
      #expect(page.refusals.isEmpty)
    }
  }

  @Test func aPageWhoseEnvironmentChangesWhileItAsksForRowsGetsThemInTheNewOne() async throws {
    try await TestServer.running(PageTests.lists) { (server, browser) async throws in
      // The screen of the new environment is there already.
      let (page, other) = (try browser.open(), try browser.open("?width=compact"))
      for first in [1_000, 2_000] {
        let width: Value = first == 1_000 ? "compact" : "regular"
        // As a page does, it asks once more for rows that have not come.
        try page.sendAtOnce([
          page.message(of: ["show": [Value(first), 40]], at: [1]),
          ["env": ["width": width]],
          page.message(of: ["show": [Value(first), 40]], at: [1]),
        ])
        try page.settle()
        #expect(page.tree["children"][2]["text"] == width)
        #expect(page.tree["children"][0]["window"][0] == Value(first))
      }
      #expect(other.tree["children"][0]["window"][0] == 1)
    }
  }

  // MARK: Coming back

  @Test func aRefusalThatADyingConnectionMayHaveLostIsToldToThePageThatComesBack() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let old = try browser.open()
      try old.perform(.tap, at: [99])
      try old.send([], opcode: 8)
      _ = try old.waitForClose()
      let new = try TestPage(browser, after: old, seen: 0)
      try new.wait { !new.refusals.isEmpty }
      #expect(new.refusals.map(\.message) == old.refusals.map(\.message))
      // It has heard of it now.
      try new.send([], opcode: 8)
      _ = try new.waitForClose()
      let last = try TestPage(browser, after: new, seen: 1)
      try last.perform(.tap, at: [2])
      #expect(last.refusals.isEmpty)
    }
  }

  @Test func ofManyEnvironmentsThatComeAtOnceThePageGetsTheScreenOfTheLastOne() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open("?width=regular")
      for number in 0..<150 {
        try page.send(["env": ["locale": .string("a\(number)")]])
      }
      try page.send(["env": ["width": "compact", "colorScheme": "dark"]])
      try page.wait { page.tree["children"][3]["text"] == "compact dark web" }
      try page.perform(.tap, at: [2])
      #expect(page.tree["children"][0]["text"] == "Count: 1")
    }
  }

  @Test func aPageThatComesBackGetsWhatHasChanged() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      var page: TestPage? = try browser.open()
      try page?.perform(.tap, at: [2])
      let old = try #require(page)
      try old.send([], opcode: 8)
      _ = try old.waitForClose()
      page = nil
      server.store.send("increment")
      let new = try TestPage(browser, after: old)
      #expect(new.hello["resumed"] == 1)
      #expect(new.hello["page"] == old.hello["page"])
      #expect(new.hello["seen"] == 1)
      try new.waitForFrame()
      #expect(new.tree["children"][0]["text"] == "Count: 2")
      #expect(new.bytes < 100)
      try new.perform(.tap, at: [2])
      #expect(new.tree["children"][0]["text"] == "Count: 3")
    }
  }

  @Test func whatAPageSendsBeforeItsScreenIsThereIsDone() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let old = try browser.open("?width=compact")
      try old.send([], opcode: 8)
      _ = try old.waitForClose()
      // It comes back in another environment, whose screen has still to be made.
      let new = try TestPage(browser, after: old, sending: .tap, at: [2])
      #expect(new.hello["resumed"] == 1)
      try new.perform(.tap, at: [2])
      #expect(server.store.state["count"] == 2)
      #expect(new.refusals.isEmpty)
    }
  }

  @Test func aPageThatComesBackHearsThatItsEventsAreDoneAfterTheFrameThatShowsIt() async throws {
    try await TestServer.running(Scripts.counter) { (_, browser) async throws in
      let (old, other) = (try browser.open(), try browser.open())
      // Of the answer the page reads nothing.
      try old.begin(.tap, at: [2])
      try other.wait { other.tree["children"][0]["text"] == "Count: 1" }
      let new = try TestPage(browser, after: old)
      #expect(new.hello["resumed"] == 1)
      #expect(new.hello["seen"] == 0)
      try new.settle()
      #expect(new.tree["children"][0]["text"] == "Count: 1")
    }
  }

  @Test func theNameOfAPageIsOfNoUseToAnotherBrowser() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let old = try browser.open()
      try old.send([], opcode: 8)
      _ = try old.waitForClose()
      let new = try TestPage(try server.browser(), after: old)
      #expect(new.hello["resumed"].isNull)
      #expect(new.hello["page"] != old.hello["page"])
    }
  }

  // MARK: Slow readers

  @Test func aClientThatReadsNothingGetsOneFrameForAllThatItHasMissed() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let (slow, quick) = (try browser.open(), try browser.open())
      slow.acknowledges = false
      for _ in 0..<1_000 { server.store.send("increment") }
      try quick.wait { quick.tree["children"][0]["text"] == "Count: 1000" }
      // Without acknowledgements there are two frames at most.
      try slow.send([], opcode: 9)
      let frames = slow.frames
      slow.acknowledges = true
      try slow.send(["at": Value(slow.reader.version)])
      try slow.wait {
        if slow.frames > frames, slow.reader.version > 0 {
          try? slow.send(["at": Value(slow.reader.version)])
        }
        return slow.tree["children"][0]["text"] == "Count: 1000"
      }
      #expect(slow.frames - frames <= 4)
    }
  }

  @Test func _1000BrowsersShowOneStore() async throws {
    OpenFiles.allow(4_096)
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      var pages: [TestPage] = []
      for _ in 0..<1_000 { pages.append(try browser.open()) }
      try pages[500].perform(.tap, at: [2])
      for page in pages { try page.wait { page.tree["children"][0]["text"] == "Count: 1" } }
      for _ in 0..<50 { server.store.send("increment") }
      for page in pages { try page.wait { page.tree["children"][0]["text"] == "Count: 51" } }
      #expect(server.stores.withLock { $0.count } == 1)
    }
  }

  @Test func whenTheServerEndsPagesAreTold() async throws {
    var page: TestPage?
    try await TestServer.running(Scripts.counter) { (_, browser) async throws in
      page = try browser.open()
    }
    #expect(try page?.waitForClose() == 1001)
  }
}

extension Value.Object {
  func merging(_ other: Value.Object) -> Value.Object {
    var all = self
    for (key, value) in other { all[key] = value }
    return all
  }
}
#endif
