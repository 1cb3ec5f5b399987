#if Server
import NIOCore
import ScriptedStore
import Testing

@testable import ScriptedStoreServer

// The times are short ones here. No test expects that something happens before them.

/// Pages that sleep.
struct AbsenceTests {
  @Test func aPageThatDoesNotAnswerPingsIsClosedAndMayGoOnWhereItWas() async throws {
    let configuration = ViewServer.Configuration.with {
      $0.times.betweenPings = .milliseconds(10)
      $0.times.longestSilence = .milliseconds(50)
    }
    try await TestServer.running(Scripts.counter, configuration) { (server, browser) async throws in
      let silent = try browser.open()
      silent.answersPings = false
      // The connection ends without a word, as that of a laptop that was closed.
      #expect(throws: TestSocket.Failed.self) { while true { try silent.take() } }
      server.store.send("increment")
      let awake = try TestPage(browser, after: silent)
      #expect(awake.hello["resumed"] == 1)
      try awake.waitForFrame()
      #expect(awake.tree["children"][0]["text"] == "Count: 1")
    }
  }

  @Test func aPageGoesOnWhereItWasThoughItsOldConnectionHasNotEnded() async throws {
    try await TestServer.running(Scripts.counter) { (server, browser) async throws in
      let old = try browser.open()
      try old.perform(.tap, at: [2])
      let new = try TestPage(browser, after: old)
      #expect(new.hello["resumed"] == 1)
      #expect(new.hello["page"] == old.hello["page"])
      #expect(new.hello["seen"] == 1)
      // The end of the old connection is not that of the page.
      #expect(try old.waitForClose() == 1001)
      try new.perform(.tap, at: [2])
      #expect(new.tree["children"][0]["text"] == "Count: 2")
      // Another browser cannot take the page over.
      var stranger = try server.browser()
      stranger.cookie = nil
      try stranger.enter(server.address)
      #expect(try TestPage(stranger, after: new).hello["resumed"].isNull)
      try new.perform(.tap, at: [2])
      #expect(server.store.state["count"] == 3)
    }
  }

  @Test func aPageThatAnswersPingsStays() async throws {
    let configuration = ViewServer.Configuration.with {
      $0.times.betweenPings = .milliseconds(5)
      $0.times.longestSilence = .seconds(60)
    }
    try await TestServer.running(Scripts.counter, configuration) { (_, browser) async throws in
      let page = try browser.open()
      for _ in 0..<5 { try page.perform(.tap, at: [2]) }
      while page.pings < 5 { try page.take() }
      #expect(page.closed == nil)
    }
  }

  @Test func aPageThatWasAwayForTooLongGetsTheWholeTreeAndWhatItHadNotSentIsLost() async throws {
    let configuration = ViewServer.Configuration.with { $0.times.longestAbsence = .nanoseconds(1) }
    try await TestServer.running(Scripts.counter, configuration) { (server, browser) async throws in
      let old = try browser.open()
      try old.perform(.tap, at: [2])
      try old.send([], opcode: 8)
      _ = try old.waitForClose()
      let new = try TestPage(browser, after: old)
      #expect(new.hello["resumed"].isNull)
      #expect(new.hello["page"] != old.hello["page"])
      #expect(new.hello["seen"] == 0)
      try new.waitForFrame()
      // The store has gone on.
      #expect(new.tree["children"][0]["text"] == "Count: 1")
    }
  }

  @Test func theStoreOfABrowserThatWasAwayForTooLongEnds() async throws {
    let configuration = ViewServer.Configuration.with {
      $0.times.longestAbsence = .nanoseconds(1)
      $0.storesPerSession = true
    }
    try await TestServer.running(Scripts.counter, configuration) { (server, browser) async throws in
      let old = try browser.open()
      try old.perform(.tap, at: [2])
      try old.send([], opcode: 8)
      _ = try old.waitForClose()
      // Another page makes a store of its own, until the one before has gone.
      while true {
        let page = try browser.open()
        let count = page.tree["children"][0]["text"]
        try page.send([], opcode: 8)
        _ = try page.waitForClose()
        if count == "Count: 0" { break }
      }
    }
  }
}
#endif
