#if Journal
import Dispatch
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Synchronization
import Testing

/// What a journal has of stores, and what of it a start finds.
@Suite struct SQLiteJournalTests {
  private let journals: Journals

  init() throws { journals = try Journals() }

  // MARK: Commits

  @Test func whatWasCommittedIsThereAfterAStart() throws {
    var journal = try journals.open()
    try journal.begin("one", "two")
    let receipts = try journal.commit([
      Drain.records("one", 1...2), Drain.records("two", 1...1), Drain.records("one", 3...3),
    ])
    .map(\.last)
    #expect(receipts.map(\.seq) == [4, 5, 6])
    journal.close()
    journal = try journals.open()
    let one = try #require(try journal.stored(Drain.name("one")))
    #expect(one.snapshot == Drain.snapshot())
    #expect(one.records.map(\.number) == [1, 2, 3])
    #expect(one.records.map(\.line) == (1...3).map(Drain.line))
    // The second record is the last of its drain, and so is the third.
    #expect(one.records.dropFirst().map(\.receipt) == [receipts[0], receipts[2]])
    #expect(one.receipt == receipts[2])
    #expect(try journal.numbers("two") == [1])
    #expect(try journal.stored(Drain.name("three")) == nil)
    #expect(try journal.commit([Drain.records("two", 2...2)]).map(\.last.seq) == [7])
    journal.close()
    #expect(try journals.reader().faults() == [])
  }

  @Test func whatWasCommittedIsThereAfterACrash() throws {
    let journal = try journals.open()
    try journal.begin("one")
    let receipt = try journal.commit([Drain.records("one", 1...5)])[0].last
    let copy = try journals.open(journals.crashed())
    #expect(try copy.numbers("one") == [1, 2, 3, 4, 5])
    #expect(try copy.stored(Drain.name("one"))?.receipt == receipt)
    #expect(try copy.commit([Drain.records("one", 6...6)]).map(\.last.seq) == [7])
  }

  /// As `docs/journal.md` says.
  @Test func theHashesAreAChain() throws {
    let journal = try journals.open()
    try journal.begin("one")
    let receipts = try journal.commit([Drain.records("one", 1...1), Drain.records("one", 2...2)])
      .map(\.last)
    func hash(_ before: String, _ number: Int, _ previous: Int, _ line: String) throws -> String {
      let digest = SHA256.hex(of: Array("room/one\n\(number)\n\(previous)\n\(line)".utf8))
      let hexadecimal = Array((before + digest).utf8)
      let bytes = try stride(from: 0, to: hexadecimal.count, by: 2).map { index in
        try #require(
          UInt8(String(decoding: hexadecimal[index..<index + 2], as: UTF8.self), radix: 16))
      }
      return SHA256.hex(of: bytes)
    }
    var expected = try hash(String(repeating: "0", count: 64), 0, 0, Drain.header())
    for (number, receipt) in zip(1..., receipts) {
      expected = try hash(expected, number, number == 1 ? 0 : 2, Drain.line(number))
      #expect(receipt.hash == expected)
      #expect(try journal.has(receipt))
    }
    #expect(try journal.has(.none))
    #expect(try !journal.has(Receipt(seq: 3, receipts[0].digest)))
    #expect(try !journal.has(Receipt(seq: 4, receipts[1].digest)))
  }

  @Test func aCommitThatDoesNotFollowLeavesNothing() throws {
    let journal = try journals.open()
    try journal.begin("one", "two")
    #expect(
      message {
        _ = try journal.commit([Drain.records("two", 1...1), Drain.records("one", 2...2)])
      }.contains("room/one is damaged: record 2 cannot follow record 0"))
    #expect(try journal.numbers("two") == [])
    #expect(code { _ = try journal.commit([Drain.records("three", 1...1)]) } == .closed)
    #expect(
      code { _ = try journal.commit([Drain.snapshot("two", Drain.snapshot(1))]) } == .damaged)
    #expect(try journal.commit([Drain.records("two", 1...1)]).map(\.last.seq) == [3])
  }

  @Test func aStoreWithoutRecordsHasNoReceipt() throws {
    let journal = try journals.open()
    #expect(try journal.commit([Drain.snapshot("one", Drain.snapshot())]).map(\.last) == [.none])
    #expect(try journal.stored(Drain.name("one"))?.receipt == Receipt.none)
    #expect(try journal.commit([]) == [])
  }

  // MARK: Snapshots

  @Test func aSnapshotTakesThePlaceOfTheRecordsBeforeIt() throws {
    let journal = try journals.open()
    try journal.begin("one", "two")
    let receipt = try journal.commit([
      Drain.records("one", 1...3), Drain.records("two", 1...1), Drain.records("one", 4...5),
    ])[2].last
    #expect(
      try journal.commit([Drain.snapshot("one", Drain.snapshot(4))])
        == [DrainReceipts(last: receipt)])
    let stored = try #require(try journal.stored(Drain.name("one")))
    #expect(stored.snapshot == Drain.snapshot(4))
    #expect(stored.records.map(\.line) == [Drain.line(5)])
    #expect(stored.records.map(\.receipt) == [receipt])
    #expect(stored.receipt == receipt)
    _ = try journal.commit([Drain.records("one", 6...7, snapshot: Drain.snapshot(7))])
    #expect(try journal.numbers("one") == [])
    for reader in [try journals.reader(), try journals.reader(try journals.crashed())] {
      #expect(try reader.stored(Drain.name("one"))?.snapshot == Drain.snapshot(7))
      #expect(try reader.history("one") == [0, 1, 2, 3, 4, 5, 6, 7])
      #expect(try reader.history("two") == [0, 1])
      #expect(try reader.history("three") == nil)
      #expect(try reader.faults() == [])
    }
  }

  @Test func recordsBeforeASnapshotGoIfTheyAreNotKept() throws {
    var journal = try journals.open(settings: JournalSettings(keepsRecords: false))
    try journal.begin("one", "two")
    let receipts = try journal.commit([
      Drain.records("one", 1...3), Drain.records("two", 1...1), Drain.records("one", 4...5),
    ])
    .map(\.last)
    _ = try journal.commit([Drain.snapshot("one", Drain.snapshot(4))])
    #expect(try journals.reader().history("one") == [4, 5])
    #expect(
      try journals.sql("SELECT count(*) FROM record WHERE store = 'room/one'") == ["1"])
    for receipt in receipts { #expect(try journal.has(receipt)) }
    #expect(try journals.reader().faults() == [])
    // With records kept again, there is a history from the next snapshot on.
    journal.close()
    journal = try journals.open()
    _ = try journal.commit([Drain.records("one", 6...6, snapshot: Drain.snapshot(5))])
    _ = try journal.commit([Drain.records("one", 7...7, snapshot: Drain.snapshot(7))])
    #expect(try journals.reader().history("one") == [5, 6, 7])
    #expect(try journal.numbers("one") == [])
    #expect(try journal.numbers("two") == [1])
    #expect(try journals.reader().faults() == [])
  }

  // MARK: Removing

  @Test func aRemovedStoreLeavesHashesAlone() throws {
    var journal = try journals.open()
    try journal.begin("one", "two")
    let receipts = try journal.commit([Drain.records("one", 1...3), Drain.records("two", 1...1)])
      .map(\.last)
    try journal.remove(Drain.name("one"))
    try journal.remove(Drain.name("three"))
    #expect(try journal.stored(Drain.name("one")) == nil)
    #expect(code { _ = try journal.commit([Drain.records("one", 4...4)]) } == .closed)
    #expect(
      try journals.sql("SELECT count(*) FROM record WHERE store IS NULL AND line IS NULL") == ["4"])
    #expect(try journal.has(receipts[0]))
    #expect(try journals.reader().faults() == [])
    journal.close()
    journal = try journals.open()
    #expect(try journal.numbers("two") == [1])
    // The name can be used again.
    try journal.begin("one")
    _ = try journal.commit([Drain.records("one", 1...1)])
    #expect(try journal.numbers("one") == [1])
    #expect(try journals.reader().faults() == [])
  }

  @Test func compactingDropsWhatTheSnapshotsHave() throws {
    let journal = try journals.open()
    try journal.begin("one", "two")
    for number in 1...2000 { _ = try journal.commit([Drain.records("one", number...number)]) }
    let receipt = try journal.commit([Drain.records("two", 1...1)])[0].last
    _ = try journal.commit([Drain.records("one", 2001...2001, snapshot: Drain.snapshot(1999))])
    let size = try journals.bytes().count + journals.bytes("rooms.db-wal").count
    try journal.compact()
    #expect(try journals.bytes().count < size / 4)
    #expect(try journals.reader().history("one") == [1999, 2000, 2001])
    #expect(try journals.reader().history("two") == [0, 1])
    #expect(try journals.reader().faults() == [])
    #expect(try journal.has(receipt))
    #expect(try journal.has(Receipt(seq: 17, .zero)))
    let infos = try journal.stores(of: nil)
    #expect(infos.map(\.records) == [2001, 1])
    #expect(infos[0].bytes == Drain.header(1999).utf8.count + 2 * Drain.line(2000).utf8.count)
    #expect(try journal.commit([Drain.records("one", 2002...2002)]).map(\.last.seq) == [2005])
    #expect(try journals.reader().faults() == [])
  }

  /// The last record of a store may be dropped, because a snapshot has it.
  @Test(arguments: [true, false])
  func anotherSnapshotKeepsTheReceiptAndTheTimeOfADroppedRecord(keepsRecords: Bool) throws {
    let journal = try journals.open(settings: JournalSettings(keepsRecords: keepsRecords))
    try journal.begin("one", "two")
    let receipt = try journal.commit([
      Drain.records("one", 1...1, snapshot: Drain.snapshot(1)),
      Drain.records("two", 1...1, snapshot: Drain.snapshot(1)),
    ])[0].last
    for isCompacted in [false, true] {
      if isCompacted { try journal.compact() }
      for _ in 1...2 {
        let again = try journal.commit([Drain.snapshot("one", Drain.snapshot(1))])
        #expect(again == [DrainReceipts(last: receipt)])
        #expect(try journal.stored(Drain.name("one"))?.receipt == receipt)
        #expect(try journal.stores(of: nil).map(\.changed) == [1001, 1001])
      }
    }
    #expect(try journals.reader().faults() == [])
    #expect(try journal.commit([Drain.records("one", 2...2)])[0].last.seq > receipt.seq)
    #expect(try journal.numbers("one") == [2])
  }

  // MARK: Lists

  @Test func theListSaysWhatStoresHave() throws {
    var journal = try journals.open()
    try journal.begin("two", "one")
    _ = try journal.commit([
      Drain.records("one", 1...4, snapshot: Drain.snapshot(3)), Drain.records("two", 1...2),
      JournalDrain(
        store: try StoreName("games.chess/a-1"), records: [], snapshot: Drain.snapshot()),
    ])
    _ = try journal.commit([Drain.records("one", 5...5)])
    for _ in 1...2 {
      let infos = try journal.stores(of: "room")
      #expect(infos.map(\.name.description) == ["room/one", "room/two"])
      #expect(infos.map(\.records) == [5, 2])
      #expect(infos.map(\.recordsBehind) == [2, 2])
      #expect(infos.map(\.changed) == [1005, 1002])
      let header = Drain.header().utf8.count
      let line = Drain.line(1).utf8.count
      #expect(infos.map(\.bytes) == [2 * header + 5 * line, 2 * header + 2 * line])
      #expect(try journal.stores(of: nil).map(\.name.feature) == ["games.chess", "room", "room"])
      #expect(try journal.stores(of: nil).map(\.changed) == [nil, 1005, 1002])
      #expect(try journal.stores(of: "Room").isEmpty)
      #expect(try journal.behind().map(\.key) == ["one", "two"])
      #expect(try journals.reader().stores(of: nil) == journal.stores(of: nil))
      journal.close()
      journal = try journals.open()
    }
  }

  @Test func storesThatHaveToBeActiveAreFound() throws {
    let journal = try journals.open()
    _ = try journal.commit([
      Drain.snapshot("later", Drain.snapshot(wake: 2000)),
      Drain.snapshot("sooner", Drain.snapshot(wake: 1000.5)),
      Drain.snapshot("never", Drain.snapshot()),
    ])
    #expect(try journal.waking(before: 1000.5) == [])
    #expect(try journal.waking(before: 1001).map(\.key) == ["sooner"])
    #expect(try journal.waking(before: 9000).map(\.key) == ["sooner", "later"])
    _ = try journal.commit([Drain.snapshot("sooner", Drain.snapshot())])
    #expect(try journal.waking(before: 9000).map(\.key) == ["later"])
  }

  // MARK: Starts

  /// Rows are brought up to date that only old records are behind, so that a start need not read these.
  @Test func aStartReadsFewRecords() throws {
    var settings = JournalSettings()
    settings.recordsBehind = 40
    let journal = try journals.open(settings: settings)
    let keys = (0..<10).map { "r\($0)" }
    for key in keys + ["quiet"] { try journal.begin(key) }
    _ = try journal.commit([Drain.records("quiet", 1...3)])
    for number in 1...60 {
      for key in keys { _ = try journal.commit([Drain.records(key, number...number)]) }
      if number == 30 { _ = try journal.commit([Drain.snapshot("r3", Drain.snapshot(25))]) }
    }
    let behind = try #require(
      Int64(
        try journals.sql(
          """
          SELECT (SELECT max(seq) FROM record) - CAST(value AS INTEGER) FROM meta WHERE key = 'checkpoint'
          """)[0]))
    #expect(behind <= 60)
    for reopened in [journal, try journals.open(journals.crashed(), settings: settings)] {
      #expect(try reopened.numbers("quiet") == [1, 2, 3])
      for key in keys {
        #expect(try reopened.numbers(key) == Array((key == "r3" ? 26 : 1)...60))
      }
      #expect(
        try reopened.stores(of: nil).allSatisfy { $0.records == ($0.name.key == "quiet" ? 3 : 60) })
      #expect(
        try reopened.stores(of: nil).map(\.bytes) == journal.stores(of: nil).map(\.bytes))
    }
    #expect(try journals.reader("crashed.db").faults() == [])
    // A start that cannot use the checkpoint reads all.
    _ = try journals.sql("UPDATE meta SET value = '1-00' WHERE key = 'checkpoint'")
    let all = try journals.open(journals.crashed(as: "again.db"), settings: settings)
    #expect(try all.numbers("r7")?.count == 60)
  }

  /// Each reading is of one moment, and never earlier than the last one.
  @Test func storesAreReadBesideCommits() throws {
    var settings = JournalSettings()
    settings.recordsBehind = 20
    let journal = try journals.open(settings: settings)
    try journal.begin("one", "two")
    let isDone = Mutex(false)
    let readers = DispatchGroup()
    let faults = Mutex<[String]>([])
    for key in ["one", "two", "one"] {
      DispatchQueue.global().async(group: readers) {
        var last = 0
        while !isDone.withLock({ $0 }) {
          do {
            let stored = try journal.stored(Drain.name(key))
            let first = (stored?.snapshot.number ?? 0) + 1
            let numbers = stored?.records.map(\.number) ?? []
            let reached = numbers.last ?? first - 1
            guard numbers == Array(first..<first + numbers.count), reached >= last else {
              return faults.withLock { $0.append("\(key): \(numbers) after \(last)") }
            }
            last = reached
          } catch {
            return faults.withLock { $0.append("\(error)") }
          }
        }
      }
    }
    for number in 1...300 {
      let snapshot = number % 7 == 0 ? Drain.snapshot(number - 3) : nil
      _ = try journal.commit([
        Drain.records("one", number...number, snapshot: snapshot),
        Drain.records("two", number...number),
      ])
    }
    isDone.withLock { $0 = true }
    readers.wait()
    #expect(faults.withLock { $0 } == [])
    #expect(try journals.reader().faults() == [])
  }

  // MARK: Files

  @Test func theFilesAreForTheirOwnerAlone() throws {
    let journal = try journals.open()
    try journal.begin("one")
    for part in ["", "-wal", "-shm", "-lock"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: journals.path() + part)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
    journal.close()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: journals.folder).sorted()
        == ["rooms.db", "rooms.db-lock"])
  }

  @Test func aKeyIsDataAndNeverAPath() throws {
    #expect(code { _ = try StoreName(feature: "room", key: "a/b") } == .name)
    #expect(code { _ = try StoreName("room/a/b") } == .name)
    let journal = try journals.open()
    let names = try ["..", String(repeating: "k", count: 128), "a.b-c_D"].map {
      try StoreName(feature: "room", key: $0)
    }
    for name in names {
      _ = try journal.commit([
        JournalDrain(store: name, records: [Drain.record(1)], snapshot: Drain.snapshot())
      ])
    }
    for name in names { #expect(try journal.stored(name)?.records.count == 1) }
  }
}
#endif
