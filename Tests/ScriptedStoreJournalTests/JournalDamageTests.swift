#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// Files that are not as they were written.
@Suite struct JournalDamageTests {
  private let journals: Journals

  init() throws {
    journals = try Journals()
    try journals.written()
  }

  /// The errors of `room/one`, by the owner and by a reader. `room/two` is as it was.
  private func errors() throws -> [String] {
    let journal = try journals.open()
    defer { journal.close() }
    #expect(try journal.numbers("two") == [1, 2, 3, 4, 5])
    #expect(try journals.reader().history("two") == [0, 1, 2, 3, 4, 5])
    #expect(code { _ = try journal.stored(Drain.name("one")) } == .damaged)
    return [
      message { _ = try journal.stored(Drain.name("one")) },
      message { _ = try journals.reader().stored(Drain.name("one")) },
    ]
  }

  private func error(_ text: String) -> String {
    "\(journals.path()): room/one is damaged: \(text); restore a backup, or look with `runner stores \(journals.path()) verify`"
  }

  @Test func aChangedRecordIsToldByNameAndNotServed() throws {
    try journals.replace("\"wall\":1012", with: "\"wall\":1013")
    let expected = error("record 12 is not as it was written: its hash differs")
    #expect(try errors() == [expected, expected])
    #expect(
      try journals.reader().faults()
        == ["room/one: record 12 is not as it was written: its hash differs"])
  }

  @Test func aChangedHashIsFound() throws {
    try journals.sql("UPDATE record SET hash = zeroblob(32) WHERE store = 'room/one' AND n = 7")
    // Read from the last one backwards.
    #expect(try errors()[0] == error("record 8 is not as it was written: its hash differs"))
    #expect(
      try journals.reader().faults() == [
        "room/one: record 7 is not as it was written: its hash differs",
        "room/one: record 8 is not as it was written: its hash differs",
      ])
  }

  @Test func aMissingRecordIsFound() throws {
    try journals.sql("DELETE FROM record WHERE store = 'room/one' AND n = 9")
    #expect(try errors()[0] == error("the record before record 10 in the journal is missing"))
    #expect(
      try journals.reader().faults() == [
        "room/one: record 10: the record before it in the journal, number 16, is missing",
        "room/one: record 10 does not follow record 8",
      ])
  }

  @Test func aRecordWithoutItsLineIsToldOnce() throws {
    try journals.sql("UPDATE record SET line = NULL WHERE store = 'room/one' AND n = 9")
    #expect(
      try journals.reader().faults().filter { $0.contains("neither") }
        == ["room/one: record 16 of the journal is neither whole nor dropped"])
  }

  @Test func aRecordOfAnotherStoreIsFound() throws {
    try journals.sql("UPDATE record SET store = 'room/two' WHERE store = 'room/one' AND n = 12")
    #expect(try errors()[0] == error("record 12 is missing"))
    #expect(
      try journals.reader().faults() == [
        "room/two: record 12 is not as it was written: its hash differs",
        "room/two: record 12 does not follow record 5",
        "room/one: the records 12 to 12 are missing",
      ])
  }

  @Test(arguments: [
    "snapshot = replace(snapshot, '0', '1')", "last = 5", "seq = seq - 2", "n = 3", "wake = 7",
    "upto = 0", "hash = NULL",
  ])
  func aChangedRowOfAStoreIsFound(change: String) throws {
    try journals.sql("UPDATE store SET \(change) WHERE key = 'one'")
    let expected = error("its snapshot is not as it was written: its hash differs")
    #expect(try errors() == [expected, expected])
    #expect(
      try journals.reader().faults()
        == ["room/one: its snapshot is not as it was written: its hash differs"])
    // The other store can be written, and this one removed.
    let journal = try journals.open()
    _ = try journal.commit([Drain.records("two", 6...6)])
    try journal.remove(Drain.name("one"))
    #expect(try journals.reader().faults() == [])
  }

  @Test func aDamagedStoreIsRemovedWhole() throws {
    try journals.sql("UPDATE record SET previous = 1 WHERE store = 'room/one' AND n = 8")
    let journal = try journals.open()
    #expect(code { _ = try journal.stored(Drain.name("one")) } == .damaged)
    try journal.remove(Drain.name("one"))
    #expect(
      try journals.sql("SELECT DISTINCT store FROM record WHERE store IS NOT NULL") == ["room/two"])
    #expect(try journals.reader().faults() == [])
  }

  /// When the journal has been closed, nothing leads to the records that a damaged row does not know.
  @Test func aDamagedStoreWhoseRowIsBehindIsRemovedWhole() throws {
    let owner = try journals.open()
    _ = try owner.commit([Drain.records("one", 13...14)])
    let copy = try journals.crashed()
    owner.close()
    try journals.sql(
      "UPDATE store SET snapshot = replace(snapshot, '0', '1') WHERE key = 'one'", copy)
    try journals.open(copy).close()
    let journal = try journals.open(copy)
    #expect(code { _ = try journal.stored(Drain.name("one")) } == .damaged)
    try journal.remove(Drain.name("one"))
    #expect(
      try journals.sql("SELECT DISTINCT store FROM record WHERE store IS NOT NULL", copy)
        == ["room/two"])
    #expect(try journals.reader(copy).faults() == [])
  }

  /// A store that the key of the table does not find would begin anew.
  @Test func aStoreThatIsNotFoundDoesNotBeginAnewInADamagedList() throws {
    try journals.setMeta("stores", "3")
    let journal = try journals.open()
    #expect(try journal.numbers("two") == [1, 2, 3, 4, 5])
    #expect(
      message { _ = try journal.stored(Drain.name("three")) }
        .contains(
          "room/three is damaged: the list of stores is not whole, so this one may be there"))
    #expect(code { try journal.begin("three") } == .damaged)
    #expect(try journals.reader().faults() == ["there are 2 stores, and there were 3"])
  }

  @Test func aTruncatedFileIsNotServed() throws {
    let bytes = try journals.bytes()
    for count in stride(from: 1, to: bytes.count, by: 997) {
      try journals.write(bytes.prefix(count))
      let codes = [
        code { try journals.open().close() }, code { _ = try journals.reader().history("one") },
      ]
      #expect(codes.allSatisfy { $0 == .damaged || $0 == .notAJournal }, "\(count): \(codes)")
    }
  }

  @Test func aJournalThatLostItsLastRecordsIsNoticed() throws {
    // All rows are current: the records are less than the list says.
    try journals.sql("DELETE FROM record WHERE seq > 15")
    #expect(
      message { _ = try journals.open() }.contains(
        "its last record is number 15, and it has had one with the number 19"))
    #expect(try journals.reader().verify().faults.isEmpty == false)
  }

  @Test func aTruncatedLogHasTheCommitsBeforeIt() throws {
    let journal = try journals.open()
    let receipts = try (6...9).map { try journal.commit([Drain.records("two", $0...$0)])[0].last }
    let copy = try journals.crashed()
    let log = try journals.bytes("\(copy)-wal")
    try journals.write(log.prefix(log.count - 100), "\(copy)-wal")
    let crashed = try journals.open(copy)
    #expect(try crashed.numbers("two") == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(try crashed.has(receipts[2]))
    #expect(try !crashed.has(receipts[3]))
  }
}
#endif
