#if Journal
import Foundation
import Platform
import GRDB
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// Who may have a journal, and which files are journals.
@Suite struct JournalOwnerTests {
  private let journals: Journals

  init() throws { journals = try Journals() }

  @Test func aJournalHasOneOwnerInAProcess() throws {
    let journal = try journals.open()
    try FileManager.default.createSymbolicLink(
      atPath: journals.path("link.db"), withDestinationPath: "rooms.db")
    for name in ["rooms.db", "link.db"] {
      #expect(
        message { _ = try journals.open(name) }
          == "\(journals.path(name)) is in use by this process already; close the other host first")
    }
    journal.close()
    #expect(code { _ = try journal.stores(of: nil) } == .closed)
    #expect(code { _ = try journal.commit([Drain.snapshot("one", Drain.snapshot())]) } == .closed)
    try journals.open("link.db").begin("one")
  }

  /// SQLite would make the file, and have its log, where the link leads. The lock would be beside the link.
  @Test func aLinkToNothingIsRefused() throws {
    try FileManager.default.createSymbolicLink(
      atPath: journals.path("link.db"), withDestinationPath: "nothing.db")
    #expect(code { _ = try journals.open("link.db") } == .notWritten)
    #expect(
      message { _ = try journals.open("link.db") }.contains("a link to a file that is not there"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: journals.folder) == ["link.db"])
    // The file may be empty.
    try journals.write(Data(), "nothing.db")
    try journals.open("link.db").begin("one")
  }

  /// The lock, and SQLite's log, are beside the name.
  @Test func aFileWithTwoNamesHasNoOwner() throws {
    try journals.written()
    try FileManager.default.linkItem(
      atPath: journals.path(), toPath: journals.path("other.db"))
    for name in ["rooms.db", "other.db"] {
      #expect(code { _ = try journals.open(name) } == .notWritten)
      #expect(
        message { _ = try journals.open(name) }
          == """
          \(journals.path(name)) cannot be used: its file has 2 names (hard links), and each could have an owner; remove the \
          others, or use a copy of it (`runner stores \(journals.path(name)) backup FILE`)
          """)
      // A reader needs no ownership.
      #expect(try journals.reader(name).history("two") == [0, 1, 2, 3, 4, 5])
    }
    try FileManager.default.removeItem(atPath: journals.path("other.db"))
    #expect(try journals.open().numbers("two") == [1, 2, 3, 4, 5])
  }

  /// Nobody would find what is written into it.
  @Test(arguments: [false, true])
  func aFileThatHasGoneTakesNoCommits(isReplaced: Bool) throws {
    let journal = try journals.open()
    try journal.begin("one")
    try FileManager.default.moveItem(atPath: journals.path(), toPath: journals.path("moved.db"))
    if isReplaced { try journals.write(Data()) }
    let commit = { _ = try journal.commit([Drain.records("one", 1...1)]) }
    #expect(code(of: commit) == .notWritten)
    #expect(
      message(of: commit).contains(
        "the file was removed, or replaced by another one, while it was open"))
    if isReplaced { try FileManager.default.removeItem(atPath: journals.path()) }
    try FileManager.default.moveItem(atPath: journals.path("moved.db"), toPath: journals.path())
    try commit()
    journal.close()
    #expect(try journals.open().numbers("one") == [1])
  }

  @Test func aRefusedOwnerClosesNoFileOfOthers() async throws {
    let journal = try journals.open()
    let closed = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<2 {
        group.addTask {
          (0..<500).allSatisfy { _ in (try? self.journals.open()) == nil }
        }
        // A file that this opens may get the number of one that a refused owner has closed.
        group.addTask {
          (0..<20_000).allSatisfy { _ in
            let descriptor = Platform.open("/dev/null", O_RDONLY | O_CLOEXEC)
            sched_yield()
            return Platform.close(descriptor) == 0
          }
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(closed)
    journal.close()
  }

  #if os(Linux)
  /// As a process that is being started has them, files that this one has open stay open after it has closed them.
  @Test func aJournalThatWasClosedIsFreeWhileAProcessIsStarted() throws {
    let journal = try journals.open()
    let lock = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      .compactMap { Int32($0) }
      .first { descriptor in
        let path = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(descriptor)")
        return path == "\(journals.path())-lock"
      }
    let other = dup(try #require(lock))
    defer { _ = Platform.close(other) }
    journal.close()
    try journals.open().begin("one")
  }
  #endif

  @Test func aJournalHasOneOwnerAmongProcesses() throws {
    try journals.written()
    let other = Process()
    other.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    other.arguments = [
      "perl", "-e",
      "open(F, '+<', $ARGV[0]); flock(F, 6) or exit 1; truncate(F, 0); syswrite(F, $$); syswrite(STDOUT, 'x'); <STDIN>",
      journals.path() + "-lock",
    ]
    let (input, output) = (Pipe(), Pipe())
    (other.standardInput, other.standardOutput) = (input, output)
    try other.run()
    #expect(try output.fileHandleForReading.read(upToCount: 1)?.count == 1)
    #expect(
      message { _ = try journals.open() }
        == "\(journals.path()) is in use by process \(other.processIdentifier); end that, or use another file"
    )
    // A reader needs no ownership.
    #expect(try journals.reader().history("two") == [0, 1, 2, 3, 4, 5])
    kill(other.processIdentifier, SIGKILL)
    other.waitUntilExit()
    #expect(try journals.open().numbers("two") == [1, 2, 3, 4, 5])
  }

  // MARK: Files that are no journals

  @Test func aFileThatIsNoDatabaseIsLeftAlone() throws {
    let text = Data(String(repeating: "This is a text. ", count: 500).utf8)
    try journals.write(text, "notes.txt")
    for open in [{ _ = try journals.open("notes.txt") }, { _ = try journals.reader("notes.txt") }] {
      #expect(
        message(of: open)
          == "\(journals.path("notes.txt")) is no journal, or its first bytes are damaged: it is no SQLite file; name another file, or restore a backup"
      )
      #expect(code(of: open) == .notAJournal)
    }
    #expect(try journals.bytes("notes.txt") == text)
    #expect(try FileManager.default.contentsOfDirectory(atPath: journals.folder) == ["notes.txt"])
  }

  @Test func aDatabaseOfAnotherProgramIsLeftAlone() throws {
    try journals.sql("CREATE TABLE music (title TEXT)", "music.db")
    let bytes = try journals.bytes("music.db")
    for open in [{ _ = try journals.open("music.db") }, { _ = try journals.reader("music.db") }] {
      #expect(
        message(of: open)
          == "\(journals.path("music.db")) is a database of another program; name another file")
    }
    #expect(try journals.bytes("music.db") == bytes)
    #expect(try FileManager.default.contentsOfDirectory(atPath: journals.folder) == ["music.db"])
  }

  @Test func aJournalOfANewerVersionIsLeftAlone() throws {
    try journals.written()
    try journals.setMeta("schema", "2")
    #expect(
      message { _ = try journals.open() }
        == "\(journals.path()) was written by a newer program (version 2 of its tables; this one knows 1); use that program"
    )
    #expect(code { _ = try journals.reader() } == .notAJournal)
  }

  @Test func otherThingsAreRefusedWithAReason() throws {
    #expect(message { _ = try journals.open(".") }.contains("is no ordinary file"))
    #expect(message { _ = try journals.open("none/rooms.db") }.contains("make its folder first"))
    #expect(message { _ = try journals.reader("none.db") }.contains("there is no file"))
    try journals.write(Data(), "empty.db")
    #expect(message { _ = try journals.reader("empty.db") }.contains("is empty"))
    // A file that a crash has left empty becomes a journal.
    try journals.open("empty.db").begin("one")
  }
}
#endif
