#if Journal
import Foundation
import GRDB
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// A folder with journals, which goes with it.
final class Journals: Sendable {
  let folder: String

  init() throws {
    folder =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("journal-tests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func path(_ name: String = "rooms.db") -> String { "\(folder)/\(name)" }

  /// A journal that is open.
  func open(
    _ name: String = "rooms.db", settings: JournalSettings = JournalSettings()
  ) throws -> SQLiteJournal {
    let journal = SQLiteJournal(path(name), settings)
    try journal.open()
    return journal
  }

  func reader(_ name: String = "rooms.db") throws -> SQLiteJournalReader {
    try SQLiteJournalReader(path(name))
  }

  /// A journal that was closed, with 12 records of `room/one` and 5 of `room/two`, taking turns.
  func written() throws {
    let journal = try open()
    defer { journal.close() }
    try journal.begin("one", "two")
    for number in 1...12 {
      var drains = [Drain.records("one", number...number)]
      if number <= 5 { drains.append(Drain.records("two", number...number)) }
      _ = try journal.commit(drains)
    }
  }

  /// What a process would find that starts after the owner's was killed now, as another file.
  func crashed(_ name: String = "rooms.db", as copy: String = "crashed.db") throws -> String {
    for part in ["", "-wal"] where FileManager.default.fileExists(atPath: path(name) + part) {
      try? FileManager.default.removeItem(atPath: path(copy) + part)
      try FileManager.default.copyItem(atPath: path(name) + part, toPath: path(copy) + part)
    }
    return copy
  }

  // MARK: Another program

  /// Executes SQL, and returns the first column of the rows as texts.
  @discardableResult
  func sql(_ sql: String, _ name: String = "rooms.db") throws -> [String] {
    let queue = try DatabaseQueue(path: path(name))
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction { db in
      try Row.fetchAll(db, sql: sql).map { row in
        let value: DatabaseValue = row[0]
        return String.fromDatabaseValue(value) ?? value.description
      }
    }
  }

  /// Sets a row of the table `meta` as a program would.
  func setMeta(_ key: String, _ value: String, _ name: String = "rooms.db") throws {
    try sql(
      """
      UPDATE meta SET value = '\(value)', seal = x'\(SHA256.hex(of: Array("\(key)\n\(value)".utf8)))'
      WHERE key = '\(key)'
      """, name)
  }

  func bytes(_ name: String = "rooms.db") throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path(name)))
  }

  func write(_ bytes: Data, _ name: String = "rooms.db") throws {
    try bytes.write(to: URL(fileURLWithPath: path(name)))
  }

  /// Replaces a text in a file by one of the same length.
  func replace(_ text: String, with other: String, _ name: String = "rooms.db") throws {
    var bytes = try bytes(name)
    let range = try #require(bytes.range(of: Data(text.utf8)))
    bytes.replaceSubrange(range, with: Data(other.utf8))
    try write(bytes, name)
  }
}

/// What stores of the module `room` commit.
enum Drain {
  static func name(_ key: String) -> StoreName {
    // Proof: the keys are literals of tests, which are keys.
    do { return try StoreName(feature: "room", key: key) } catch { fatalError("\(error)") }
  }

  static func header(_ number: Int = 0) -> String {
    #"{"recording":2,"feature":"room","after":\#(number),"scripts":{},"dependencies":[],"state":{"count":\#(number)}}"#
  }

  static func line(_ number: Int) -> String {
    #"{"n":\#(number),"source":"input","action":["add"],"wall":\#(1000 + number),"patch":[{"op":"replace","path":"/count","value":\#(number)}]}"#
  }

  static func snapshot(_ number: Int = 0, wake: Double? = nil) -> JournalSnapshot {
    JournalSnapshot(number: number, line: header(number), wake: wake)
  }

  static func record(_ number: Int) -> JournalRecord {
    JournalRecord(number: number, line: line(number))
  }

  static func records(
    _ key: String, _ numbers: ClosedRange<Int>, snapshot: JournalSnapshot? = nil
  ) -> JournalDrain {
    JournalDrain(store: name(key), records: numbers.map(record), snapshot: snapshot)
  }

  static func snapshot(_ key: String, _ snapshot: JournalSnapshot) -> JournalDrain {
    JournalDrain(store: name(key), records: [], snapshot: snapshot)
  }
}

extension SQLiteJournal {
  /// Commits the snapshots that stores begin with.
  func begin(_ keys: String...) throws {
    _ = try commit(keys.map { Drain.snapshot($0, Drain.snapshot()) })
  }

  func numbers(_ key: String) throws -> [Int]? {
    try stored(Drain.name(key))?.records.map(\.number)
  }
}

extension SQLiteJournalReader {
  /// The number of the first snapshot of a store, and those of the records after it; nil if there is no such store.
  func history(_ key: String) throws -> [Int]? {
    var numbers: [Int] = []
    let isThere = try read(Drain.name(key)) { line in
      switch line {
      case .snapshot(let snapshot): numbers.append(snapshot.number)
      case .record(let record): numbers.append(record.number)
      }
      return true
    }
    return isThere ? numbers : nil
  }

  func faults() throws -> [String] { try verify().faults.map(\.description) }
}

/// The code of the error that `body` throws; nil if it throws none.
func code(of body: () throws -> Void) -> JournalError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? JournalError)?.code
  }
}

func message(of body: () throws -> Void) -> String {
  do {
    try body()
    return ""
  } catch {
    return "\(error)"
  }
}
#endif
