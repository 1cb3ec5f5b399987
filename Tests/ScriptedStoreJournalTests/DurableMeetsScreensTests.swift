#if Journal
import ScriptedStore
import ScriptedStoreJournal
import Testing

private enum Sender {
  @TaskLocal static var name: String?
}

/// What screens, observers and tools see of a durable store while a commit is out, when it fails, and when the store is removed.
@Suite(.timeLimit(.minutes(2)))
struct DurableMeetsScreensTests {
  private let rooms: Rooms

  init() throws {
    rooms = try Rooms()
    try rooms.write(Self.viewed, as: "viewed")
  }

  /// A counter that is shown, with a text that no process keeps.
  private static let viewed = """
    local ui = require "scripted.ui"
    return scripted.feature {
      name = "Viewed", binding = true, dependencies = { "clock" },
      state = { count = 0, seen = 0, name = "", typing = "", isOpen = false },
      transient = { "typing" },
      on = {
        count = function(state) state.count = state.count + 1 end,
        seen = function(state) state.seen = state.seen + 1 end,
        type = function(state, action) state.typing = action.text end,
        open = function(state, action) state.isOpen = action.isOpen end,
        wait = function() return effect.run(function(send, deps) deps.clock.sleep(1000) end) end,
        spring = function()
          return effect.send("count"):transaction { animation = "spring" }
        end,
      },
      view = function(state)
        return ui.column {
          ui.text(state.count .. state.typing),
          ui.button { "Count", action = "count" },
          state.count % 2 == 0 and ui.row { onAppear = "seen" },
          state.isOpen and ui.row { task = "wait" },
        }
      end,
    }
    """

  private func text(_ tree: ViewTree) -> Value { tree.value["children"][0]["text"] }

  // MARK: Screens

  @Test func aScreenThatIsMadeWhileACommitIsOutShowsWhatIsDurable() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("viewed", key: "r")
    try await room.send("count")
    let store = try await room.open()
    await storage.hold { store.send("count") }
    let tree = store.view()
    #expect(text(tree) == "1")
    storage.letGo()
    await store.untilObserved()
    #expect(text(tree) == "2")
    await host.close()
  }

  /// The screen loses what is transient, as after a crash, and never shows what was not written.
  @Test func aScreenShowsTheStateThatAStoreComesBackTo() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("viewed", key: "r")
    for _ in 1...2 { try await room.send("count") }
    try await room.send("type", ["text": "hm"])
    let store = try await room.open()
    let (tree, seen) = (store.view(), Calls())
    await store.untilDurable()
    let observation = tree.observe { _, tree in
      seen.add("\(tree["children"][0]["text"].string ?? "none")")
    }
    #expect(text(tree) == "2hm")
    await storage.hold { store.send("count") }
    storage.letGo(fails: true)
    await store.untilBack()
    await tree.untilTold()
    #expect(text(tree) == "2")
    #expect(seen.all == ["2"])
    observation.cancel()
    await host.close()
  }

  @Test(arguments: [false, true])
  func aNodeAppearsWhenTheActionThatBringsItIsWritten(fails: Bool) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("viewed", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let tree = store.view()
    await storage.hold { store.send("count") }
    await tree.untilTold()
    #expect(store.reduced["count"] == 2)
    #expect(store.reduced["seen"] == 0)
    storage.letGo(fails: fails)
    await store.untilBack()
    #expect(store.state["count"] == (fails ? 1 : 2))
    #expect(store.state["seen"] == (fails ? 0 : 1))
    await host.close()
    withExtendedLifetime(tree) {}
  }

  /// The node is on the screen until then.
  @Test func theTaskOfANodeEndsWhenItsDisappearanceIsWritten() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("viewed", key: "r")
    try await room.send("open", ["isOpen": true])
    let store = try await room.open()
    let tree = store.view()
    await until { store.effects.count == 1 }
    await store.untilDurable()
    try await storage.hold { try store.send("open", ["isOpen": false]) }
    #expect(store.reduced["isOpen"] == false)
    #expect(store.effects.count == 1)
    storage.letGo()
    await until { store.effects.isEmpty }
    #expect(store.state["isOpen"] == false)
    await host.close()
    withExtendedLifetime(tree) {}
  }

  /// As on a page that is opened again after a crash. The record of what they send may fail, too.
  @Test(arguments: [1, 2])
  func nodesOnScreensAppearOnceMoreWhenAStoreComesBack(failures: Int) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("viewed", key: "r")
    for _ in 1...2 { try await room.send("count") }
    try await room.send("open", ["isOpen": true])
    let (store, waits) = (try await room.open(), Calls())
    let observation = store.onAction { if $0.action.path == "wait" { waits.add("wait") } }
    // Both have the nodes: the first appearance counts.
    let trees = [store.view(), store.view(environment: ["width": "compact"])]
    await until { store.effects.count == 1 && store.state["seen"] == 1 && waits.all.count == 1 }
    await store.untilDurable()
    await storage.hold { store.send("count") }
    storage.fail(failures)
    storage.isHeld = false
    await until { store.effects.count == 1 && store.state["seen"] == 2 && waits.all.count == 2 }
    await store.untilDurable()
    await store.untilObserved()
    #expect(store.effects.count == 1)
    #expect(store.state["count"] == 2)
    #expect(store.state["seen"] == 2)
    #expect(waits.all.count == 2)
    observation.cancel()
    await host.close()
    withExtendedLifetime(trees) {}
  }

  /// A page waits for the end of its event.
  @Test(arguments: [false, true])
  func aGestureOnTheScreenOfAStoreThatHasEndedIsDone(isClosed: Bool) async throws {
    let host = try rooms.host()
    let room = host.durable("viewed", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let (tree, seen) = (store.view(), Calls())
    await store.untilDurable()
    if isClosed { await host.close() } else { try await room.remove() }
    for count in 1...2 {
      try tree.perform(.tap, at: ViewPath([.child(2)]), seen: tree.value) { _ in seen.add("done") }
      await until { seen.all.count == count }
    }
    #expect(text(tree) == "1")
    await host.close()
    let again = try rooms.host()
    #expect(try await again.infos().map(\.records) == (isClosed ? [1] : []))
    await again.close()
  }

  /// Both are in the same worker, under one name.
  @Test func whoWatchesARemovedStoreHearsNothingOfTheNextOne() async throws {
    let host = try rooms.host()
    let room = host.durable("viewed", key: "r")
    try await room.send("count")
    let old = try await room.open()
    let (tree, seen) = (old.view(), Calls())
    await old.untilDurable()
    let observations = [
      old.observe { _ in seen.add("state") }, old.onAction { _ in seen.add("action") },
      tree.observe { _, _ in seen.add("tree") },
    ]
    try await room.remove()
    for _ in 1...5 { try await room.send("count") }
    #expect(try await room.open().state["count"] == 5)
    await old.untilObserved()
    await tree.untilTold()
    #expect(seen.all == [])
    #expect(text(tree) == "1")
    for observation in observations { observation.cancel() }
    await host.close()
  }

  // MARK: Observers

  @Test func nobodyHearsOfAnActionThatIsNotWritten() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("add", ["item": 1])
    let store = try await room.open()
    let seen = Calls()
    let observations = [
      store.observe(at: "items", as: [Int].self) { seen.add("\((try? $0.get()) ?? [])") },
      store.onAction { seen.add("\($0.number) \($0.action.path)") },
    ]
    try await storage.hold { try store.send("add", ["item": 2]) }
    store.send("twice")
    storage.letGo(fails: true)
    await store.untilBack()
    try await room.send("add", ["item": 3])
    await store.untilObserved()
    // The next record has the number of the one that never was.
    #expect(seen.all == ["2 add", "[1, 3]"])
    #expect(try store.state(at: "items", as: [Int].self) == [1, 3])
    for observation in observations { observation.cancel() }
    await host.close()
  }

  @Test(arguments: [false, true], [false, true])
  func aTransactionComesWithItsRecord(isOfAnEffect: Bool, fails: Bool) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("viewed", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let seen = Calls()
    let observation = store.observe("count") { count, transaction in
      seen.add("\(count) \(transaction?["animation"].string ?? "plain")")
    }
    await storage.hold {
      if isOfAnEffect { store.send("spring") } else { store.send("count", animation: "spring") }
    }
    #expect(seen.all == [])
    storage.letGo(fails: fails)
    await store.untilBack()
    try await room.send("count")
    await store.untilObserved()
    #expect(seen.all == (fails ? ["2 plain"] : ["2 spring", "3 plain"]))
    observation.cancel()
    await host.close()
  }

  /// Another thread calls them, when the record is written.
  @Test func whoHearsOfAnActionHasTheTaskLocalValuesOfItsSender() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("viewed", key: "r")
    for _ in 1...2 { try await room.send("count") }
    let store = try await room.open()
    let (tree, seen) = (store.view(), Calls())
    await store.untilDurable()
    let observations = [
      store.onAction { _ in seen.add("action of \(Sender.name ?? "nobody")") },
      store.observe("count") { _ in seen.add("count of \(Sender.name ?? "nobody")") },
      tree.observe { _, _ in seen.add("tree of \(Sender.name ?? "nobody")") },
    ]
    await storage.hold { Sender.$name.withValue("Ada") { _ = store.send("count") } }
    storage.letGo()
    await store.untilObserved()
    #expect(seen.all == ["action of Ada", "count of Ada", "tree of Ada"])
    for observation in observations { observation.cancel() }
    await host.close()
  }

  @Test @MainActor func aBindingHasItsValueWhenThatIsWritten() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("viewed", key: "r")
    try await room.send("count")
    let store = ObservableStore(try await room.open())
    let name = store.binding("name")
    #expect(name.get() == "")
    storage.isHeld = true
    name.set("Ada")
    #expect(store.store.reduced["name"] == "Ada")
    #expect(name.get() == "")
    storage.isHeld = false
    while name.get() == "" && !Task.isCancelled { await Task.yield() }
    #expect(name.get() == "Ada")
    storage.fail(1)
    name.set("Bob")
    await store.store.untilBack()
    #expect(name.get() == "Ada")
    #expect(store["name"].string == "Ada")
    await host.close()
  }

  /// They may be of an action that is lost afterwards.
  @Test func whatIsPrintedAndRaisedIsToldBeforeTheRecordIsWritten() async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { count = 0 },
        on = {
          count = function(state) state.count = state.count + 1 end,
          fail = function() error("no luck", 0) end,
        },
      }:printActions("room")
      """)
    let (storage, told) = (HeldJournal(rooms.journal), Calls())
    let host = try rooms.host(storage) {
      $0.onPrint = { told.add($0) }
      $0.onError = { error, _ in told.add(error.message) }
      $0.onWarning = { told.add($0.action ?? "none") }
    }
    let store = try await host.durable("room", key: "r").open()
    await storage.hold { store.send("count") }
    store.send("fail")
    store.send("typo")
    await until {
      let all = told.all
      return all.contains("room: received action:\n  count") && all.contains("typo")
        && all.contains { $0.contains("no luck") }
    }
    #expect(storage.isHeld && store.state["count"] == 0)
    storage.letGo(fails: true)
    await store.untilBack()
    #expect(store.state["count"] == 0)
    await host.close()
  }

  // MARK: Recordings and tools

  @Test func theLinesOfARecordingHaveNothingThatWasNotWritten() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let (history, lines) = (store.record(), Calls())
    let observation = history.onLine { lines.add($0) }
    await storage.hold { store.send("count") }
    try host.reset()
    storage.letGo(fails: true)
    await store.untilBack()
    try await room.send("add", ["item": 1])
    await store.untilObserved()
    let written = try Recording(jsonLines: lines.all.joined(separator: "\n"))
    #expect(written.entries.last?.number == 2 && written.entries.last?.action.path == "add")
    #expect(!written.entries.contains { $0.action.path == "reset" })
    #expect(written.finalState == store.state)
    observation.cancel()
    await host.close()
  }

  /// A tool has set the state, of which the record is not written.
  @Test func anEditThatIsNotWrittenNeverHappened() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let history = store.record()
    try await storage.hold { try history.edit(["items": [9], "count": 7, "done": 0]) }
    #expect(store.reduced["count"] == 7)
    #expect(store.state["count"] == 1)
    storage.letGo(fails: true)
    await store.untilBack()
    #expect(store.state == ["items": [], "count": 1, "done": 0])
    try await room.send("count")
    await host.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 2)
    await again.close()
  }

  @Test func aBackupAndAListHaveWhatIsWritten() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    await storage.hold { store.send("count") }
    #expect(try await host.infos().map(\.records) == [1])
    let copy = "\(rooms.folder)/copy.db"
    try SQLiteJournalReader(rooms.journal).backup(to: copy)
    storage.letGo(fails: true)
    await store.untilBack()
    #expect(try await host.infos().map(\.records) == [1])
    try await room.send("add", ["item": 1])
    #expect(try await host.infos().map(\.records) == [2])
    await host.close()
    let restored = try rooms.host { $0.journal = .sqlite(copy) }
    let state = try await restored.durable("room", key: "r").open().state
    #expect(state == ["items": [], "count": 1, "done": 0])
    #expect(try SQLiteJournalReader(copy).verify().faults == [])
    await restored.close()
  }
}
#endif
