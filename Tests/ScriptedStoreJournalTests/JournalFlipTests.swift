#if Journal
import Foundation
import GRDB
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// One byte of a journal that is another one than was written.
@Suite struct JournalFlipTests {
  private let journals: Journals
  private static let keys = (1...6).map { "r\($0)" } + ["bare"]

  /// A journal with all that one can have: snapshots, records before them that stay and that were dropped, a removed store.
  init() throws {
    journals = try Journals()
    for keepsRecords in [false, true] {
      let journal = try journals.open(settings: JournalSettings(keepsRecords: keepsRecords))
      defer { journal.close() }
      let first = keepsRecords ? 9 : 1
      if !keepsRecords { for key in Self.keys + ["gone"] { try journal.begin(key) } }
      for number in first..<first + 8 {
        _ = try journal.commit(Self.keys.dropLast().map { Drain.records($0, number...number) })
        if !keepsRecords { _ = try journal.commit([Drain.records("gone", number...number)]) }
      }
      let last = first + 7
      _ = try journal.commit([
        Drain.snapshot("r1", Drain.snapshot(last - 4, wake: 2000)),
        Drain.snapshot("r2", Drain.snapshot(last)),
      ])
      if keepsRecords { try journal.remove(Drain.name("gone")) }
    }
  }

  /// What a host gets of each store; nil for an error that says so.
  private func served(_ name: String) throws -> [StoredStore?] {
    let journal = SQLiteJournal(journals.path(name))
    guard code(of: { try journal.open() }) == nil else { return Self.keys.map { _ in nil } }
    defer { journal.close() }
    return try Self.keys.map { key in
      do {
        let stored = try journal.stored(Drain.name(key))
        #expect(stored != nil, "\(key) is not there")
        return stored
      } catch let error as JournalError {
        #expect(error.code == .damaged, "\(error)")
        return nil
      }
    }
  }

  private func faults(_ name: String) -> [String] {
    do {
      return try journals.reader(name).faults()
    } catch {
      return ["\(error)"]
    }
  }

  /// All rows; nil if they cannot be read.
  private func rows(_ name: String) -> [[DatabaseValue]]? {
    try? DatabaseQueue(path: journals.path(name)).writeWithoutTransaction { db in
      try ["meta", "record", "store"].flatMap { table in
        try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { Array($0.databaseValues) }
      }
    }
  }

  /// `FLIP_STEP` is the number of bytes from one flipped byte to the next.
  @Test func aFlippedByteIsFoundAndNeverServed() throws {
    let bytes = try journals.bytes()
    let whole = try served("rooms.db").map { try #require($0) }
    let written = try #require(rows("rooms.db"))
    #expect(faults("rooms.db") == [])
    let step = ProcessInfo.processInfo.environment["FLIP_STEP"].flatMap { Int($0) } ?? 251
    for place in stride(from: 0, to: bytes.count, by: step) {
      var flipped = bytes
      flipped[place] ^= 1 << UInt8(place / step % 8)
      try journals.write(flipped, "flipped.db")
      defer {
        for part in ["-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: journals.path("flipped.db") + part)
        }
      }
      // A byte that nothing is in makes no difference.
      if faults("flipped.db").isEmpty {
        #expect(rows("flipped.db") == written, "byte \(place) is not found")
      }
      for (before, after) in zip(whole, try served("flipped.db")) {
        if let after { #expect(after == before, "byte \(place) is served") }
      }
    }
  }
}
#endif
