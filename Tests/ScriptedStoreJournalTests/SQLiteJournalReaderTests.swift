#if Journal
import Dispatch
import Foundation
import Platform
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// What tools see of a journal, also beside its owner.
@Suite struct SQLiteJournalReaderTests {
  private let journals: Journals

  init() throws {
    journals = try Journals()
    try journals.written()
  }

  @Test func aReaderSeesEachCommitOfTheOwner() throws {
    let journal = try journals.open()
    let reader = try journals.reader()
    #expect(try reader.history("two") == [0, 1, 2, 3, 4, 5])
    for number in 6...8 {
      let receipt = try journal.commit([Drain.records("two", number...number)])[0].last
      #expect(try reader.history("two") == Array(0...number))
      #expect(try reader.stored(Drain.name("two"))?.receipt == receipt)
      #expect(try reader.stores(of: "room").map(\.records) == [12, number])
    }
    #expect(try reader.verify().records == 20)
  }

  @Test func readingCanEnd() throws {
    var lines: [String] = []
    let isThere = try journals.reader().read(Drain.name("one")) { line in
      switch line {
      case .snapshot(let snapshot): lines.append(snapshot.line)
      case .record(let record): lines.append(record.line)
      }
      return lines.count < 3
    }
    #expect(isThere && lines == [Drain.header(), Drain.line(1), Drain.line(2)])
  }

  /// As far as the permissions are the reader's, SQLite makes no file where it may not.
  @Test(.enabled(if: getuid() != 0, "a superuser may write everywhere"))
  func aJournalInAFolderThatMayOnlyBeReadIsRead() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: journals.folder)
    defer {
      try? FileManager.default.setAttributes(
        [.posixPermissions: 0o700], ofItemAtPath: journals.folder)
    }
    #expect(try journals.reader().history("two") == [0, 1, 2, 3, 4, 5])
    #expect(code { _ = try journals.open() } == .notWritten)
  }

  // MARK: Backups

  @Test func aBackupIsTheJournalAtOneMoment() throws {
    let journal = try journals.open()
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      for number in 6...200 {
        _ = try? journal.commit([
          Drain.records("two", number...number), Drain.records("one", number + 7...number + 7),
        ])
      }
      done.signal()
    }
    let reader = try journals.reader()
    for copy in 1...5 { try reader.backup(to: journals.path("copy\(copy).db")) }
    done.wait()
    try reader.backup(to: journals.path("copy6.db"))
    for copy in 1...6 {
      #expect(try journals.reader("copy\(copy).db").faults() == [])
      let copied = try journals.open("copy\(copy).db")
      let two = try #require(try copied.numbers("two"))
      #expect(two == Array(1...two.count))
      #expect(try copied.numbers("one") == Array(1...two.count + 7))
      _ = try copied.commit([Drain.records("two", two.count + 1...two.count + 1)])
      let attributes = try FileManager.default.attributesOfItem(
        atPath: journals.path("copy\(copy).db"))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func aBackupReplacesNothing() throws {
    try journals.write(Data("mine".utf8), "copy.db")
    let reader = try journals.reader()
    #expect(
      message { try reader.backup(to: journals.path("copy.db")) }
        == "\(journals.path("copy.db")) exists; name a file that does not")
    let link = journals.path("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nothing.db")
    #expect(message { try reader.backup(to: link) } == "\(link) exists; name a file that does not")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "nothing.db")
    #expect(code { try reader.backup(to: journals.path("none/copy.db")) } == .notWritten)
    #expect(try journals.bytes("copy.db") == Data("mine".utf8))
  }

  /// A backup that was killed has left a file beside its own. What has that name need not be one.
  @Test func aBackupRemovesNothingButItsDraft() throws {
    let reader = try journals.reader()
    try journals.write(Data("mine".utf8), "mine.txt")
    try FileManager.default.createSymbolicLink(
      atPath: journals.path("copy.db.partial"), withDestinationPath: "mine.txt")
    try reader.backup(to: journals.path("copy.db"))
    #expect(try journals.bytes("mine.txt") == Data("mine".utf8))
    #expect(try journals.reader("copy.db").history("two") == [0, 1, 2, 3, 4, 5])
    try reader.backup(to: journals.path("other.db.partial"))
    let copy = try journals.reader("other.db.partial")
    #expect(
      message { try copy.backup(to: journals.path("other.db")) }
        == "\(journals.path("other.db")) cannot be written, because \(journals.path("other.db.partial")) is the journal; name another file"
    )
    #expect(try journals.reader("other.db.partial").history("two") == [0, 1, 2, 3, 4, 5])
    #expect(!FileManager.default.fileExists(atPath: journals.path("other.db")))
  }

  /// A journal that went back is noticed by the receipts of what was done in between.
  @Test func aRestoredBackupLacksLaterReceipts() throws {
    try journals.reader().backup(to: journals.path("copy.db"))
    let journal = try journals.open()
    let receipt = try journal.commit([Drain.records("two", 6...6)])[0].last
    journal.close()
    let restored = try journals.open("copy.db")
    #expect(try !restored.has(receipt))
    _ = try restored.commit([Drain.records("one", 13...13)])
    #expect(try !restored.has(receipt))
  }
}
#endif
