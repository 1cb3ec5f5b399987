#if Journal
import ScriptedStore
import ScriptedStoreJournal
import Synchronization
import Testing

/// What a durable store acknowledges is written; before that nobody sees it, and a commit that fails undoes it.
@Suite(.timeLimit(.minutes(2)))
struct DurableCommitTests {
  private let rooms: Rooms

  init() throws { rooms = try Rooms() }

  // MARK: What is acknowledged, and what is seen before

  @Test func nobodySeesWhatIsNotDurable() async throws {
    let storage = HeldJournal(rooms.journal)
    let calls = Calls()
    let host = try rooms.host(storage, outside: calls)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let seen = Calls()
    let observations = [
      store.observe("count") { seen.add("count \($0)") },
      store.onAction { seen.add("action \($0.action.path)") },
    ]
    storage.isHeld = true
    let sending = Task { try await room.send("start") }
    await until { storage.commits >= 2 }
    #expect(store.state["count"] == 1)
    #expect(seen.all == [])
    #expect(calls.all == [])
    #expect(store.effects.count == 1)
    storage.isHeld = false
    _ = try await sending.value
    await until { seen.all.count == 3 && calls.all.count == 2 }
    #expect(calls.all == ["started", "done"])
    #expect(seen.all == ["action start", "count 2", "action done"])
    for observation in observations { observation.cancel() }
    await host.close()
  }

  @Test func theSendOfAnEffectWaitsForItsRecord() async throws {
    let storage = HeldJournal(rooms.journal)
    let calls = Calls { name in if name == "started" { storage.isHeld = true } }
    let host = try rooms.host(storage, outside: calls)
    let room = host.durable("room", key: "r")
    let before = storage.commits
    try await room.send("start")
    // The commit of what the effect has sent has begun.
    await until { storage.commits >= before + 2 }
    try await Task.sleep(for: .milliseconds(50))
    #expect(calls.all == ["started"])
    storage.isHeld = false
    await until { calls.all == ["started", "done"] }
    #expect(try await room.open().state["done"] == 1)
    await host.close()
  }

  @Test func actionsAreReducedWhileOthersAreWritten() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let before = storage.commits
    storage.isHeld = true
    let sends = (0..<20).map { _ in Task { try await room.send("twice") } }
    await until { storage.commits > before }
    storage.isHeld = false
    for send in sends { _ = try await send.value }
    #expect(try await room.open().state["count"] == 41)
    // All that came while the first was written are one commit.
    #expect(storage.commits - before < 20)
    await host.close()
  }

  @Test func anActionThatRaisesOrDoesNothingHasNoRecord() async throws {
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    let first = try await room.send("count")
    await #expect(throws: ScriptError.self) { try await room.send("fail", request: "x") }
    await #expect(throws: ScriptError.self) { try await room.send("unknown", request: "x") }
    #expect(try await room.send("nothing") == first)
    // Its request id is free.
    #expect(try await room.send("count", request: "x").seq == first.seq + 1)
    #expect(try await room.open().state["count"] == 2)
    #expect(try await host.infos().map(\.records) == [2])
    await host.close()
  }

  // MARK: Failed commits

  @Test func aFailedCommitIsACrashOfItsStores() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let (room, other) = (host.durable("room", key: "r"), host.durable("room", key: "other"))
    try await room.send("count")
    let second = try await other.send("count")
    let store = try await room.open()
    storage.fail(1)
    let error = await #expect(throws: JournalError.self) { try await room.send("start") }
    #expect(error?.code == .notWritten)
    #expect(store.state["count"] == 1)
    #expect(store.effects.isEmpty)
    let receipt = try await room.send("count")
    #expect(receipt.seq == second.seq + 1)
    #expect(store.state["count"] == 2)
    #expect(try await other.open().state["count"] == 1)
    await host.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 2)
    await again.close()
  }

  @Test func whoWaitsForTheEffectsIsToldWhenACommitFails() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let commits = storage.commits
    storage.isHeld = true
    store.send("count")
    let waiting = Task { @MainActor in await store.finish() }
    // The actor runs one task after the other, so the one above waits by then.
    await Task { @MainActor in }.value
    await until { storage.commits > commits }
    storage.fail(1)
    storage.isHeld = false
    await waiting.value
    await until { store.state["count"] == 1 }
    await host.close()
  }

  /// Writes the module `viewed`: a counter that is shown.
  private func writeViewed(_ view: String) throws {
    try rooms.write(
      """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "Viewed", state = { count = 0 },
        on = { count = function(state) state.count = state.count + 1 end },
        view = function(state) \(view) end,
      }
      """, as: "viewed")
  }

  @Test(arguments: [true, false])
  func aGestureIsDoneWithItsRecord(fails: Bool) async throws {
    try writeViewed(
      """
      return ui.column { ui.button { "count " .. state.count, action = "count" } }
      """)
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("viewed", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let (tree, seen) = (store.view(), Calls())
    let observation = tree.observe { _, _ in if store.state["count"] == 2 { seen.add("tree") } }
    await told(by: tree)
    let commits = storage.commits
    storage.isHeld = true
    try tree.perform(.tap, at: ViewPath([.child(1)]), seen: tree.value) { _ in seen.add("done") }
    await until { storage.commits > commits }
    await told(by: tree)
    #expect(seen.all == [])
    if fails { storage.fail(1) }
    storage.isHeld = false
    await until { seen.all.last == "done" }
    #expect(seen.all == (fails ? ["done"] : ["tree", "done"]))
    observation.cancel()
    await host.close()
  }

  /// Returns when the observers of a tree have been called for what is durable.
  private func told(by tree: ViewTree) async {
    await withCheckedContinuation { continuation in tree.afterDeliveries { continuation.resume() } }
  }

  /// Each node appears when the record of the action is written that the one before has sent.
  @Test func nodesThatMakeEachOtherAppearComeToAnEnd() async throws {
    try writeViewed(
      """
      if state.count % 2 == 0 then return ui.row { onAppear = "count" } end
      return ui.column { ui.row { onAppear = "count" } }
      """)
    let warnings = Calls()
    let host = try rooms.host {
      $0.limits = Limits(actions: 20)
      $0.onWarning = { warnings.add($0.message) }
    }
    let store = try await host.durable("viewed", key: "r").open()
    let tree = store.view()
    await until { !warnings.all.isEmpty || store.reduced["count"].int ?? 0 > 100 }
    #expect(store.state["count"] == 20)
    #expect(warnings.all.first?.contains("count sends count") == true, "\(warnings.all)")
    // What a person does next begins another burst.
    store.send("count")
    await until { warnings.all.count == 2 || store.reduced["count"].int ?? 0 > 100 }
    #expect(store.state["count"] == 41)
    await host.close()
    withExtendedLifetime(tree) {}
  }

  @Test func aHistoryThatBeginsAgainStaysLocked() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let history = try await room.open().record()
    storage.isHeld = true
    let before = storage.commits
    let sending = Task { try await room.send("count") }
    await until { storage.commits > before }
    history.isLocked = true
    storage.fail(1)
    storage.isHeld = false
    await #expect(throws: JournalError.self) { try await sending.value }
    #expect(history.isLocked && history.count == 0 && history.initialState["count"] == 1)
    history.isLocked = false
    try await room.send("count")
    #expect(history.numbers == 2..<3)
    await host.close()
  }

  @Test func linesThatBeginWhileACommitFailsHaveAHeader() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let (history, lines) = (store.record(), Calls())
    let commits = storage.commits
    storage.isHeld = true
    let sending = Task { try await room.send("count") }
    await until { storage.commits > commits }
    let observation = history.onLine { lines.add($0) }
    storage.fail(1)
    storage.isHeld = false
    await #expect(throws: JournalError.self) { try await sending.value }
    for _ in 1...2 { try await room.send("count") }
    await store.untilObserved()
    #expect(lines.all.count == 3)
    #expect(try Recording(jsonLines: lines.all.joined(separator: "\n")).finalState["count"] == 3)
    observation.cancel()
    await host.close()
  }

  @Test(arguments: [0, 1, 3])
  func nothingIsAcknowledgedWhileACommitIsNotKnown(questionsInVain: Int) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let (room, other) = (host.durable("room", key: "r"), host.durable("room", key: "other"))
    try await room.send("count")
    try await other.send("count")
    let store = try await room.open()
    storage.loseAnswer(questionsInVain: questionsInVain)
    if questionsInVain == 0 {
      try await room.send("count")
    } else {
      let error = await #expect(throws: JournalError.self) { try await room.send("count") }
      #expect(error?.code == .unknown)
    }
    // A send fails as long as it is not known, and is acknowledged only when it is in the journal.
    var acknowledged = 1
    await until {
      guard (try? await other.send("count")) != nil else { return false }
      acknowledged += 1
      return true
    }
    // The commit was done after all.
    await until { store.state["count"] == 2 }
    try await room.send("count")
    storage.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 3)
    #expect(
      try await again.durable("room", key: "other").open().state["count"]
        == .integer(Int64(acknowledged)))
    await again.close()
    withExtendedLifetime((host, store)) {}
  }

  @Test func aStoreThatWasRemovedHarmsNoOther() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let (room, other) = (host.durable("room", key: "r"), host.durable("room", key: "other"))
    try await room.send("count")
    try await other.send("count")
    // What the store hands over comes after its removal, in one commit with the other's.
    try await room.open().send("count")
    storage.isHeld = true
    let held = try await room.open()
    held.send("count")
    let sending = Task { try await other.send("count") }
    try storage.remove(StoreName(feature: "room", key: "r"))
    storage.isHeld = false
    _ = try await sending.value
    #expect(try await other.open().state["count"] == 2)
    await host.close()
  }

  @Test func aStoreWhoseFirstRecordIsNotWrittenBeginsAgain() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    storage.fail(1)
    await #expect(throws: JournalError.self) { try await room.send("count", request: "x") }
    #expect(try await room.open().state["count"] == 0)
    let receipt = try await room.send("count", request: "x")
    #expect(receipt.seq > 0)
    #expect(try await room.open().state["count"] == 1)
    await host.close()
  }

  @Test func aStoreThatComesBackHasTheSharedValuesOfNow() async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Sharing", state = {}, shared = { n = scripted.shared.inMemory("n", 0) },
        on = { add = function(state) state.n = state.n + 1 end },
      }
      """, as: "sharing")
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("sharing", key: "r")
    try await room.send("add")
    storage.fail(1)
    await #expect(throws: JournalError.self) { try await room.send("add") }
    #expect(host.shared("n").value == 2)
    try await room.send("add")
    #expect(host.shared("n").value == 3)
    #expect(try await room.open().state["n"] == 3)
    await host.close()
  }

  /// A snapshot that takes long to make is of a state that a failed commit has undone, and its number is that of another record
  /// when it is done.
  @Test func aSnapshotOfWhatNeverWasIsNotWritten() async throws {
    let hasFailed = Atomic<Bool>(false)
    let storage = HeldJournal(rooms.journal) { (storage, drains) throws(JournalError) in
      let fails = drains.contains { $0.store.feature == "room" && $0.records.first?.number == 2 }
      if fails && !hasFailed.exchange(true, ordering: .relaxed) {
        throw JournalError(.notWritten, "rooms.db: the disk is full")
      }
      return try storage.commit(drains)
    }
    try rooms.write(
      """
      local items = {}
      for number = 1, 1000000 do items[number] = number end
      return scripted.feature {
        name = "Large", state = { items = items, text = "" },
        on = { set = function(state, action) state.text = action.text end },
      }
      """, as: "large")
    // Loading a large state is no subject of this test, and takes seconds on a machine that does other things too.
    let host = try rooms.host(storage) { $0.limits.loadTime = .none }
    let (room, large) = (host.durable("room", key: "r"), host.durable("large", key: "r"))
    let text = String(repeating: "x", count: 300_000)
    try await room.send("add", ["item": .string("1" + text)])
    // Snapshots are made one after the other, each after a million bytes. That of this store takes long.
    for item in 1...2 { try await large.send("set", ["text": .string("\(item)" + text)]) }
    await #expect(throws: JournalError.self) {
      try await room.send("add", ["item": .string("2" + text)])
    }
    try await room.send("add", ["item": 3])
    // Waits for all snapshots.
    try await host.durable("room", key: "none").remove()
    storage.close()
    let again = try rooms.host()
    let items = try await again.durable("room", key: "r").open().state["items"]
    #expect(items == [.string("1" + text), 3])
    await again.close()
    withExtendedLifetime(host) {}
  }

  /// The store that was removed asks every second what the journal has, and must not become alive by the answer; nor must a new
  /// store with its name take the answer for its own.
  @Test(arguments: [true, false])
  func aStoreThatIsRemovedWhileACommitIsNotKnownStaysAway(isHeld: Bool) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let (room, other) = (host.durable("room", key: "r"), host.durable("room", key: "other"))
    try await room.send("count")
    try await other.send("count")
    var old: Store? = try await room.open()
    if !isHeld { old = nil }
    storage.loseAnswer(questionsInVain: 2)
    await #expect(throws: JournalError.self) { try await room.send("count") }
    try await room.remove()
    await until { (try? await other.send("count")) != nil }
    let start = ContinuousClock.now
    var count: Int64 = 0
    while ContinuousClock.now - start < .milliseconds(1_500) {
      old?.send("count")
      try await room.send("count")
      count += 1
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try await room.open().state["count"] == .integer(count))
    storage.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == .integer(count))
    await again.close()
    withExtendedLifetime((host, old)) {}
  }

  @Test func aStoreThatIsRemovedWhileItsCommitFailsBeginsAnew() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let commits = storage.commits
    storage.isHeld = true
    let sending = Task { try await room.send("count") }
    await until { storage.commits > commits }
    let removing = Task { try await room.remove() }
    let error = await #expect(throws: JournalError.self) { try await sending.value }
    #expect(error?.code == .closed)
    storage.fail(1)
    storage.isHeld = false
    try await removing.value
    try await room.send("count")
    #expect(try await room.open().state["count"] == 1)
    await host.close()
  }

  /// Its snapshot says when it is to wake. While the journal does not have that, it has to stay.
  @Test func aStoreWhoseLastSnapshotIsNotWrittenStaysInMemory() async throws {
    let hasFailed = Atomic<Bool>(false)
    let storage = HeldJournal(rooms.journal) { (storage, drains) throws(JournalError) in
      if drains.allSatisfy(\.records.isEmpty), !hasFailed.exchange(true, ordering: .relaxed) {
        throw JournalError(.notWritten, "rooms.db: the disk is full")
      }
      return try storage.commit(drains)
    }
    let host = try rooms.host(storage) { $0.idleTime = .milliseconds(20) }
    try await host.durable("room", key: "r").send("count")
    await until { hasFailed.load(ordering: .relaxed) }
    try await until { try await host.infos().first?.recordsBehind == 0 }
    await host.close()
  }

  /// Whoever closes a host ends the process then.
  @Test func whoClosesAHostThatIsBeingClosedWaitsForThat() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    try await host.durable("room", key: "r").send("count")
    let commits = storage.commits
    storage.isHeld = true
    let first = Task { await host.close() }
    // The last snapshot is on its way.
    await until { storage.commits > commits }
    let second = Task {
      await host.close()
      return code { _ = try storage.stores(of: nil) }
    }
    // Without waiting it would be done by then.
    try await Task.sleep(for: .milliseconds(50))
    storage.isHeld = false
    #expect(await second.value == .closed)
    await first.value
  }

  /// What was acknowledged is there, and what failed is not.
  @Test(arguments: [true, false])
  func aHostThatIsClosedWhileACommitFailsEnds(isUnknown: Bool) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let commits = storage.commits
    storage.isHeld = true
    let sends = (0..<3).map { _ in Task { try await room.send("count") } }
    await until { storage.commits > commits }
    let closing = Task { await host.close() }
    if isUnknown { storage.loseAnswer(questionsInVain: 3) } else { storage.fail(1) }
    storage.isHeld = false
    await closing.value
    var (acknowledged, unknown): (Int64, Int64) = (1, 0)
    for send in sends {
      do {
        _ = try await send.value
        acknowledged += 1
      } catch let error as JournalError where [.unknown, .closed].contains(error.code) {
        unknown += 1
      } catch {}
    }
    let again = try rooms.host()
    let count = try await again.durable("room", key: "r").open().state["count"].int ?? 0
    #expect((acknowledged...acknowledged + unknown).contains(Int64(count)))
    await again.close()
  }
}
#endif
