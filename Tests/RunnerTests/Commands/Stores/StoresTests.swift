#if Journal
import Foundation
import Platform
import ScriptedStore
import ScriptedStoreJournal
import Testing

@testable import RunnerCommands

/// `runner stores` on a journal with the stores of a counter.
@Suite struct StoresTests {
  private let folder: TemporaryFolder
  private let file: String

  init() throws {
    folder = try TemporaryFolder.counter()
    file = folder.url("rooms.db").path
    let journal = try opened()
    defer { journal.close() }
    for (key, count) in [("one", 12), ("two", 3)] {
      let name = try StoreName(feature: "counter", key: key)
      let header =
        #"{"recording":1,"feature":"counter","scripts":{},"dependencies":[],"effects":[],"state":{"count":0}}"#
      _ = try journal.commit([
        JournalDrain(
          store: name, records: (1...count).map(record),
          snapshot: JournalSnapshot(number: 0, line: header, wake: nil))
      ])
    }
  }

  private func record(_ number: Int) -> JournalRecord {
    JournalRecord(
      number: number,
      line: """
        {"n":\(number),"source":"\(number == 2 ? "effect" : "input")","action":{"type":"add","by":\(number)},\
        "time":\(number),"wall":\(1_795_896_000 + number),"patch":[{"op":"replace","path":"/count","value":\(number)}]}
        """)
  }

  private func opened() throws -> SQLiteJournal {
    let journal = SQLiteJournal(file)
    try journal.open()
    return journal
  }

  private func stores(_ arguments: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(["stores", "rooms.db"] + arguments, in: folder.folder)
  }

  private func expect(
    _ outcome: RunnerProcess.Outcome, _ status: Int32, _ output: String, _ errors: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.output == output, sourceLocation: sourceLocation)
    #expect(outcome.errors == errors, sourceLocation: sourceLocation)
    #expect(outcome.status == status, sourceLocation: sourceLocation)
  }

  // MARK: Reading

  @Test func theListHasNamesRecordsSizesAndTimes() throws {
    expect(
      try stores(), 0,
      """
      STORE        RECORDS  BEHIND    SIZE  CHANGED
      counter/one       12      12  1.8 KB  2026-11-28 20:00:12Z
      counter/two        3       3   604 B  2026-11-28 20:00:03Z
      2 stores, 15 records, 2.4 KB

      """)
    let json = try stores("--json")
    #expect(
      json.lines[1]
        == #"{"name":"counter/two","records":3,"behind":3,"bytes":604,"changed":1795896003.0}"#)
    #expect(json.lines.count == 2 && json.status == 0)
  }

  @Test(arguments: [
    (999, "999 B"), (1000, "1.0 KB"), (999_949, "999.9 KB"), (999_950, "1.0 MB"),
    (999_950_000_000, "1.0 TB"), (1_234_500_000_000_000, "1234.5 TB"),
  ])
  func sizesAreRoundedBeforeTheirUnitIsChosen(bytes: Int, text: String) {
    #expect(byteText(bytes) == text)
  }

  @Test func aStateIsShownAsOfEachRecord() throws {
    expect(try stores("show", "counter/one"), 0, "{ count = 12 }\n")
    expect(try stores("show", "counter/one", "--json"), 0, "{\"count\":12}\n")
    for number in [0, 1, 7, 12] {
      expect(
        try stores("show", "counter/one", "--at", "\(number)", "--json"), 0,
        "{\"count\":\(number)}\n")
    }
    expect(
      try stores("show", "counter/one", "--at", "13"), 66, "",
      "error: the last record of counter/one in rooms.db is 12; --at takes 0 to 12\n")
    expect(
      try stores("show", "counter/one", "--at", "-1"), 66, "",
      "error: rooms.db has counter/one from record 0 on, with the snapshot before it; --at takes no number below 0\n"
    )
  }

  /// The hash of the record is right, but its patch does not apply.
  @Test func aStateAfterARecordThatIsNoneIsDamaged() throws {
    let journal = try opened()
    let name = try StoreName(feature: "counter", key: "one")
    let line =
      #"{"n":13,"source":"input","action":{"type":"add"},"time":13,"patch":[{"op":"replace","path":"/none/deep","value":1}]}"#
    _ = try journal.commit([
      JournalDrain(
        store: name, records: [JournalRecord(number: 13, line: line), record(14)], snapshot: nil)
    ])
    journal.close()
    for at in [[], ["--at", "13"], ["--at", "14"]] {
      let outcome = try RunnerProcess.run(
        ["stores", "rooms.db", "show", "counter/one"] + at, in: folder.folder)
      #expect(outcome.status == 65 && outcome.output == "")
      #expect(outcome.errors.hasPrefix("error: rooms.db: counter/one, record 13: "))
    }
    #expect(try stores("show", "counter/one", "--at", "12").output == "{ count = 12 }\n")
  }

  @Test func theLogHasALineForEachRecord() throws {
    expect(
      try stores("log", "counter/two"), 0,
      """
           0                        begins with  { count = 0 }
           1  2026-11-28 20:00:01Z  add { by = 1 }
           2  2026-11-28 20:00:02Z  add { by = 2 }  -- sent by an effect
           3  2026-11-28 20:00:03Z  add { by = 3 }

      """)
    let json = try stores("log", "counter/two", "--json")
    #expect(Array(json.lines.dropFirst()) == (1...3).map { record($0).line })
  }

  /// The lines of a recording become those of a journal, and are exported as that recording.
  @Test func anExportIsARecording() throws {
    let run = try RunnerProcess.run(
      ["run", "counter", "--root", folder.path, "--record", folder.url("session.jsonl").path],
      input: "\"increment\"\n{\"type\":\"label\",\"text\":\"a\"}\n\"twice\"\n")
    #expect(run.status == 0)
    let lines = try folder.text("session.jsonl").split(separator: "\n").map(String.init)
    let entries = lines.filter { $0.hasPrefix("{\"n\":") }
    let journal = try opened()
    _ = try journal.commit([
      JournalDrain(
        store: try StoreName(feature: "counter", key: "real"),
        records: zip(1..., entries).map { JournalRecord(number: $0, line: $1) },
        snapshot: JournalSnapshot(number: 0, line: lines[0], wake: nil))
    ])
    journal.close()
    expect(
      try stores("export", "counter/real"), 0,
      ([lines[0]] + entries).map { $0 + "\n" }.joined())
    #expect(try stores("export", "counter/real", "--at", "2").lines == [lines[0]] + entries[..<2])
    let replay = try RunnerProcess.shell(
      """
      cd \(folder.path) && $RUNNER stores rooms.db export counter/real > real.jsonl && \
      $RUNNER replay real.jsonl --against .
      """)
    #expect(replay.status == 0, "\(replay.output) \(replay.errors)")
  }

  @Test func aLongHistoryIsWholeUpToItsDamage() throws {
    let journal = try opened()
    let count = 1000
    _ = try journal.commit([
      JournalDrain(
        store: try StoreName(feature: "counter", key: "one"), records: (13...count).map(record),
        snapshot: nil)
    ])
    journal.close()
    let lines = (1...count).map { record($0).line }
    #expect(Array(try stores("export", "counter/one").lines.dropFirst()) == lines)
    let cut = try RunnerProcess.shell(
      "cd \(folder.path) && $RUNNER stores rooms.db export counter/one --at \(count) | head -n 1")
    #expect(cut.errors == "" && cut.lines.count == 1)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let place = try #require(bytes.range(of: Data("\"by\":999".utf8)))
    bytes[place.upperBound - 1] = UInt8(ascii: "8")
    try bytes.write(to: URL(fileURLWithPath: file))
    let damaged = try stores("export", "counter/one")
    #expect(damaged.status == 65)
    #expect(Array(damaged.lines.dropFirst()) == Array(lines[..<998]))
  }

  @Test func aReaderThatEndsIsNoError() throws {
    let outcome = try RunnerProcess.shell(
      "cd \(folder.path) && $RUNNER stores rooms.db log counter/one | head -n 1")
    #expect(outcome.errors == "" && outcome.lines.count == 1)
  }

  // MARK: The journal

  @Test func whatIsNotAsItWasWrittenIsTold() throws {
    expect(try stores("verify"), 0, "as written  2 stores, 15 records\n")
    expect(try stores("verify", "--json"), 0, "{\"stores\":2,\"records\":15,\"faults\":[]}\n")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let place = try #require(bytes.range(of: Data("\"by\":7".utf8)))
    bytes[place.upperBound - 1] = UInt8(ascii: "8")
    try bytes.write(to: URL(fileURLWithPath: file))
    let fault = "record 7 is not as it was written: its hash differs"
    expect(
      try stores("verify"), 1, "counter/one: \(fault)\n",
      "error: rooms.db is not as it was written: 1 fault in 2 stores and 15 records; keep a copy of the file, and restore a backup\n"
    )
    expect(
      try stores("verify", "--json"), 1,
      "{\"stores\":2,\"records\":15,\"faults\":[{\"message\":\"\(fault)\",\"store\":\"counter/one\"}]}\n",
      "error: rooms.db is not as it was written: 1 fault in 2 stores and 15 records; keep a copy of the file, and restore a backup\n"
    )
    expect(
      try stores("show", "counter/one"), 65, "",
      "error: rooms.db: counter/one is damaged: \(fault); restore a backup, or look with `runner stores rooms.db verify`\n"
    )
    #expect(try stores("show", "counter/two").status == 0)
  }

  @Test func aBackupIsAJournal() throws {
    let journal = try opened()
    defer { journal.close() }
    expect(try stores("backup", "copy.db"), 0, "", "wrote copy.db\n")
    let copy = try RunnerProcess.run(["stores", "copy.db"], in: folder.folder)
    #expect(copy.output == (try stores()).output)
    expect(
      try stores("backup", "copy.db"), 73, "",
      "error: copy.db exists; name a file that does not\n")
    let lost = try stores("backup", "none/copy.db")
    #expect(lost.status == 74)
    #expect(lost.errors.hasPrefix("error: none/copy.db cannot be made: "), "\(lost.errors)")
  }

  @Test func aJournalThatIsCutIsNotToBeVerifiedOnceMore() throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    try bytes.prefix(8000).write(to: folder.url("cut.db"))
    let outcome = try RunnerProcess.run(["stores", "cut.db", "verify"], in: folder.folder)
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("error: cut.db is damaged: "), "\(outcome.errors)")
    #expect(
      outcome.errors.hasSuffix(
        "; not all of it can be looked at: keep a copy of the file, and restore a backup\n"))
  }

  @Test func compactingDropsRecordsAndRemovingAStore() throws {
    let journal = try opened()
    let one = try StoreName(feature: "counter", key: "one")
    let header =
      #"{"recording":1,"feature":"counter","after":10,"scripts":{},"dependencies":[],"effects":[],"state":{"count":10}}"#
    _ = try journal.commit([
      JournalDrain(
        store: one, records: [], snapshot: JournalSnapshot(number: 10, line: header, wake: nil))
    ])
    for verb in [["compact"], ["remove", "counter/two"]] {
      let outcome = try RunnerProcess.run(["stores", "rooms.db"] + verb, in: folder.folder)
      expect(
        outcome, 66, "",
        "error: rooms.db is in use by process \(getpid()); end that, or use another file\n")
    }
    journal.close()
    let compacted = try stores("compact")
    #expect(compacted.status == 0 && compacted.errors.hasPrefix("rooms.db has "))
    #expect(
      try stores("export", "counter/one").lines == [header, record(11).line, record(12).line])
    expect(try stores("show", "counter/one", "--json"), 0, "{\"count\":12}\n")
    expect(
      try stores("show", "counter/one", "--at", "9"), 66, "",
      "error: rooms.db has counter/one from record 10 on, with the snapshot before it; --at takes no number below 10\n"
    )
    expect(try stores("remove", "counter/two"), 0, "", "removed counter/two with 3 records\n")
    let bytes = header.utf8.count + record(11).line.utf8.count + record(12).line.utf8.count
    #expect(try stores().lines.last == "1 store, 12 records, \(bytes) B")
    #expect(try stores("verify").status == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
        $0.hasPrefix("rooms")
      }
      .allSatisfy { ["rooms.db", "rooms.db-lock", "rooms.db-wal", "rooms.db-shm"].contains($0) })
  }

  // MARK: Refused

  @Test(arguments: [
    (["show", "counter/on"], 66, "rooms.db has no store counter/on; did you mean counter/one?"),
    (
      ["log", "games.chess/a"], 66,
      "rooms.db has no store games.chess/a; `runner stores rooms.db` lists those it has"
    ),
    (["remove", "counter/tw"], 66, "rooms.db has no store counter/tw; did you mean counter/two?"),
    (["show", "one"], 64, "one is no name of a durable store; write FEATURE/KEY, as room/r17"),
    (["show"], 64, "show needs a NAME, as room/r17: runner stores rooms.db show …"),
    (["backup"], 64, "backup needs a FILE, which is made: runner stores rooms.db backup …"),
    (["verify", "counter/one"], 64, "verify is for the whole journal; leave 'counter/one' out"),
    (
      ["log", "counter/one", "--at", "3"], 64,
      "--at is for show and export; leave it out, or use one of these"
    ),
    (["compact", "--json"], 64, "compact has no --json; it is for list, show, log and verify"),
  ])
  func whatMakesNoSenseIsRefused(arguments: [String], status: Int32, message: String) throws {
    let outcome = try RunnerProcess.run(["stores", "rooms.db"] + arguments, in: folder.folder)
    #expect(outcome.errors.hasPrefix("error: \(message)\n"), "\(outcome.errors)")
    #expect(outcome.status == status && outcome.output == "")
  }

  @Test func otherFilesAreRefused() throws {
    try folder.write("This is a text, and no journal at all.\n", to: "notes.txt")
    try folder.write("", to: "empty.db")
    for (name, status, message) in [
      ("none.db", Int32(66), "there is no file none.db; name the file of a journal"),
      (
        "notes.txt", 65,
        "notes.txt is no journal, or its first bytes are damaged: it is no SQLite file; name another file, or restore a backup"
      ),
      ("empty.db", 65, "empty.db is empty: no program has used it as its journal yet"),
    ] {
      for verb in [[], ["verify"], ["compact"], ["remove", "counter/one"]] {
        let outcome = try RunnerProcess.run(["stores", name] + verb, in: folder.folder)
        expect(outcome, status, "", "error: \(message)\n")
      }
    }
    #expect(try folder.text("notes.txt") == "This is a text, and no journal at all.\n")
  }

  @Test func aRunnerWithoutJournalsSaysSo() throws {
    let core = RunnerProcess.executable.deletingLastPathComponent().appendingPathComponent(
      "runner-core")
    let outcome = try RunnerProcess.shell("\(core.path) stores \(file)")
    #expect(outcome.status == 64)
    #expect(
      outcome.errors.hasPrefix(
        "error: this runner was built without journals, as `make run` does; `make build` builds it with them\n"
      ))
  }
}
#endif
