import Foundation
import ScriptedStoreTesting
import Synchronization
import Testing

/// The Swift face of test stores; what they report is tested in full with the scripts' face, which shares it.
@Suite struct TestStoreTests {
  private func counter(_ clock: TestClock = TestClock()) throws -> TestStore {
    try TestStore(
      "counter", root: exampleScripts, dependencies: ["clock": .clock(clock)])
  }

  @Test func aTestSaysWhatEachActionMakesOfTheState() async throws {
    let store = try counter()
    await store.send("increment") { $0["count"] = 1 }
    await store.send("increment", ["by": 4]) { $0["count"] = 5 }
    #expect(store.state == ["count": 5])
  }

  @Test func itAdvancesAClockAndReceivesWhatAnEffectSends() async throws {
    let clock = TestClock()
    let store = try counter(clock)
    let task = await store.send("incrementLater")
    clock.advance(by: .seconds(1))
    await store.receive("increment") { $0["count"] = 1 }
    await task.finish()
    await store.finish()
  }

  @Test func alarmsAreAssertedByReadingThemOrLeftOut() async throws {
    func store(_ clock: TestClock) throws -> TestStore {
      try TestStore(
        .reduce { state, action in
          if action.path == "rang" { state["rang"] = true }
          return action.path == "set" ? .alarm("a", after: .seconds(3), "rang") : .none
        }, state: ["rang": false], dependencies: ["clock": .clock(clock)])
    }
    let clock = TestClock()
    let first = try store(clock)
    await first.send("set")
    #expect(first.alarms.map(\.left) == [.seconds(3)])
    await first.send("set")
    first.skipAlarms()
    clock.advance(by: .seconds(3))
    await first.receive("rang") { $0["rang"] = true }
    await first.finish()
    let messages = await reportedIssues {
      let store = try store(TestClock())
      await store.send("set")
      await store.receive("rang")
      store.skipAlarms()
      store.skipAlarms()
    }
    #expect(messages.count == 2)
    #expect(messages.first?.contains("alarm \"a\", rang in 3 s") == true)
    #expect(messages.last?.contains("there were no alarms to skip") == true)
    let left = await reportedIssues {
      let store = try store(TestClock())
      await store.send("set")
    }
    #expect(left.first?.contains("1 alarm is still set at the end of the test") == true)
  }

  @Test func aCrashEndsWhatIsInFlight() async throws {
    let clock = TestClock()
    let store = try counter(clock)
    await store.send("increment") { $0["count"] = 1 }
    await store.send("incrementLater")
    await store.crash()
    clock.advance(by: .seconds(5))
    await store.finish()
    let messages = await reportedIssues {
      let store = try counter()
      await store.crash { $0["count"] = 7 }
    }
    #expect(messages.count == 1)
    #expect(messages.first?.contains("-   count = 7,\n+   count = 0,") == true)
  }

  @Test func anActionIsReceivedByItsValueItsPatternOrAPredicate() async throws {
    let store = try TestStore(
      .reduce { _, action in
        action.path == "go"
          ? .merge(
            .send(try Action(path: "a", payload: ["x": 1])), .send(try Action(path: "b")),
            .send(try Action(path: "c", payload: ["x": 2]))) : .none
      }, state: [:])
    await store.send("go")
    await store.receive("a", ["x": 1])
    await store.receive(where: { $0.path == "b" })
    await store.receive(try Action(path: "c", payload: ["x": 2]))
  }

  @Test func whatIsWrongIsReportedAndTheTestGoesOn() async throws {
    let messages = await reportedIssues {
      let store = try counter()
      await store.send("increment") { $0["count"] = 2 }
      await store.send("increment") { $0["count"] = 2 }
      await store.receive("reset")
    }
    try #require(messages.count == 2, "\(messages)")
    #expect(messages[0].contains("-   count = 2,\n+   count = 1,"))
    #expect(
      messages[1].contains("expected to receive an action \"reset\", but no action was received"))
  }

  @Test func whatIsLeftAtTheEndIsReportedWhenTheStoreGoes() async throws {
    let messages = await reportedIssues {
      let store = try counter()
      await store.send("incrementLater")
    }
    try #require(messages.count == 1, "\(messages)")
    #expect(messages[0].contains("1 effect is still in flight at the end of the test"))
  }

  @Test func anEffectOfTheHostIsWaitedFor() async throws {
    let store = try TestStore(
      .reduce { _, action in
        action.path == "go"
          ? .run { send in
            try await Task.sleep(for: .milliseconds(5))
            send(try Action(path: "done"))
          } : .none
      }, state: [:])
    await store.send("go")
    await store.receive("done")
    await store.finish()
  }

  @Test func anEffectOfTheHostThatTakesTooLongIsReportedWithTheTime() async throws {
    let messages = await reportedIssues {
      let store = try TestStore(
        .reduce { _, action in
          action.path == "go" ? .run { _ in try await Task.sleep(for: .seconds(3600)) } : .none
        }, state: [:])
      await store.send("go")
      await store.finish(timeout: .milliseconds(20))
    }
    try #require(messages.count == 1, "\(messages)")
    #expect(messages[0].contains("1 effect is in flight after 0.02 s"))
  }

  @Test func lessIsSaidWhereThatIsWanted() async throws {
    let store = try counter()
    store.exhaustivity = .off
    await store.send("increment")
    await store.send("increment") { $0["count"] = 2 }
    store.exhaustivity = .on
    await store.withExhaustivity(.off) { await store.send("reset") }
    await store.send("increment") { $0["count"] = 1 }
  }

  /// Waits, asks to be dismissed, and counts all else.
  ///
  /// Made anew each time, because LeakSanitizer does not see a pointer in whose unused bits Swift
  /// keeps the case of an enum, and takes what only a global has for leaked.
  private static var sheet: Reducer {
    Reducer.reduce { state, action in
      switch action.path {
      case "wait": return .run { _ in try await Task.sleep(for: .seconds(3600)) }
      case "close": return .dismiss
      default:
        state["count"] = .integer(Int64((state["count"].int ?? 0) + 1))
        return action.path == "upTwice" ? .send(try Action(path: "up")) : .none
      }
    }
  }

  @Test func aDismissalEndsWhatIsInFlightAndSendingIsReportedFromThenOn()
    async throws
  {
    let messages = await reportedIssues {
      let store = try TestStore(Self.sheet, state: ["count": 0])
      let task = await store.send("wait")
      #expect(!store.isDismissed)
      await store.send("close")
      #expect(store.isDismissed)
      await task.finish()
      await store.finish()
      await store.send("up") { $0["count"] = 1 }
      #expect(store.state == ["count": 0])
    }
    try #require(messages.count == 1, "\(messages)")
    #expect(messages[0].contains("the action up was not sent"))
    #expect(messages[0].contains("asked to be dismissed"))
  }

  @Test(arguments: [true, false])
  func itsFeatureIsPresentedUnlessATestSaysOtherwise(_ isPresented: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try """
    return require("scripted").feature {
      name = "Sheet", state = {},
      on = { ask = function(state, _, deps) state.isPresented = deps.isPresented end },
    }
    """.write(to: folder.appending(path: "sheet.lua"), atomically: true, encoding: .utf8)
    let dependencies: [String: Dependency] = isPresented ? [:] : ["isPresented": .value(false)]
    for store in [
      try TestStore("sheet", root: folder.path, dependencies: dependencies),
      try TestStore(
        .script("sheet"), root: folder.path, state: [:], dependencies: dependencies),
    ] {
      await store.send("ask") { $0["isPresented"] = .boolean(isPresented) }
    }
  }

  @Test func theReducerOfAScriptBeginsWithExactlyTheStateThatItIsGiven() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try """
    return require("scripted").feature {
      name = "Desk", state = { sheet = { n = 1 }, n = 0 },
      on = { look = function(state) state.n = state.sheet and state.sheet.n or 99 end },
    }
    """.write(to: folder.appending(path: "desk.lua"), atomically: true, encoding: .utf8)
    for (store, n) in [
      (try TestStore("desk", root: folder.path, state: ["n": 5]), 1),
      (try TestStore(.script("desk"), root: folder.path, state: ["n": 5]), 99),
    ] {
      await store.send("look") { $0["n"] = .integer(Int64(n)) }
    }
  }

  @Test func theStateInAClosureThatAssertsAnActionIsTheOneBeforeIt() async throws {
    let store = try TestStore(Self.sheet, state: ["count": 0])
    await store.send("upTwice") {
      $0["count"] = 1
      #expect(store.state == ["count": 0])
    }
    #expect(store.state == ["count": 1])
    await store.receive("up") {
      $0["count"] = 2
      #expect(store.state == ["count": 1])
    }
    #expect(store.state == ["count": 2])
    store.exhaustivity = .off
    await store.send("up") {
      #expect($0 == ["count": 3])
      #expect(store.state == ["count": 2])
    }
    #expect(store.state == ["count": 3])
  }

  @Test func withoutExhaustivityOthersMayBeReceivedBeforeTheOneThatIsMeant()
    async throws
  {
    let store = try TestStore(
      .reduce { _, action in
        action.path == "go"
          ? .run { send in
            for path in ["one", "two", "three"] {
              try await Task.sleep(for: .milliseconds(5))
              send(try Action(path: path))
            }
          } : .none
      }, state: [:])
    store.exhaustivity = .off
    await store.send("go")
    await store.receive("two", timeout: .seconds(600))
    await store.receive(where: { $0.path == "three" }, timeout: .seconds(600))
    let messages = await reportedIssues { await store.receive("four", timeout: .seconds(60)) }
    try #require(messages.count == 1, "\(messages)")
    #expect(messages[0].contains("but no action was received"))
  }

  @Test(.timeLimit(.minutes(30)), arguments: [Exhaustivity.on, .off])
  func aPredicateMayLookAtTheStore(_ exhaustivity: Exhaustivity) async throws {
    let store = try TestStore(Self.sheet, state: ["count": 0])
    store.exhaustivity = exhaustivity
    await store.send("upTwice") { $0["count"] = 1 }
    await store.receive(
      where: { $0.path == "up" && store.state == ["count": 1] && !store.isDismissed },
      assert: { $0["count"] = 2 })
    #expect(store.state == ["count": 2])
  }

  @Test func finishingWhileAnActionWaitsToBeReceivedIsReported() async throws {
    let messages = await reportedIssues {
      let store = try TestStore(Self.sheet, state: ["count": 0])
      await store.send("upTwice") { $0["count"] = 1 }
      await store.finish()
    }
    try #require(messages.count == 1, "\(messages)")
    #expect(messages[0].contains("1 action was received and not asserted:\n  - up"))
  }

  @Test func aCancelledTaskEndsItsEffects() async throws {
    let store = try counter()
    let task = await store.send("incrementLater")
    task.cancel()
    #expect(task.isCancelled)
    await store.finish()
  }

  @Test func aDependencyWithoutATestValueIsReportedWithTheRemedy() async throws {
    let messages = await reportedIssues {
      let store = try TestStore("counter", root: exampleScripts)
      await store.send("incrementLater")
    }
    #expect(messages.joined().contains("unimplemented: Counter called deps.clock.sleep()"))
  }

  /// A new folder with a script.
  private func folder(of name: String, _ script: String) throws -> String {
    let folder = NSTemporaryDirectory() + "\(name)-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(script.utf8).write(to: URL(filePath: "\(folder)/\(name).lua"))
    return folder
  }

  @Test(arguments: [true, false])
  func aHandlerOfADurableStoreCannotWrite(isDurable: Bool) async throws {
    let folder = try folder(
      of: "desk",
      """
      return require("scripted").feature {
        name = "Desk", state = { count = 0 }, dependencies = { "audit" },
        on = { handle = function(state, action, deps) state.count = deps.audit() end },
      }
      """)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var dependencies = Dependencies()
    dependencies.register("audit", live: .function { 1 }.writing(), test: .function { 1 })
    let configuration = ScriptHost.Configuration(dependencies: dependencies)
    let messages = await reportedIssues {
      let store = try TestStore(
        "desk", root: folder, isDurable: isDurable, configuration: configuration)
      await store.send("handle") { $0["count"] = 1 }
    }
    #expect(
      messages.contains { $0.contains("deps.audit writes outside of the store") } == isDurable,
      "\(messages)")
    #expect(isDurable || messages.isEmpty, "\(messages)")
  }

  @Test func whatATestValueOfTheHostsDoesNotNameIsOverridden() async throws {
    let folder = try folder(
      of: "quiz",
      """
      return require("scripted").feature {
        name = "Quiz", state = {}, dependencies = { "questions" },
        on = { start = function(state, action, deps)
          state.first = deps.questions.next() .. deps.questions.difficulty()
        end },
      }
      """)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var dependencies = Dependencies()
    dependencies.register(
      "questions",
      live: .client(["next": .function { "live" }, "difficulty": .function { 9 }]),
      test: .client(["difficulty": .function { 1 }]))
    let configuration = ScriptHost.Configuration(dependencies: dependencies)
    let store = try TestStore(
      "quiz", root: folder, dependencies: ["questions": .client(["next": .function { "mine" }])],
      configuration: configuration)
    await store.send("start") { $0["first"] = "mine1" }
    let messages = await reportedIssues {
      let store = try TestStore("quiz", root: folder, configuration: configuration)
      await store.send("start")
    }
    #expect(messages.joined().contains("unimplemented: Quiz called deps.questions.next()"))
  }

  @Test(.timeLimit(.minutes(1))) func aReducerCannotUseTheTestStoreThatRunsIt() async throws {
    final class Held: Sendable {
      let store = Mutex<TestStore?>(nil)
      let message = Mutex("")
    }
    let held = Held()
    let store = try TestStore(
      .reduce { _, _ in
        do throws(ScriptError) {
          try held.store.withLock { $0 }?.override("uuid", by: .uuid)
        } catch {
          held.message.withLock { $0 = error.message }
        }
        return .none
      }, state: [:])
    held.store.withLock { $0 = store }
    await store.send("look")
    held.store.withLock { $0 = nil }
    let message = held.message.withLock { $0 }
    #expect(message == "a store is tested from its test, not from a reducer or an effect")
  }

  @Test func anExpectedWarningIsNoFailureAMissingOneIs() async throws {
    let store = try counter()
    await store.expectWarning(
      where: { $0.contains("no handler") }, operation: { await store.send("incremant") })
    let messages = await reportedIssues { await store.expectWarning { await store.send("reset") } }
    #expect(messages == ["a warning was expected, but there was none"])
  }
}
