#if Journal
import ScriptedStore
import ScriptedStoreJournal
import Synchronization
import Testing

/// The checker finds what a journal or clients do that must not be, with stores that crash in between.
@Suite(.timeLimit(.minutes(2)))
struct SabotageTests {
  private static let stores = ["a", "b", "c"]

  private let rooms: Rooms
  private let events = ListEvents()

  init() throws { rooms = try Rooms(ListLoad.room) }

  /// Four clients send items at once, ten each, and then the lists are read.
  ///
  /// - Parameter round: makes the items others than those of an earlier call.
  private func load(_ host: ScriptHost, round: Int) async throws {
    await withTaskGroup(of: Void.self) { group in
      for client in 0..<4 {
        group.addTask {
          for number in 0..<10 {
            let store = Self.stores[(client + number) % Self.stores.count]
            await send(
              ListItem(store: store, number: round * 1000 + client * 100 + number), host)
          }
        }
      }
    }
    for store in Self.stores {
      events.add(.read(store: store, numbers: try await list(store, host)))
    }
  }

  private func send(_ item: ListItem, _ host: ScriptHost, request: String? = nil) async {
    events.add(.invoke(item))
    do {
      try await host.durable("room", key: item.store).send(
        "add", ["item": .integer(Int64(item.number))], request: request ?? "\(item.number)")
      events.add(.ok(item))
    } catch let error as JournalError where [.unknown, .closed].contains(error.code) {
      events.add(.unknown(item))
    } catch {
      events.add(.fail(item))
    }
  }

  private func list(_ store: String, _ host: ScriptHost) async throws -> [Int] {
    let items = try await host.durable("room", key: store).open().state["items"].array ?? []
    return items.compactMap(\.int)
  }

  /// What the checker says of the lists that a new host finds.
  private func judge() async throws -> Set<ListFault> {
    let host = try rooms.host()
    var lists: [String: [Int]] = [:]
    for store in Self.stores { lists[store] = try await list(store, host) }
    await host.close()
    return faults(of: events.all, in: lists)
  }

  @Test func aSoundJournalHasNoFaults() async throws {
    for round in 0..<3 {
      let storage = HeldJournal(rooms.journal)
      let host = try rooms.host(storage)
      storage.fail(round)
      try await load(host, round: round)
      storage.close()
      withExtendedLifetime(host) {}
    }
    #expect(events.all.contains { if case .fail = $0 { true } else { false } })
    #expect(try await judge() == [])
  }

  @Test func aJournalThatAcknowledgesBeforeItCommitsIsFound() async throws {
    let host = try rooms.host(HeldJournal(rooms.journal))
    try await load(host, round: 0)
    await host.close()
    let storage = HeldJournal.early(rooms.journal)
    let early = try rooms.host(storage)
    try await load(early, round: 1)
    storage.close()
    withExtendedLifetime(early) {}
    let found = try await judge()
    #expect(found.contains { if case .lost = $0 { true } else { false } })
    // What was shown before it was durable is seen too.
    #expect(found.contains { if case .readIsNoPrefix = $0 { true } else { false } })
  }

  /// One reader reads states that are not durable yet; the other one reads as all do.
  @Test(arguments: [false, true])
  func aReadOfWhatIsNotDurableIsFound(hasGate: Bool) async throws {
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    try await load(host, round: 0)
    let commits = storage.commits
    storage.isHeld = true
    let sending = Task { await send(ListItem(store: "a", number: 1_000), host) }
    await until { storage.commits > commits }
    let read = try await hasGate ? list("a", host) : reducedList("a", host)
    events.add(.read(store: "a", numbers: read))
    storage.fail(1)
    storage.isHeld = false
    await sending.value
    await host.close()
    let found = try await judge()
    #expect(found == (hasGate ? [] : [.readIsNoPrefix(store: "a", count: read.count)]))
  }

  /// The list as the store has reduced it so far, which an error of its handler tells.
  private func reducedList(_ store: String, _ host: ScriptHost) async throws -> [Int] {
    let error = await #expect(throws: ScriptError.self) {
      try await host.durable("room", key: store).send("refuse")
    }
    let text = try #require(error?.message.split(separator: "items:").last?.prefix { $0 != "." })
    return text.split(separator: " ").compactMap { Int($0) }
  }

  @Test(arguments: [true, false])
  func aRetryWithAnotherRequestIsFound(isOther: Bool) async throws {
    let item = ListItem(store: "a", number: 1)
    let storage = HeldJournal(rooms.journal)
    var host = try rooms.host(storage)
    // The answer does not reach the client.
    events.add(.invoke(item))
    try await host.durable("room", key: "a").send("add", ["item": 1], request: "1")
    events.add(.unknown(item))
    storage.close()
    withExtendedLifetime(host) {}
    host = try rooms.host()
    await send(item, host, request: isOther ? "2" : "1")
    await host.close()
    #expect(try await judge() == (isOther ? [.twice(item)] : []))
  }
}

extension HeldJournal {
  /// A journal that says of each commit that it is done when only the one before it is.
  fileprivate static func early(_ path: String) -> HeldJournal {
    let state = Mutex((kept: [JournalDrain](), seq: Int64(1_000_000)))
    return HeldJournal(path) { (storage, drains) throws(JournalError) in
      let before = state.withLock { state in
        defer { state.kept = drains }
        return state.kept
      }
      if !before.isEmpty { _ = try storage.commit(before) }
      return drains.map { _ in
        state.withLock { state in
          state.seq += 1
          let receipt = Receipt(seq: state.seq, .zero)
          return DrainReceipts(request: receipt, last: receipt)
        }
      }
    }
  }
}
#endif
