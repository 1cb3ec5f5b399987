#if Server
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// Texts of the page.
struct PageTextTests {
  static let fragile = """
    local scripted, ui = require "scripted", require "scripted.ui"
    return scripted.feature {
      name = "Fragile", binding = true, state = { count = 0, text = "" },
      on = {
        raise = function(state) state.count = 1 error("no such thing") end,
        late = function(state)
          return scripted.effect.run(function(send) send("raise") end)
        end,
        ["binding.text"] = function(state, action) if state.text == "bad" then error("bad") end end,
        increment = function(state) state.count = state.count + 1 end,
        fill = function(state)
          state.count = 9
          local all = {}
          while true do all[#all + 1] = ("x"):rep(100000) .. #all end
        end,
      },
      view = function(state)
        return ui.column {
          ui.button { "Raise", action = "raise" }, ui.button { "Late", action = "late" },
          ui.textField { label = "Text", bind = "text" }, ui.button { "Increment", action = "increment" },
          ui.button { "Fill", action = "fill" },
        }
      end,
    }
    """

  @Test(arguments: [true, false])
  func aPersonIsToldThatAHandlerHasRaisedInWordsOfTheAuthor(_ isProduction: Bool) async throws {
    for words in [nil, "Das hat nicht geklappt"] {
      let configuration = ViewServer.Configuration.with {
        $0.isProduction = isProduction
        $0.texts[.failed] = words
      }
      try await TestServer.running(Self.fragile, configuration) { (server, browser) async throws in
        let page = try browser.open()
        let message = words ?? "That did not work"
        try page.perform(.tap, at: [1])
        #expect(page.refusals.map(\.event) == [1])
        #expect(page.refusals.map(\.message) == [message])
        #expect(server.store.state["count"] == 0)
        // What has worked, and what an effect does later, is no refusal of an event.
        try page.perform(.tap, at: [4])
        try page.perform(.tap, at: [2])
        try page.perform(.enter("bad"), at: [3])
        #expect(page.refusals.map(\.event) == [1, 4])
        // A limit has stopped this one.
        try page.perform(.tap, at: [5])
        #expect(page.refusals.map(\.message) == [message, message, message])
        #expect(server.store.state["count"] == 1)
      }
    }
  }

  @Test func aPageIsToldTheTextsThatAreOtherOnesAndHasTheUsualOnesItself() async throws {
    let configuration = ViewServer.Configuration.with {
      $0.texts = [.failed: "a", .reconnecting: "b", .close: "c"]
    }
    try await TestServer.running(Self.fragile, configuration) { (_, browser) async throws in
      #expect(try browser.open().hello["texts"] == ["reconnecting": "b", "close": "c"])
    }
    try await TestServer.running(Self.fragile) { (_, browser) async throws in
      #expect(try browser.open().hello["texts"] == .null)
    }
    let files = PageFiles(isProduction: true, hasStyle: false)
    let script = String(decoding: try #require(files["/page.js"]).bytes, as: UTF8.self)
    for text in PageText.allCases where text.isOfPage {
      #expect(script.contains("\(text.rawValue): \"\(text.standard)\""))
    }
  }

  @Test func inProductionAStoreThatCannotBeMadeIsToldInWordsOfTheAuthor() async throws {
    let configuration = ViewServer.Configuration.with {
      $0.isProduction = true
      $0.texts[.unavailable] = "Wir sind gleich zurück"
    }
    try await TestServer.running("return 1", configuration) { (_, browser) async throws in
      let page = try TestPage(browser)
      _ = try page.waitForClose()
      #expect(page.failure["message"] == "Wir sind gleich zurück")
    }
  }
}
#endif
