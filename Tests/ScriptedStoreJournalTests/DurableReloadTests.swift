#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Synchronization
import Testing

/// Durable stores are migrated by new code, whether it comes with a new process or with a reload.
@Suite(.timeLimit(.minutes(2)))
struct DurableReloadTests {
  private let rooms: Rooms

  init() throws { rooms = try Rooms() }

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

  /// The handlers of the store that has reduced last wait meanwhile.
  @Test func whatAMigrationPrintsIsDeliveredWithTheCallsOfItsStore() async throws {
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("count")
    await host.close()
    try rooms.write(
      """
      local Counter = scripted.feature {
        name = "Counter", state = {}, on = { up = function(state) state.count = state.count + 1 end },
      }:printActions("counter")
      return scripted.feature {
        name = "Room", version = 2, state = { items = {}, count = 0, done = 0 },
        migrate = function(state) Counter.run(state, { type = "up" }) end,
      }
      """)
    try rooms.write(
      "return scripted.feature { state = {}, on = { go = function(state) state.n = 1 end } }",
      as: "other")
    let (printed, waiting) = (Calls(), Calls())
    host = try rooms.host { $0.onPrint = { printed.add($0) } }
    let other = try host.store("other")
    let gate = DispatchSemaphore(value: 0)
    let observation = other.observe("n") { _ in
      waiting.add("n")
      gate.wait()
    }
    Thread.detachNewThread { _ = other.send("go") }
    await until { !waiting.all.isEmpty }
    #expect(try await host.durable("room", key: "r").open().state["count"] == 2)
    await until { !printed.all.isEmpty }
    #expect(printed.all == ["counter: received action:\n  up"])
    gate.signal()
    observation.cancel()
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

  private static let hundredfold = """
    return scripted.feature {
      name = "Room", version = 2,
      migrate = function(state) state.count = state.count * 100 end,
      state = { items = {}, count = 0, done = 0 },
      on = { count = function(state) state.count = state.count + 1 end },
    }
    """

  /// What a reset does must not depend on whether the store was passive, or another version, before.
  @Test(arguments: [false, true])
  func aResetGivesAStoreThatHasComeBackItsInitialState(isMigrated: Bool) async throws {
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("count")
    await host.close()
    if isMigrated { try rooms.write(Self.hundredfold) }
    host = try rooms.host()
    let store = try await host.durable("room", key: "r").open()
    #expect(store.state["count"] == (isMigrated ? 100 : 1))
    try host.reset()
    await store.untilDurable()
    let initial: Value = ["items": [], "count": 0, "done": 0]
    #expect(store.state == initial)
    await host.close()
    host = try rooms.host()
    #expect(try await host.durable("room", key: "r").open().state == initial)
    await host.close()
  }

  // MARK: Older and renamed code

  private static let refusal =
    "state was made by version 2 of Room, and these scripts have version 1; deploy scripts of version 2 or later"

  /// Otherwise the next deploy of the newer version would migrate it once more.
  @Test func aStoreOfANewerVersionTakesNoActions() async throws {
    try rooms.write(Self.hundredfold)
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("count")
    await host.close()
    let migrating = Rooms.room.replacing(
      "name = \"Room\",",
      with: "name = \"Room\", migrate = function(state) state.count = 1000 end,")
    for older in [Rooms.room, migrating] {
      try rooms.write(older)
      host = try rooms.host()
      let error = await #expect(throws: JournalError.self) {
        try await host.durable("room", key: "r").send("count")
      }
      #expect(error?.code == .unusable)
      #expect(error?.message.contains(Self.refusal) == true)
      #expect(try await host.infos().map(\.records) == [1])
      await host.close()
    }
    try rooms.write(Self.hundredfold)
    host = try rooms.host()
    #expect(try await host.durable("room", key: "r").open().state["count"] == 1)
    await host.close()
  }

  /// The store in memory alone would take it.
  @Test func aReloadOfOlderCodeIsRefusedWhileADurableStoreIsActive() async throws {
    try rooms.write(Self.hundredfold)
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let stores = [try await room.open(), try host.store("room")]
    try rooms.write(Rooms.room)
    let error = await #expect(throws: ReloadError.self) { try await host.reload() }
    #expect(error?.message.contains(Self.refusal) == true)
    try await room.send("count")
    #expect(stores.map { $0.state["count"] } == [2, 0])
    try rooms.write(Self.hundredfold)
    try await host.reload()
    try await room.send("count")
    #expect(stores[0].state["count"] == 3)
    await host.close()
  }

  /// A store whose state has no such child goes on.
  @Test func aNewerVersionOfAChildCountsWhereTheChildIs() async throws {
    func room(_ row: String) -> String {
      """
      local Row = scripted.feature { name = "Row", state = { id = 0 }, \(row) }
      return scripted.feature {
        name = "Room", state = { n = 0, rows = {} },
        on = {
          up = function(state) state.n = state.n + 1 end,
          add = function(state) list.insert(state.rows, { id = 7 }) end,
        },
      }:forEach("rows", Row)
      """
    }
    try rooms.write(room("version = 2,"))
    var host = try rooms.host()
    try await host.durable("room", key: "none").send("up")
    try await host.durable("room", key: "one").send("add")
    await host.close()
    try rooms.write(room(""))
    host = try rooms.host()
    try await host.durable("room", key: "none").send("up")
    let error = await #expect(throws: JournalError.self) {
      try await host.durable("room", key: "one").open()
    }
    #expect(error?.message.contains("state.rows[1] was made by version 2 of Row") == true)
    await host.close()
  }

  @Test(arguments: [false, true])
  func aFeatureThatWasRenamedIsMigrated(isReload: Bool) async throws {
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("count")
    let first = try await host.durable("room", key: "r").open()
    try rooms.write(Self.hundredfold.replacing("\"Room\"", with: "\"Place\""))
    if isReload {
      try await host.reload()
    } else {
      await host.close()
      host = try rooms.host()
    }
    let store = try await host.durable("room", key: "r").open()
    await until { store.state["count"] == 100 }
    await host.close()
    withExtendedLifetime(first) {}
  }

  /// A disk that takes records, and no snapshots by themselves.
  private func withoutSnapshots() -> HeldJournal {
    HeldJournal(rooms.journal) { (storage, drains) throws(JournalError) in
      guard drains.contains(where: { !$0.records.isEmpty }) else {
        throw JournalError(.notWritten, "rooms.db: the disk is full")
      }
      return try storage.commit(drains)
    }
  }

  /// The records tell by themselves that the state is migrated. A count of 0 is as it was before the migration, and then the
  /// record of the next action tells it.
  @Test(arguments: [0, 1], [true, false])
  func aStateIsMigratedOnceIfNoSnapshotSaysSo(count: Int, isReload: Bool) async throws {
    var storage = withoutSnapshots()
    let host = try rooms.host(storage)
    var room = host.durable("room", key: "r")
    try await room.send("add", ["item": 1])
    for _ in 0..<count { try await room.send("count") }
    try rooms.write(Self.hundredfold)
    var next: ScriptHost?
    if isReload {
      try await host.reload()
    } else {
      storage.close()
      storage = withoutSnapshots()
      let new = try rooms.host(storage)
      room = new.durable("room", key: "r")
      next = new
    }
    try await room.send("count")
    storage.close()
    let again = try rooms.host()
    #expect(
      try await again.durable("room", key: "r").open().state["count"]
        == .integer(Int64(100 * count + 1)))
    await again.close()
    withExtendedLifetime((host, next)) {}
  }

  @Test func aMigrationThatEndsAnAlarmIsDoneOnce() async throws {
    func room(_ options: String) -> String {
      """
      local Child = scripted.feature {
        name = "Child", state = { n = 0 },
        on = { set = function() return effect.alarm("a", 1000, "ring") end, ring = function() end },
      }
      return scripted.feature {
        name = "Room", state = { count = 1, child = { n = 0 } }, on = {}, \(options)
      }:ifLet("child", Child)
      """
    }
    try rooms.write(room(""))
    let storage = withoutSnapshots()
    let host = try rooms.host(storage)
    let durable = host.durable("room", key: "r")
    try await durable.send("child.set", nil)
    let store = try await durable.open()
    #expect(store.alarms.count == 1)
    try rooms.write(
      room(
        """
        version = 2,
        migrate = function(state) state.count, state.child = state.count * 100, nil end,
        """))
    try await host.reload()
    await store.untilDurable()
    storage.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == 100)
    await again.close()
    withExtendedLifetime((host, store)) {}
  }

  private static let hundredMore = """
    return scripted.feature {
      name = "Room", version = 2,
      migrate = function(state) state.count = state.count + 100 end,
      state = { items = {}, count = 0, done = 0 },
      on = { count = function(state) state.count = state.count + 1 end },
    }
    """

  /// A reload comes while a record is written of the state before it, and that fails.
  private func reload(
    _ host: ScriptHost, to text: String, whileCommitFailsOf room: DurableStore,
    _ storage: HeldJournal
  ) async throws {
    let commits = storage.commits
    storage.isHeld = true
    let sending = Task { try await room.send("count") }
    await until { storage.commits > commits }
    try rooms.write(text)
    try await host.reload()
    storage.fail(1)
    storage.isHeld = false
    await #expect(throws: JournalError.self) { try await sending.value }
  }

  @Test(arguments: [true, false])
  func aMigrationWhoseCommitFailsIsDoneAgain(hasRecord: Bool) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    if hasRecord { try await room.send("count") }
    let store = try await room.open()
    try await reload(host, to: Self.hundredMore, whileCommitFailsOf: room, storage)
    try await room.send("count")
    let count: Value = hasRecord ? 102 : 101
    #expect(try await room.open().state["count"] == count)
    await host.close()
    let again = try rooms.host()
    #expect(try await again.durable("room", key: "r").open().state["count"] == count)
    await again.close()
    withExtendedLifetime(store) {}
  }

  /// When its migration is not written, a use throws, and the store, which nobody has any more, has recorded the migration again.
  @Test func aUseAfterOneThatHasFailedReadsWhatThatHasRecorded() async throws {
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("count")
    await host.close()
    try rooms.write(Self.hundredMore)
    let commits = Atomic<Int>(0)
    let isHeld = Atomic<Bool>(true)
    let storage = HeldJournal(rooms.journal) { (storage, drains) throws(JournalError) in
      if drains.contains(where: { !$0.records.isEmpty }) {
        switch commits.wrappingAdd(1, ordering: .relaxed).newValue {
        case 1: throw JournalError(.notWritten, "rooms.db: the disk is full")
        case 2: while isHeld.load(ordering: .acquiring) { usleep(500) }
        default: break
        }
      }
      return try storage.commit(drains)
    }
    host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    let hasFailed = Atomic<Bool>(false)
    let first = Task {
      defer { hasFailed.store(true, ordering: .relaxed) }
      return try await room.open()
    }
    // The second commit does not come if the first use gives the store up before.
    await until { commits.load(ordering: .relaxed) >= 2 || hasFailed.load(ordering: .relaxed) }
    // Long enough for the first use to throw, and for the second to read what the journal has.
    try await Task.sleep(for: .milliseconds(100))
    let second = Task { try await room.open() }
    try await Task.sleep(for: .milliseconds(100))
    isHeld.store(false, ordering: .releasing)
    #expect(try await second.value.state["count"] == 101)
    _ = try? await first.value
    await host.close()
  }

  /// The migration was tried on the state of then.
  @Test func aStoreThatCannotBeMigratedAfterAFailedCommitTakesNoActions() async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let careless = """
      return scripted.feature {
        name = "Room", version = 2,
        migrate = function(state) if state.count == 1 then error("no luck") end end,
        state = { items = {}, count = 0, done = 0 },
        on = { count = function(state) state.count = state.count + 1 end },
      }
      """
    try await reload(host, to: careless, whileCommitFailsOf: room, storage)
    // The store that has ended is still in memory.
    let first = await #expect(throws: JournalError.self) { try await room.open() }
    #expect(first?.code == .unusable)
    for _ in 1...2 {
      let error = await #expect(throws: JournalError.self) { try await room.send("count") }
      #expect(error?.code == .unusable)
      #expect(error?.message.contains("no luck") == true)
    }
    try rooms.write(Self.hundredMore)
    try await host.reload()
    try await room.send("count")
    #expect(try await room.open().state["count"] == 102)
    await host.close()
  }

  // MARK: With shared values

  private func writeSharing(_ options: String, items: String) throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Sharing", state = { count = 0 }, \(options)
        shared = { items = scripted.shared.inMemory("items", { \(items) }) },
        on = {
          count = function(state) state.count = state.count + 1 end,
          cut = function(state)
            state.count = state.count + 1
            table.remove(state.items, 3)
          end,
        },
      }
      """, as: "sharing")
  }

  /// The process ends after the first record of a store that has come back. It names the versions of now, so that its state must be
  /// of these.
  @Test func theFirstRecordOfAnotherVersionIsTheMigration() async throws {
    try writeSharing("", items: "0")
    var host = try rooms.host()
    try await host.durable("sharing", key: "r").send("count")
    await host.close()
    try writeSharing(
      "version = 2, migrate = function(state) state.count = state.count * 100 end,", items: "1, 2")
    let isWritten = Atomic<Bool>(false)
    let storage = HeldJournal(rooms.journal) { (storage, drains) throws(JournalError) in
      if let first = drains.first(where: { !$0.records.isEmpty }),
        !isWritten.exchange(true, ordering: .relaxed)
      {
        _ = try storage.commit([first])
      }
      throw JournalError(.notWritten, "rooms.db: the disk is full")
    }
    host = try rooms.host(storage)
    _ = try? await host.durable("sharing", key: "r").open()
    let hasWritten = isWritten.load(ordering: .relaxed)
    #expect(hasWritten)
    storage.close()
    let again = try rooms.host()
    #expect(try await again.durable("sharing", key: "r").open().state["count"] == 100)
    await again.close()
    withExtendedLifetime(host) {}
  }

  /// The journal has what is different when the store comes back, so that later changes fit.
  @Test func aStoreThatComesBackRecordsTheSharedValuesOfNow() async throws {
    for items in ["0", "1, 2, 3"] {
      try writeSharing("", items: items)
      let storage = withoutSnapshots()
      let host = try rooms.host(storage)
      try await host.durable("sharing", key: "r").send(items == "0" ? "count" : "cut")
      storage.close()
      withExtendedLifetime(host) {}
    }
    let host = try rooms.host()
    let state: Value = ["count": 2, "items": [1, 2, 3]]
    #expect(try await host.durable("sharing", key: "r").open().state == state)
    await host.close()
  }

  // MARK: With alarms, cases and stacks

  @Test func aMigrationKeepsAlarms() async throws {
    func reminder(_ options: String) -> String {
      """
      return scripted.feature {
        name = "Room", state = { n = 1 }, \(options)
        on = {
          set = function() return effect.alarm("reminder", 1000, "ring") end,
          ring = function(state) state.n = 0 end,
        },
      }
      """
    }
    try rooms.write(reminder(""))
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("set")
    await host.close()
    try rooms.write(reminder("version = 2, migrate = function(state) state.n = 2 end,"))
    for _ in 1...2 {
      host = try rooms.host()
      let store = try await host.durable("room", key: "r").open()
      #expect(store.alarms.count == 1)
      #expect(store.state["n"] == 2)
      await host.close()
    }
  }

  /// The code of now does not know the case that the state has before it is migrated.
  @Test func aMigrationRenamesACase() async throws {
    func room(_ name: String, _ options: String = "") -> String {
      """
      local Form = scripted.feature {
        name = "Form", state = {}, on = { write = function(state) state.text = "b" end },
      }
      return scripted.feature {
        name = "Room", state = { n = 0 }, \(options)
        on = { open = function(state) state.destination = { \(name) = { text = "a" } } end },
      }:ifLet("destination", scripted.cases { \(name) = Form })
      """
    }
    try rooms.write(room("edit"))
    var host = try rooms.host()
    try await host.durable("room", key: "r").send("open")
    await host.close()
    // A version that leaves the case as it is cannot run on it.
    try rooms.write(room("editor", "version = 2,"))
    host = try rooms.host()
    let error = await #expect(throws: JournalError.self) {
      try await host.durable("room", key: "r").open()
    }
    #expect(error?.code == .unusable)
    #expect(error?.message.contains("there is no case 'edit'") == true)
    await host.close()
    try rooms.write(
      room(
        "editor",
        """
        version = 2,
        migrate = function(state) state.destination = { editor = state.destination.edit } end,
        """))
    host = try rooms.host()
    let store = try await host.durable("room", key: "r").open()
    #expect(store.state["destination"] == ["editor": ["text": "a"]])
    try await host.durable("room", key: "r").send("destination.editor.write")
    await host.close()
    host = try rooms.host()
    let again = try await host.durable("room", key: "r").open()
    #expect(again.state["destination"] == ["editor": ["text": "b"]])
    await host.close()
  }

  /// The migration makes elements of a stack of what was no table.
  @Test func aMigrationMakesAStackOfTexts() async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { notes = {} },
        on = { add = function(state) list.insert(state.notes, "a") end },
      }
      """)
    var host = try rooms.host()
    for _ in 1...2 { try await host.durable("room", key: "r").send("add") }
    await host.close()
    try rooms.write(
      """
      local Note = scripted.feature { name = "Note", state = {} }
      return scripted.feature {
        name = "Room", version = 2, state = { notes = {} }, on = {},
        migrate = function(state)
          local notes = {}
          for index, text in ipairs(state.notes) do notes[index] = { id = index, text = text } end
          state.notes = notes
        end,
      }:stack("notes", Note)
      """)
    host = try rooms.host()
    let room = host.durable("room", key: "r")
    let notes: Value = [["id": 1, "text": "a"], ["id": 2, "text": "a"]]
    #expect(try await room.open().state["notes"] == notes)
    try await room.send("notes.push", ["state": ["text": "b"]])
    #expect(try await room.open().state["notes"][2] == ["id": 3, "text": "b"])
    await host.close()
  }

  /// Elements of a new stack have ids, whether the new code comes with a reload or with a new process.
  @Test(arguments: [true, false])
  func elementsOfANewStackGetIDs(isReload: Bool) async throws {
    func room(_ field: String, _ stack: String) -> String {
      """
      local Page = scripted.feature { name = "Page", state = {} }
      return scripted.feature { name = "Room", state = { path = {}\(field) } }
        :stack("path", { page = Page })\(stack)
      """
    }
    try rooms.write(room("", ""))
    let host = try rooms.host()
    try await host.durable("room", key: "r").send("path.push", ["state": ["page": [:]]])
    try rooms.write(
      room(", other = { { page = {} }, { page = {} } }", ":stack('other', { page = Page })"))
    if isReload {
      try await host.reload()
      let other: Value = [["id": 1, "page": [:]], ["id": 2, "page": [:]]]
      try await until { try await host.durable("room", key: "r").open().state["other"] == other }
    }
    await host.close()
    let again = try rooms.host()
    let store = again.durable("room", key: "r")
    try await store.send("other.popFrom", ["id": 2])
    try await store.send("other.push", ["state": ["page": [:]]])
    let other: Value = [["id": 1, "page": [:]], ["id": 3, "page": [:]]]
    #expect(try await store.open().state["other"] == other)
    await again.close()
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
}
#endif
