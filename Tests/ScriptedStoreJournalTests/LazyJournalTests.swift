#if Journal
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// Stores of a lazy journal, which hold nothing back.
@Suite(.timeLimit(.minutes(1)))
struct LazyJournalTests {
  private let rooms: Rooms

  init() throws { rooms = try Rooms() }

  private func host(
    _ seconds: Double, _ storage: (any JournalStorage)? = nil, outside: Calls = Calls()
  ) throws -> ScriptHost {
    try rooms.host(storage, outside: outside) { $0.journal = $0.journal?.lazy(seconds) }
  }

  @Test func nothingWaitsForACommit() async throws {
    let storage = HeldJournal(rooms.journal)
    let outside = Calls()
    let host = try host(0, storage, outside: outside)
    storage.isHeld = true
    let room = host.durable("room", key: "r1")
    #expect(try await room.send("count") == .none)
    let store = try await room.open()
    #expect(store.state["count"] == 1)
    #expect(store.reduced["count"] == 1)
    await store.send("start").finish()
    #expect(store.state["done"] == 1)
    #expect(outside.all == ["started", "done"])
    #expect(try await host.infos().isEmpty)
    storage.isHeld = false
    try await until { try await host.infos().first?.records == 3 }
    await host.close()
  }

  @Test(arguments: [-1, Double.nan, -Double.infinity])
  func aPauseThatIsNoPositiveNumberIsNone(_ seconds: Double) async throws {
    let host = try host(seconds)
    try await host.durable("room", key: "r1").send("count")
    try await until { try await host.infos().first?.records == 1 }
    await host.close()
  }

  @Test(arguments: [Double.infinity, Double.greatestFiniteMagnitude])
  func aPauseThatIsTooLongIsAnHour(_ seconds: Double) async throws {
    let first = try host(seconds)
    try await first.durable("room", key: "r1").send("count")
    await first.close()
    let second = try host(0)
    #expect(try await second.durable("room", key: "r1").open().state["count"] == 1)
    await second.close()
  }

  @Test func closingWritesAtOnce() async throws {
    let first = try host(3600)
    for key in ["r1", "r2", "r3"] {
      for _ in 0..<5 { try await first.durable("room", key: key).send("count") }
    }
    #expect(try await first.infos().isEmpty)
    await first.close()
    let second = try host(3600)
    for key in ["r1", "r2", "r3"] {
      #expect(try await second.durable("room", key: key).open().state["count"] == 5)
    }
    await second.close()
  }

  @Test func aRemovedStoreDoesNotWaitEither() async throws {
    let host = try host(3600)
    try await host.durable("room", key: "r1").send("count")
    try await host.durable("room", key: "r2").send("count")
    try await host.durable("room", key: "r1").remove()
    #expect(try await host.infos().map(\.name.key) == ["r2"])
    await host.close()
  }

  @Test func whatACrashTakesIsTheEnd() async throws {
    let storage = HeldJournal(rooms.journal)
    let first = try host(0, storage)
    let room = first.durable("room", key: "r1")
    for item in 0..<20 { try await room.send("add", ["item": .integer(Int64(item))]) }
    try await until { try await first.infos().first?.records == 20 }
    storage.isHeld = true
    for item in 20..<40 { try await room.send("add", ["item": .integer(Int64(item))]) }
    #expect(try await room.open().state["items"].array?.count == 40)
    // The process ends.
    storage.close()
    storage.isHeld = false
    withExtendedLifetime(first) {}
    let second = try rooms.host()
    let items = try await second.durable("room", key: "r1").open().state["items"].array ?? []
    #expect(items.compactMap(\.int) == Array(0..<20))
    await second.close()
  }

  /// A commit is not known for a moment, and turns out to be done. The store comes back with it, and what was reduced on top of it
  /// meanwhile never happened: the number of its record is that of the next action.
  @Test func whatWaitedWhenACommitFailedIsNotWrittenLater() async throws {
    let storage = HeldJournal(rooms.journal)
    let first = try host(3600, storage)
    let room = first.durable("room", key: "r1")
    let store = try await room.open()
    try await room.send("add", ["item": 1])
    storage.isHeld = true
    storage.loseAnswer(questionsInVain: 1)
    // Removing a store writes at once what waits.
    async let removed: Void = first.durable("room", key: "none").remove()
    await until { storage.commits == 1 }
    try await room.send("add", ["item": 2])
    storage.isHeld = false
    try await removed
    await until { store.state["items"] == [1] }
    try await room.send("add", ["item": 3])
    #expect(store.state["items"] == [1, 3])
    await first.close()
    let second = try rooms.host()
    #expect(try await second.durable("room", key: "r1").open().state["items"] == [1, 3])
    await second.close()
  }

  @Test func aRequestThatComesAgainIsNotReducedAgain() async throws {
    let host = try host(3600)
    let room = host.durable("room", key: "r1")
    for _ in 0..<3 { try await room.send("count", nil, request: "one") }
    #expect(try await room.open().state["count"] == 1)
    await host.close()
  }
}
#endif
