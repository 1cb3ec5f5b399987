#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Synchronization
import Testing

/// Stores that outlive their process: what is acknowledged, what others see before that, and what comes back.
@Suite(.timeLimit(.minutes(2)))
struct DurableStoreTests {
  private let rooms: Rooms

  init() throws { rooms = try Rooms() }

  // MARK: Coming back

  @Test func aStoreGoesOnWhereItWas() async throws {
    var host = try rooms.host()
    var last = Receipt.none
    for item in 1...3 {
      let receipt = try await host.durable("room", key: "r17").send(
        "add", ["item": .integer(Int64(item))])
      if last != .none { #expect(receipt.seq == last.seq + 1) }
      last = receipt
    }
    await host.close()
    host = try rooms.host()
    let room = host.durable("room", key: "r17")
    #expect(try await room.open().state["items"] == [1, 2, 3])
    #expect(try await room.send("add", ["item": 4], after: last).seq == last.seq + 1)
    #expect(try await host.durable("room", key: "other").open().state["items"] == [])
    await host.close()
  }

  @Test func aStoreComesBackFromItsRecordsAfterAnEndWithoutClose() async throws {
    do {
      // The lock of the file ends with the host's journal, as it does with a process.
      let storage = HeldJournal(rooms.journal)
      let host = try rooms.host(storage)
      for item in 1...5 {
        try await host.durable("room", key: "a").send("add", ["item": .integer(Int64(item))])
      }
      storage.close()
      withExtendedLifetime(host) {}
    }
    let host = try rooms.host()
    #expect(try await host.durable("room", key: "a").open().state["items"] == [1, 2, 3, 4, 5])
    await host.close()
  }

  @Test func aStoreComesBackAfterSeveralEndsWithoutClose() async throws {
    for item in 1...4 {
      let storage = HeldJournal(rooms.journal)
      let host = try rooms.host(storage)
      let room = host.durable("room", key: "a")
      try await room.send("add", ["item": .integer(Int64(item))])
      #expect(try await room.open().state["items"].array?.count == item)
      storage.close()
      withExtendedLifetime(host) {}
    }
    let reader = try SQLiteJournalReader(rooms.journal)
    #expect(try reader.verify().faults == [])
    let host = try rooms.host()
    #expect(try await host.durable("room", key: "a").open().state["items"] == [1, 2, 3, 4])
    await host.close()
  }

  @Test func aStoreThatCameBackAndWasNotClosedComesBackAgain() async throws {
    var receipts: [Receipt] = []
    for item in 1...3 {
      let storage = HeldJournal(rooms.journal)
      let host = try rooms.host(storage)
      let room = host.durable("room", key: "a")
      receipts.append(
        try await room.send("add", ["item": .integer(Int64(item))], request: "\(item)"))
      storage.close()
      withExtendedLifetime(host) {}
    }
    let host = try rooms.host()
    let room = host.durable("room", key: "a")
    for (index, receipt) in receipts.enumerated() {
      #expect(try await room.send("add", ["item": 9], request: "\(index + 1)") == receipt)
    }
    #expect(try await room.open().state["items"] == [1, 2, 3])
    await host.close()
  }

  @Test func aRequestWithSeveralRecordsHasOneReceipt() async throws {
    var receipts: [Receipt] = []
    for round in 0..<3 {
      let storage = HeldJournal(rooms.journal)
      let host = try rooms.host(storage)
      let room = host.durable("room", key: "a")
      // Its action and what its effect sends at once are two records.
      for _ in 0..<2 { receipts.append(try await room.send("twice", nil, request: "one")) }
      #expect(try await room.open().state["count"] == 2)
      #expect(try await room.send("nothing").seq == receipts[0].seq + 1)
      if round == 1 { await host.close() } else { storage.close() }
      withExtendedLifetime(host) {}
    }
    #expect(Set(receipts).count == 1)
  }

  @Test func manyRecordsMakeASnapshot() async throws {
    let host = try rooms.host()
    let room = host.durable("room", key: "busy")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask { for _ in 0..<30 { try await room.send("count") } }
      }
      try await group.waitForAll()
    }
    await until {
      let info = try? await host.infos("room").first
      return (info?.recordsBehind ?? .max) < 1_500
    }
    #expect(try await host.infos("room").first?.records == 1_500)
    await host.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "busy").open().state["count"] == 1_500)
    await again.close()
  }

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

  // MARK: Requests

  @Test func aRequestThatComesAgainIsNotReducedAgain() async throws {
    var host = try rooms.host()
    let receipt = try await host.durable("room", key: "r").send("count", request: "c9f1")
    try await host.durable("room", key: "r").send("count")
    #expect(try await host.durable("room", key: "r").send("count", request: "c9f1") == receipt)
    await host.close()
    host = try rooms.host()
    let room = host.durable("room", key: "r")
    #expect(try await room.send("count", request: "c9f1") == receipt)
    #expect(try await room.open().state["count"] == 2)
    await host.close()
  }

  @Test func aReceiptOfAnotherJournalIsNoticed() async throws {
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    let receipt = try await room.send("count")
    let later = Receipt(seq: receipt.seq + 10, receipt.digest)
    let other = Receipt(seq: receipt.seq, .zero)
    for unknown in [later, other] {
      let error = await #expect(throws: JournalError.self) {
        try await room.send("count", after: unknown)
      }
      #expect(error?.code == .wentBack)
    }
    #expect(try await room.open().state["count"] == 1)
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
    let host = try rooms.host(storage)
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
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage) { $0.idleTime = .milliseconds(200) }
    try await host.durable("room", key: "r").send("count")
    let commits = storage.commits
    storage.fail(1)
    await until { storage.commits > commits }
    try await until { try await host.infos().first?.recordsBehind == 0 }
    await host.close()
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

  // MARK: Deploys

  @Test func aStoreOfAnOlderVersionIsMigrated() async throws {
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("count")
    await host.close()
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", version = 2,
        migrate = function(state, from)
          state.total, state.count = state.count + 100 * from, nil
        end,
        state = { items = {}, total = 0, done = 0, fresh = "new" },
        on = { count = function(state) state.total = state.total + 1 end },
      }
      """)
    host = try rooms.host()
    let room = host.durable("room", key: "r")
    #expect(
      try await room.open().state == ["items": [], "total": 101, "done": 0, "fresh": "new"])
    try await room.send("count")
    await host.close()
    host = try rooms.host()
    #expect(try await host.durable("room", key: "r").open().state["total"] == 102)
    await host.close()
  }

  @Test(arguments: [true, false])
  func aReloadThatMigratesIsRecorded(hasRecordAfter: Bool) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    for _ in 1...3 { try await room.send("count") }
    let store = try await room.open()
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", version = 2,
        migrate = function(state, from)
          state.total, state.count = (state.total or 0) + state.count + 100 * from, nil
          state.count = 0
        end,
        state = { items = {}, total = 0, count = 0, done = 0 },
        on = { count = function(state) state.total = state.total + 1 end },
      }
      """)
    try await host.reload()
    await until { store.state["total"] == 103 }
    if hasRecordAfter { try await room.send("count") }
    await until { (try? await host.infos().first?.recordsBehind ?? 9) ?? 9 <= 1 }
    storage.close()
    let again = try rooms.host()
    let total = try await again.durable("room", key: "r").open().state["total"]
    #expect(total == (hasRecordAfter ? 104 : 103))
    await again.close()
    withExtendedLifetime(host) {}
  }

  @Test func codeThatDoesNotLoadLosesNothing() async throws {
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("count")
    await host.close()
    try rooms.write("error('broken')")
    host = try rooms.host()
    let error = await #expect(throws: JournalError.self) {
      try await host.durable("room", key: "r").send("count")
    }
    #expect(error?.code == .unusable)
    #expect(error?.message.contains("broken") == true)
    await host.close()
    try rooms.write(Rooms.room)
    host = try rooms.host()
    #expect(try await host.durable("room", key: "r").open().state["count"] == 1)
    await host.close()
  }

  // MARK: Alarms, transient fields, effects that were in flight

  private static let turns = """
    return scripted.feature {
      name = "Turns",
      state = { rang = 0, typing = "nobody", lost = {} },
      transient = { "typing" },
      on = {
        set = function(state, action) return effect.alarm("turn", action.seconds, "ring") end,
        cancel = function() return effect.cancelAlarm("turn") end,
        ring = function(state) state.rang = state.rang + 1 end,
        type = function(state, action) state.typing = action.who end,
        wait = function()
          return effect.run(function(send, deps) deps.clock.sleep(1000) end):cancellable("waiting")
        end,
        short = function() return effect.run(function(send) send("type", { who = "short" }) end) end,
        recovered = function(state, action)
          for _, lost in ipairs(action.effects) do list.insert(state.lost, lost.id or "none") end
        end,
      },
    }
    """

  /// Ends a host as the end of its process does, without closing it.
  private func crash(_ storage: HeldJournal) { storage.close() }

  @Test(arguments: [true, false])
  func anAlarmRingsOnceAfterTheStoreHasComeBack(isClosed: Bool) async throws {
    try rooms.write(Self.turns)
    let storage = HeldJournal(rooms.journal)
    var host = try rooms.host(storage)
    try await host.durable("room", key: "r").send("set", ["seconds": 0.5])
    if isClosed { await host.close() } else { crash(storage) }
    host = try rooms.host()
    let store = try await host.durable("room", key: "r").open()
    await until { store.state["rang"] == 1 }
    await host.close()
    host = try rooms.host()
    let again = try await host.durable("room", key: "r").open()
    try await Task.sleep(for: .milliseconds(100))
    #expect(again.state["rang"] == 1)
    await host.close()
  }

  @Test func aStoreWithAnAlarmWakesByItself() async throws {
    try rooms.write(Self.turns)
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("set", ["seconds": 0.2])
    await host.close()
    host = try rooms.host { $0.idleTime = .milliseconds(40) }
    await until { (try? await host.infos().first?.records) == 2 }
    let store = try await host.durable("room", key: "r").open()
    await until { store.state["rang"] == 1 }
    await host.close()
  }

  @Test func anAlarmThatIsDueRingsBeforeAnybodySeesTheStore() async throws {
    try rooms.write(Self.turns)
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("set", ["seconds": 0.05])
    await host.close()
    try await Task.sleep(for: .milliseconds(100))
    host = try rooms.host()
    #expect(try await host.durable("room", key: "r").open().state["rang"] == 1)
    await host.close()
  }

  @Test func anAlarmThatWasCancelledDoesNotComeBack() async throws {
    try rooms.write(Self.turns)
    let storage = HeldJournal(rooms.journal)
    var host = try rooms.host(storage)
    try await host.durable("room", key: "r").send("set", ["seconds": 0.1])
    try await host.durable("room", key: "r").send("cancel")
    crash(storage)
    host = try rooms.host()
    let store = try await host.durable("room", key: "r").open()
    try await Task.sleep(for: .milliseconds(200))
    #expect(store.state["rang"] == 0)
    await host.close()
  }

  @Test(arguments: [true, false])
  func aTransientFieldHasItsDefaultAfterwards(isClosed: Bool) async throws {
    try rooms.write(Self.turns)
    let storage = HeldJournal(rooms.journal)
    var host = try rooms.host(storage)
    try await host.durable("room", key: "r").send("type", ["who": "Ada"])
    #expect(try await host.durable("room", key: "r").open().state["typing"] == "Ada")
    if isClosed { await host.close() } else { crash(storage) }
    host = try rooms.host()
    let room = host.durable("room", key: "r")
    #expect(try await room.open().state["typing"] == "nobody")
    try await room.send("type", ["who": "Bob"])
    #expect(try await room.open().state["typing"] == "Bob")
    await host.close()
  }

  @Test func aPlaceWhoseEffectWasInFlightHearsOfIt() async throws {
    try rooms.write(Self.turns)
    let storage = HeldJournal(rooms.journal)
    var host = try rooms.host(storage)
    try await host.durable("room", key: "r").send("wait")
    crash(storage)
    host = try rooms.host()
    // Nobody uses the store: it comes back by itself.
    await until { (try? await host.infos().first?.records) == 2 }
    let store = try await host.durable("room", key: "r").open()
    await until { store.state["lost"] == ["waiting"] }
    await host.close()
    host = try rooms.host()
    #expect(try await host.durable("room", key: "r").open().state["lost"] == ["waiting"])
    await host.close()
  }

  @Test func aFailedCommitLeavesAlarmsAsTheyWere() async throws {
    try rooms.write(Self.turns)
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("set", ["seconds": 0.5])
    storage.fail(1)
    await #expect(throws: JournalError.self) { try await room.send("cancel") }
    let store = try await room.open()
    await until { store.state["rang"] == 1 }
    await host.close()
  }

  @Test func aChangeThatIsTooLargeIsRefused() async throws {
    try rooms.write(
      """
      return scripted.feature {
        state = { text = "" },
        on = { grow = function(state) state.text = ("x"):rep(2 * 1024 * 1024) end },
      }
      """)
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    let error = await #expect(throws: ScriptError.self) { try await room.send("grow") }
    #expect(error?.message.contains("in parts") == true)
    #expect(try await room.open().state["text"] == "")
    await host.close()
  }

  @Test func aDurableStoreDoesNotGoBack() async throws {
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let history = try await room.open().record(limit: 10)
    #expect(throws: HistoryError.self) { try history.step(by: -1) }
    try history.edit(["items": [], "count": 7, "done": 0])
    await host.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 7)
    await again.close()
  }

  // MARK: Passive stores

  @Test func aStoreThatNobodyUsesLeavesMemory() async throws {
    let host = try rooms.host { $0.idleTime = .milliseconds(50) }
    let room = host.durable("room", key: "r")
    try await room.send("count")
    await until {
      let info = try? await host.infos().first
      return info?.recordsBehind == 0
    }
    #expect(try await room.open().state["count"] == 1)
    try await room.send("count")
    #expect(try await room.open().state["count"] == 2)
    await host.close()
  }

  @Test func aStoreThatIsHeldStaysActive() async throws {
    let host = try rooms.host { $0.idleTime = .milliseconds(20) }
    let room = host.durable("room", key: "r")
    let store = try await room.open()
    for count in 1...20 {
      store.send("count")
      try await Task.sleep(for: .milliseconds(10))
      try await room.send("count")
      #expect(store.state["count"] == .integer(Int64(2 * count)))
    }
    await host.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 40)
    await again.close()
  }

  @Test func aStoreThatIsRemovedBeginsAnew() async throws {
    let host = try rooms.host()
    let (room, other) = (host.durable("room", key: "r"), host.durable("room", key: "other"))
    try await room.send("count")
    try await other.send("count")
    let held = try await room.open()
    try await room.remove()
    #expect(try await host.infos().map(\.name.key) == ["other"])
    held.send("count")
    #expect(try await room.open().state["count"] == 0)
    try await room.send("count")
    #expect(try await room.open().state["count"] == 1)
    try await other.send("count")
    await host.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 1)
    #expect(try await again.durable("room", key: "other").open().state["count"] == 2)
    await again.close()
  }

  @Test(arguments: [true, false])
  func whoUsesAStoreThatIsBeingRemovedGetsANewOne(isActive: Bool) async throws {
    do {
      let host = try rooms.host()
      for _ in 0..<5 { try await host.durable("room", key: "r").send("count") }
      await host.close()
    }
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    if isActive { try await room.send("count") }
    storage.holdsRemovals = true
    async let removed: Void = room.remove()
    await until { storage.removals == 1 }
    async let sent = room.send("count", nil, request: "late")
    async let opened = room.open()
    // Uses that do not wait would be done by then.
    for key in 0..<20 { try await host.durable("room", key: "r\(key)").send("count") }
    storage.holdsRemovals = false
    try await removed
    let receipt = try await sent
    #expect(try await opened.state["count"].int ?? 9 <= 1)
    #expect(try await room.send("count", nil, request: "late") == receipt)
    #expect(try await room.open().state["count"] == 1)
    #expect(try await host.infos().first { $0.name.key == "r" }?.records == 1)
    await host.close()
  }

  @Test func aStoreThatIsUsedWhileItIsLeavingStaysTheOnlyOne() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage) { $0.idleTime = .milliseconds(20) }
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let before = storage.commits
    storage.isHeld = true
    // The snapshot of its passivation is out.
    await until { storage.commits > before }
    let held = try await room.open()
    async let sent = room.send("count")
    held.send("count")
    await until { held.reduced["count"] == 3 }
    storage.isHeld = false
    _ = try await sent
    await held.untilDurable()
    #expect(held.state["count"] == 3)
    #expect(try await room.open().state["count"] == 3)
    #expect(try await host.infos().map(\.records) == [3])
    await host.close()
  }

  @Test func theLinesOfARecordingWaitForTheirRecords() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let lines = Calls()
    let observation = try await room.open().record().onLine { lines.add($0) }
    await until { !lines.all.isEmpty }
    let before = (lines.all.count, storage.commits)
    storage.isHeld = true
    let sending = Task { try await room.send("count") }
    await until { storage.commits > before.1 }
    #expect(lines.all.count == before.0)
    storage.isHeld = false
    _ = try await sending.value
    await until { lines.all.count == before.0 + 1 }
    observation.cancel()
    await host.close()
  }

  // MARK: Bad input

  @Test(arguments: ["", "a/b", "a b", "ä", String(repeating: "k", count: 129)])
  func aKeyThatIsNoneIsRefused(_ key: String) async throws {
    let host = try rooms.host()
    let error = await #expect(throws: JournalError.self) {
      try await host.durable("room", key: key).send("count")
    }
    #expect(error?.code == .name)
    await host.close()
  }

  @Test func aHostWithoutAJournalSaysSo() async throws {
    let host = try ScriptHost(root: rooms.scripts)
    let error = await #expect(throws: JournalError.self) {
      try await host.durable("room", key: "r").send("count")
    }
    #expect(error?.message.contains("configuration.journal") == true)
  }

  @Test func anActionThatIsTooLargeIsRefused() async throws {
    let host = try rooms.host()
    let large = Value.string(String(repeating: "x", count: 2 << 20))
    let error = await #expect(throws: JournalError.self) {
      try await host.durable("room", key: "r").send("add", ["item": large])
    }
    #expect(error?.code == .tooLarge)
    await host.close()
  }

  @Test func aFeatureThatDoesNotExistIsTold() async throws {
    let host = try rooms.host()
    await #expect(throws: ScriptError.self) {
      try await host.durable("nothere", key: "r").send("count")
    }
    #expect(try await host.infos() == [])
    await host.close()
  }
}
#endif
