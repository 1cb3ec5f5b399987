#if Server
import ScriptView
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

/// What a page may send.
struct LimitTests {
  /// Runs with one page, and then uses another one: whatever the first has done, the server goes on.
  func running(_ body: (TestServer, Browser, TestPage) throws -> Void) async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      try body(server, browser, try browser.open())
      let page = try browser.open()
      // Other events may still be on their way.
      let before = server.store.state["count"].int ?? 0
      try page.perform(.tap, at: [2])
      #expect((server.store.state["count"].int ?? 0) > before)
    }
  }

  // MARK: Frames

  @Test(arguments: [16_385, 17_000, 65_536, 70_000, 1 << 20])
  func aMessageOf17KBEndsTheConnection(_ size: Int) async throws {
    try await running { (_, _, page) throws in
      try? page.send([UInt8](repeating: UInt8(ascii: " "), count: size))
      // What is far too large may be cut off before the answer is read.
      let code = try? page.waitForClose()
      if size < 65_536 { #expect(code == 1009) } else { #expect(code == nil || code == 1009) }
    }
  }

  @Test func aMessageOf16KBIsRead() async throws {
    try await running { (server, _, page) throws in
      let text = String(repeating: "x", count: 16_000)
      try page.perform(.enter(.string(text)), at: [3])
      #expect(server.store.state["name"] == .string(text))
    }
  }

  @Test func aMessageInPartsIsPutTogetherAndCountsAsAWhole() async throws {
    try await running { (server, _, page) throws in
      let message = Array(#"{"n":1,"at":\#(page.reader.version),"path":[2],"gesture":"tap"}"#.utf8)
      try page.send(Array(message.prefix(10)), isLast: false)
      try page.send([], opcode: 9)
      try page.send(Array(message.dropFirst(10)), opcode: 0)
      try page.wait { page.seen == 1 }
      #expect(server.store.state["count"] == 1)
      let piece = [UInt8](repeating: UInt8(ascii: " "), count: 10_000)
      try page.send(piece, isLast: false)
      try page.send(piece, opcode: 0, isLast: false)
      #expect(try page.waitForClose() == 1009)
    }
  }

  @Test func _1000MessagesInABurstEndTheConnection() async throws {
    try await running { (server, _, page) throws in
      for _ in 0..<1_000 { _ = try? page.begin(.tap, at: [2]) }
      #expect(try page.waitForClose() == 1008)
      #expect((server.store.state["count"].int ?? 0) <= 200)
    }
  }

  @Test(arguments: [
    "", "{", "[]", "null", "7", #"{"n":1}"#, #"{"at":"x"}"#, #"{"at":1,"n":0,"gesture":"tap"}"#,
    #"{"at":1,"n":1,"gesture":"shout"}"#, #"{"at":1,"n":1,"path":"x","gesture":"tap"}"#,
    #"{"at":1,"n":1,"path":[[]],"gesture":"tap"}"#, #"{"at":1,"n":1,"path":[1],"show":[0,1]}"#,
    #"{"at":1,"n":1,"path":[1],"gesture":"type","start":0}"#, #"{"dev":{}}"#, "\u{0}\u{1}",
  ])
  func junkEndsTheConnection(_ text: String) async throws {
    try await running { (_, _, page) throws in
      try page.send(Array(text.utf8))
      #expect(try page.waitForClose() == 1007)
    }
  }

  @Test func whatIsNoUTF8AndWhatIsNoTextEndsTheConnection() async throws {
    try await running { (_, browser, page) throws in
      try page.send([0xFF, 0xFE])
      #expect(try page.waitForClose() == 1007)
      let second = try browser.open()
      try second.send([1, 2, 3], opcode: 2)
      #expect(try second.waitForClose() == 1003)
      let third = try browser.open()
      try third.send([1], opcode: 0)
      #expect(try third.waitForClose() == 1002)
      // Without a mask.
      let fourth = try browser.open()
      try fourth.socket.write([0x81, 2, 0x7B, 0x7D])
      #expect(try fourth.waitForClose() == 1002)
      // With a bit of an extension, and with an opcode that none has.
      for opcode: UInt8 in [0x41, 0x21, 0x11, 3, 0xB] {
        let page = try browser.open()
        try page.send(Array(#"{"seen":1}"#.utf8), opcode: opcode)
        #expect(try page.waitForClose() == 1002, "\(opcode)")
      }
    }
  }

  @Test func numbersThatAreOutOfAllBoundsDoNothing() async throws {
    try await running { (_, browser, page) throws in
      for at in ["-1", "0", "9007199254740993", "9223372036854775807"] {
        try page.send(Array(#"{"at":\#(at)}"#.utf8))
      }
      try page.send(Array(#"{"at":1,"n":9223372036854775807,"path":[2],"gesture":"tap"}"#.utf8))
      try page.wait { !page.refusals.isEmpty || page.seen > 0 }
      try page.send(["env": ["width": 7, "locale": "<script>", "x": "y"]])
    }
  }

  @Test func halfAFrameAndHalfARequestHoldUpNobody() async throws {
    try await running { (_, browser, page) throws in
      let frame = TestPage.frame(Array(#"{"at":1}"#.utf8))
      try page.socket.write(Array(frame.prefix(5)))
      let request = try TestSocket(port: browser.port)
      try request.write("GET / HTTP/1.1\r\nHost: 127")
      let other = try browser.open()
      try other.perform(.tap, at: [2])
      withExtendedLifetime(request) {}
    }
  }

  // MARK: Events

  @Test func requestsWhoseAnswersNobodyReadsAreNotAnsweredInAdvance() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let socket = try TestSocket(port: browser.port)
      let request =
        "GET /page.js HTTP/1.1\r\nhost: \(browser.host)\r\ncookie: \(browser.cookie ?? "")\r\n\r\n"
      // The system takes some MB of answers, and of requests; then the server has to stop reading.
      let requests = Array(String(repeating: request, count: 1_000).utf8)
      var sent = 0
      while sent < 32 << 20 {
        let count = try socket.writeIfTaken(requests)
        if count < requests.count { break }
        sent += count
      }
      #expect(sent < 32 << 20)
      #expect(try browser.request("/").status == 200)
    }
  }

  @Test func whatIsNotOnTheScreenCannotBeUsed() async throws {
    try await running { (server, _, page) throws in
      let paths: [Value] = [[99], [1, 2, 3], ["sheet"], [[7]], [6, 1, [5], 2]]
      for path in paths { try page.perform(.tap, at: path) }
      #expect(page.refusals.map(\.event) == Array(1...paths.count))
      #expect(page.refusals.allSatisfy { $0.message.contains("there is nothing at") })
      #expect(server.store.state["count"] == 0)
    }
  }

  @Test func whatIsDisabledCannotBeUsed() async throws {
    try await running { (server, browser, page) throws in
      try page.perform(.tap, at: [5])
      try page.perform(.tap, at: [2])
      #expect(page.refusals.map(\.message) == ["the button 'Increment' is disabled"])
      #expect(server.store.state["count"] == 0)
      try server.store.send("binding", ["key": "isLocked", "value": false])
    }
  }

  @Test func whatIsDisabledByNowCannotBeUsedBySomeoneWhoHasNotSeenThat() async throws {
    try await running { (server, _, page) throws in
      let version = page.reader.version
      page.acknowledges = false
      server.store.send("lock")
      try page.waitForFrame()
      try page.begin(.tap, at: [2], in: version)
      try page.settle()
      #expect(page.refusals.map(\.message) == ["the button 'Increment' is disabled"])
      try server.store.send("binding", ["key": "isLocked", "value": false])
    }
  }

  @Test func aVersionThatThePageDoesNotHaveAnyMoreIsRefused() async throws {
    try await running { (server, _, page) throws in
      let version = page.reader.version
      try page.perform(.tap, at: [2])
      try page.perform(.tap, at: [2])
      try page.begin(.tap, at: [2], in: version)
      try page.settle()
      #expect(page.refusals.count == 1)
      #expect(server.store.state["count"] == 2)
    }
  }

  @Test func whatASheetCoversCannotBeUsed() async throws {
    let script = """
      local scripted = require "scripted"
      local ui = require "scripted.ui"
      local Sheet = scripted.feature { name = "Sheet", state = {}, view = function() return ui.text "sheet" end }
      local App = scripted.feature {
        name = "App", state = { count = 0 },
        on = {
          increment = function(state) state.count = state.count + 1 end,
          open = function(state) state.sheet = {} end,
        },
        view = function(state)
          return ui.column {
            ui.button { "Increment", action = "increment" }, ui.button { "Open", action = "open" }, sheet = "sheet",
          }
        end,
      }
      return App:ifLet("sheet", Sheet)
      """
    try await TestServer.running(script) { (server, browser) async throws in
      let page = try browser.open()
      try page.perform(.tap, at: [2])
      try page.perform(.tap, at: [1])
      #expect(page.refusals.count == 1)
      #expect(page.refusals.first?.message.contains("is covered by") == true)
      #expect(server.store.state["count"] == 0)
      try page.perform(.dismiss)
      try page.perform(.tap, at: [1])
      #expect(server.store.state["count"] == 1)
    }
  }

  @Test func anEventIsDoneOnceAlsoIfItComesAgain() async throws {
    try await running { (server, _, page) throws in
      let message: Value = [
        "n": 1, "at": Value(page.reader.version), "path": [2], "gesture": "tap",
      ]
      for _ in 0..<3 { try page.send(message) }
      try page.wait { page.seen == 1 }
      try page.send(["n": 2, "at": Value(page.reader.version), "path": [2], "gesture": "tap"])
      try page.wait { page.seen == 2 }
      #expect(server.store.state["count"] == 2)
    }
  }

  @Test func markupAndAddressesFromAStateComeAsTexts() async throws {
    let script = #"""
      local scripted = require "scripted"
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "App", state = { text = "</script><img src=x onerror=alert(1)>", href = "javascript:alert(1)" },
        view = function(state)
          return ui.column { ui.text(state.text), ui.link { "Go", href = state.href } }
        end,
      }
      """#
    try await TestServer.running(script) { (server, browser) async throws in
      let page = try browser.open()
      #expect(page.tree["children"][0]["text"] == "</script><img src=x onerror=alert(1)>")
      #expect(page.tree["children"][1]["href"].isNull)
      try page.perform(.tap, at: [2])
      #expect(page.refusals.count <= 1)
    }
  }
}
#endif
