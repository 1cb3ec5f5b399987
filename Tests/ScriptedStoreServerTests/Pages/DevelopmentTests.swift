#if Server
import ScriptView
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// The bar for development.
struct DevelopmentTests {
  /// The latest value that the bar was sent under a key.
  func latest(_ key: String, _ page: TestPage) -> Value {
    page.development.last { !$0[key].isNull }?[key] ?? .null
  }

  func waitFor(_ key: String, _ page: TestPage, _ isDone: (Value) -> Bool = { !$0.isNull }) throws {
    try page.wait { isDone(latest(key, page)) }
  }

  @Test func itIsSentNothingBeforeItIsOpened() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open()
      #expect(page.hello["dev"] == 1)
      try page.perform(.tap, at: [2])
      try page.send(["dev": "step", "by": -1])
      try page.perform(.tap, at: [2])
      #expect(page.development.isEmpty)
      #expect(server.store.state["count"] == 2)
    }
  }

  @Test func itHasWhatEachActionChanged() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open()
      try page.perform(.tap, at: [2])
      try page.send(["dev": "open"])
      try waitFor("history", page)
      #expect(latest("history", page) == ["first": 1, "last": 1, "at": 1])
      let entry = latest("entries", page)[0]
      #expect(entry["number"] == 1)
      #expect(entry["action"] == "increment")
      #expect(entry["source"] == "input")
      #expect(entry["changes"] == [["count", "0", "1"]])
      #expect(latest("effects", page) == [])
      try page.perform(.enter("Milk"), at: [3])
      try waitFor("entries", page) { $0[0]["number"] == 2 }
      #expect(latest("entries", page)[0]["action"] == "binding.name")
      #expect(latest("entries", page)[0]["payload"].string?.contains(#"value = "Milk""#) == true)
    }
  }

  @Test func itGoesBackInTimeAndAllPagesGoWithIt() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let (page, other) = (try browser.open(), try browser.open())
      try page.send(["dev": "open"])
      for _ in 0..<3 { try page.perform(.tap, at: [2]) }
      try page.send(["dev": "go", "to": 1])
      try other.wait { other.tree["children"][0]["text"] == "Count: 1" }
      try waitFor("history", page) { $0["at"] == 1 }
      try page.send(["dev": "step", "by": 1])
      try waitFor("history", page) { $0["at"] == 2 }
      try page.send(["dev": "go", "to": 3])
      try page.send(["dev": "skip", "number": 2, "skipped": true])
      try page.wait {
        page.tree["children"][0]["text"] == "Count: 2" && latest("entries", page)[0]["skipped"] == 1
      }
      try page.send(["dev": "go", "to": 99])
      try waitFor("refused", page)
      try page.send(["dev": "lock", "locked": true])
      try waitFor("history", page) { $0["locked"] == 1 }
      try page.perform(.tap, at: [2])
      #expect(server.store.state["count"] == 2)
    }
  }

  @Test func itIsSentAnOldActionThatIsSkipped() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open()
      try page.send(["dev": "open"])
      try waitFor("history", page)
      for _ in 0..<150 { server.store.send("increment") }
      try waitFor("history", page) { $0["last"] == 150 }
      try page.send(["dev": "skip", "number": 10, "skipped": true])
      try waitFor("entries", page) { $0[0]["number"] == 10 && $0[0]["skipped"] == 1 }
      #expect(latest("entries", page).array?.count == 141)
      try page.send(["dev": "skip", "number": 10, "skipped": false])
      try waitFor("entries", page) { $0[0]["number"] == 10 && $0[0]["skipped"].isNull }
      #expect(server.store.state["count"] == 150)
    }
  }

  @Test func itExportsTheSessionAsATest() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open()
      try page.perform(.tap, at: [2])
      try page.send(["dev": "open"])
      try page.send(["dev": "export"])
      try waitFor("test", page)
      #expect(latest("test", page)["name"] == "app_test.lua")
      #expect(latest("test", page)["source"].string?.contains(#"store:send("increment""#) == true)
    }
  }

  @Test func pagesHaveTheErrorsThatAreNotMendedWhetherTheBarIsOpenOrNot() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open()
      let error = ScriptError("it is broken", script: "app", line: 3)
      server.server.report(error, try Action(path: "increment"))
      try waitFor("problems", page)
      #expect(latest("problems", page)[0]["text"] == "increment: it is broken")
      #expect(latest("problems", page)[0]["location"] == "app:3")
      // The same error once more, and one of a view, which stands in its place.
      server.server.report(error, try Action(path: "increment"))
      server.server.report(ScriptError("no view"), try Action(path: "view"))
      for line in [5, 7] {
        let lines = String(repeating: "\n", count: line - 1)
        let failure = #expect(throws: ReloadError.self) { try server.save(lines + "(") }
        server.server.report(.failure(try #require(failure)))
      }
      try waitFor("problems", page) { $0[1]["location"].string?.hasSuffix(":7") == true }
      #expect(latest("problems", page).array?.count == 2)
      let later = try browser.open()
      try waitFor("problems", later)
      #expect(latest("problems", later) == latest("problems", page))
      try server.save(Scripts.counter)
      server.server.report(.success(try await server.host.reload()))
      try waitFor("problems", page) { $0 == [] }
      #expect(try browser.open().development.isEmpty)
    }
  }

  @Test func itHasErrorsWarningsAndReloadsAlsoThoseFromBeforeItWasOpened() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let page = try browser.open()
      server.server.report(.success(try await server.host.reload()))
      try page.send(["dev": "open"])
      try waitFor("message", page)
      #expect(latest("message", page) == ["kind": "reload", "text": "nothing to reload"])
      server.server.report(ScriptError("it is broken"), try Action(path: "increment"))
      try waitFor("message", page) { $0["kind"] == "error" }
      #expect(latest("message", page)["text"] == "increment: it is broken")
    }
  }
}
#endif
