#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Synchronization
import Testing

/// A durable store outlives its process: it comes back as it was, and a request that comes again is not reduced again.
@Suite(.timeLimit(.minutes(2)))
struct DurableStoreTests {
  private let rooms: Rooms

  init() throws { rooms = try Rooms() }

  // MARK: Configuration

  @Test(arguments: [("rom", "room"), ("nativ", "native")])
  func theConfigurationOfAMisspeltFeatureIsRefused(name: String, nearest: String) throws {
    let error = #expect(throws: ScriptError.self) {
      try rooms.host {
        $0.reducers["native"] = .reduce { _, _ in .none }
        $0.durable[name] = DurableFeature(limits: .untrusted)
      }
    }
    let message = error?.message ?? ""
    #expect(message.hasPrefix("configuration.durable: there is no feature '\(name)'"))
    #expect(message.hasSuffix("did you mean '\(nearest)'?"))
  }

  @Test func aFeatureWhoseScriptComesLaterMayHaveAConfiguration() async throws {
    let host = try rooms.host { $0.durable["tournament"] = DurableFeature(limits: .untrusted) }
    try rooms.write(Rooms.room, as: "tournament")
    try await host.durable("tournament", key: "t").send("count")
    await host.close()
  }

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

  /// Its stacks go on above all ids that they have given, also above those of elements that are gone.
  @Test func aStackGivesNoIDAgainInTheNextProcess() async throws {
    try rooms.write(
      """
      local Page = scripted.feature { name = "Page", state = {} }
      return scripted.feature { name = "Room", state = { path = {} }, on = {} }
        :stack("path", scripted.cases { page = Page })
      """)
    var host = try rooms.host()
    for number in 1...3 {
      try await host.durable("room", key: "r").send(
        "path.push", ["state": ["page": ["n": .integer(Int64(number))]]])
    }
    try await host.durable("room", key: "r").send("path.popFrom", ["id": 1])
    await host.close()
    host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("path.push", ["state": ["page": ["n": 4]]])
    let path: Value = [["id": 0, "page": ["n": 1]], ["id": 3, "page": ["n": 4]]]
    #expect(try await room.open().state["path"] == path)
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

  /// A step takes over what another thread has done to the shared value while the action was reduced, and is a record in front of
  /// that of the request.
  @Test func aRequestAfterAStepHasTheReceiptOfItsAction() async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Sharing", state = {}, shared = { n = scripted.shared.inMemory("n", 0) },
        dependencies = { "meddle" },
        on = {
          add = function(state, action, deps)
            local before = state.n
            deps.meddle()
            state.n = before + 1
          end,
        },
      }
      """, as: "sharing")
    let hosts = Mutex<ScriptHost?>(nil)
    let hasMeddled = Atomic<Bool>(false)
    let meddling = { (configuration: inout ScriptHost.Configuration) in
      configuration.dependencies.register(
        "meddle",
        live: .function { () -> Int in
          guard let shared = hosts.withLock({ $0?.shared("n") }),
            !hasMeddled.exchange(true, ordering: .relaxed)
          else { return 0 }
          let isDone = DispatchSemaphore(value: 0)
          Thread.detachNewThread {
            try? shared.update { $0 = 100 }
            isDone.signal()
          }
          isDone.wait()
          return 0
        })
    }
    let host = try rooms.host(nil, meddling)
    hosts.withLock { $0 = host }
    defer { hosts.withLock { $0 = nil } }
    let room = host.durable("sharing", key: "r")
    let receipt = try await room.send("add", nil, request: "one")
    let later = try await room.send("add")
    #expect(later.seq > receipt.seq)
    #expect(try await room.send("add", nil, request: "one") == receipt)
    #expect(try await room.open().state["n"] == 102)
    await host.close()
    let again = try rooms.host(nil, meddling)
    #expect(
      try await again.durable("sharing", key: "r").send("add", nil, request: "one") == receipt)
    await again.close()
  }

  /// Elements get their ids when the reducers have run, and in one field. Then the other fields that show the value get it.
  @Test func aRecordHasWhatSettlingMakesOfASharedValue() async throws {
    try rooms.write(
      """
      local nav = scripted.shared.inMemory("nav", { path = {} })
      local Nav = scripted.feature { name = "Nav", state = { path = {} } }
        :stack("path", scripted.feature { name = "Page", state = {} })
      return scripted.feature {
        name = "Sharing", state = {}, shared = { nav = nav, again = nav },
        on = { add = function(state) list.insert(state.again.path, { name = "a" }) end },
      }:scope("nav", Nav)
      """, as: "sharing")
    let host = try rooms.host()
    let room = host.durable("sharing", key: "r")
    for _ in 1...2 { try await room.send("add") }
    let name = try StoreName(feature: "sharing", key: "r")
    let stored = try #require(try SQLiteJournalReader(rooms.journal).stored(name))
    let lines = [stored.snapshot.line] + stored.records.map(\.line)
    let recording = try Recording(jsonLines: lines.joined(separator: "\n"))
    #expect(try await room.open().state == recording.finalState)
    await host.close()
  }

  @Test func aDurableStoreHasAHistory() async throws {
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let history = store.record()
    for _ in 0..<2 { try await room.send("count") }
    #expect(history.count >= 2)
    #expect(history[3]?.state["count"] == 3)
    history.isLocked = true
    await #expect(throws: ScriptError.self) { try await room.send("count", request: "r") }
    #expect(store.state["count"] == 3)
    history.isLocked = false
    try await room.send("count", request: "r")
    #expect(store.state["count"] == 4)
    await host.close()
  }

  @Test func theLinesOfAHistoryHaveTheEffectsThatEndBetweenActions() async throws {
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("count")
    let store = try await room.open()
    let (history, lines) = (store.record(), Calls())
    let observation = history.onLine { lines.add($0) }
    try await room.send("start")
    await until { store.effects.isEmpty && lines.all.last?.contains("ended") == true }
    let written = try Recording(jsonLines: lines.all.joined(separator: "\n"))
    #expect(try written.jsonLines == Recording(jsonLines: history.export()).jsonLines)
    observation.cancel()
    await host.close()
  }

  /// Nobody waits for a store that is made active because it had an effect in flight.
  @Test func aStoreThatCannotWakeIsReportedOnce() async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { count = 0 },
        on = {
          hang = function(state)
            state.count = state.count + 1
            return effect.run(function(send, deps) deps.clock.sleep(1000) end)
          end,
        },
      }
      """)
    let storage = HeldJournal(rooms.journal)
    let host = try rooms.host(storage)
    try await host.durable("room", key: "r").send("hang")
    storage.close()
    try rooms.write("error('no luck')")
    let errors = Mutex<[String]>([])
    let again = try rooms.host {
      $0.idleTime = .milliseconds(40)
      $0.onError = { error, _ in errors.withLock { $0.append(error.message) } }
    }
    await until { errors.withLock { !$0.isEmpty } }
    try await Task.sleep(for: .milliseconds(200))
    #expect(errors.withLock { $0.count } == 1)
    #expect(errors.withLock { $0[0].contains("room/r") && $0[0].contains("no luck") })
    await again.close()
    withExtendedLifetime(host) {}
  }

  @Test func aStoreThatWasActiveMeanwhileIsReportedAgain() async throws {
    let storage = HeldJournal(rooms.journal)
    let errors = Atomic<Int>(0)
    let host = try rooms.host(storage) {
      $0.idleTime = .milliseconds(40)
      $0.onError = { _, _ in errors.add(1, ordering: .relaxed) }
    }
    let room = host.durable("room", key: "r")
    try await room.send("count")
    for count in 1...2 {
      storage.unreadable = try room.name
      await until { errors.load(ordering: .relaxed) == count }
      storage.unreadable = nil
      await until { (try? await room.send("count")) != nil }
    }
    await host.close()
  }

  /// Nobody waits for what the host asks its journal by itself.
  @Test func whatCannotBeReadIsReportedOnce() async throws {
    let first = HeldJournal(rooms.journal)
    let host = try rooms.host(first)
    try await host.durable("room", key: "r").send("wait")
    first.close()
    let storage = HeldJournal(rooms.journal)
    storage.loseAnswer(questionsInVain: 1)
    let errors = Mutex<[ScriptError]>([])
    let again = try rooms.host(storage) {
      $0.idleTime = .milliseconds(40)
      $0.onError = { error, _ in errors.withLock { $0.append(error) } }
    }
    await until { errors.withLock { !$0.isEmpty } }
    storage.close()
    await until { errors.withLock { $0.count > 1 } }
    try await Task.sleep(for: .milliseconds(100))
    let codes = errors.withLock { $0.map { ($0.cause as? JournalError)?.code } }
    #expect(codes == [.unknown, .closed])
    await again.close()
    withExtendedLifetime(host) {}
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

  // MARK: Requests

  /// The second record is the one after which the journal gets a snapshot.
  @Test func aRequestInASnapshotHasTheReceiptOfItsAction() async throws {
    var host = try rooms.host()
    let item = Value.string(String(repeating: "x", count: 300_000))
    var receipts: [Receipt] = []
    for request in ["one", "two"] {
      let room = host.durable("room", key: "r")
      receipts.append(try await room.send("add", ["item": item], request: request))
    }
    await host.close()
    host = try rooms.host()
    let room = host.durable("room", key: "r")
    try await room.send("count")
    #expect(try await room.send("add", ["item": item], request: "one") == receipts[0])
    #expect(try await room.send("add", ["item": item], request: "two") == receipts[1])
    await host.close()
  }

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

  @Test func aReceiptIsReadOnlyAsItIsWritten() {
    let receipt = Receipt(seq: 7, SHA256.digest(of: "a record"))
    for known in [receipt, Receipt.none] { #expect(Receipt("\(known)") == known) }
    for text in ["+\(receipt)", "0\(receipt)", "7-", "7", "0-\(receipt.hash)", "+0-", "00-"] {
      #expect(Receipt(text) == nil, "\(text)")
    }
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
