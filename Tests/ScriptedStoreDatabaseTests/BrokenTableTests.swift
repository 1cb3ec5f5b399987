#if Database
import Foundation
import Platform
import ScriptedStore
import ScriptedStoreDatabase
import Synchronization
import Testing

/// Tables that cannot be read, or not be written: nothing is lost, and the status says why.
@Suite(.timeLimit(.minutes(30))) struct BrokenTableTests {
  private let databases: Databases

  init() throws { databases = try Databases(app: DatabaseStorageTests.app) }

  private func fill(_ count: Int64 = 3) throws {
    try databases.host().store("app").send("fill", ["count": .integer(count)])
  }

  @Test(arguments: [
    ("{\"id\":", "line 1, column 7"), ("{\"id\":7}", "its JSON is no object that has the id"),
    ("[]", "its JSON is no object that has the id"),
  ])
  func aRowThatCannotBeReadIsLeftOutAndKept(json: String, reason: String) throws {
    try fill()
    try databases.sql("UPDATE todos SET json = '\(json)' WHERE id = 2")
    let warnings = Mutex<[String]>([])
    let host = try databases.host { warning in warnings.withLock { $0.append(warning.message) } }
    let store = try host.store("app")
    #expect(store.state["todos"].array?.map { $0["id"] } == [1, 3])
    let error = store.state["status"]["loadError"]
    #expect(error["code"] == "broken" && error["path"] == "app.db")
    #expect(
      error["message"].string?.hasPrefix("the row with the id 2: \(reason)") == true, "\(error)")
    #expect(try databases.ids() == ["1", "2", "3"])
    try store.send("add", ["id": 2])
    #expect(try databases.ids() == ["1", "3", "2"])
    #expect(try databases.sql("SELECT id, json FROM \"todos.broken\"") == [["2", json]])
    host.flush()
    #expect(store.state["status"] == ["isLoading": false])
    // The number of a row that went is given to a new one, which is no broken one.
    try store.send("add", ["id": 4])
    #expect(try databases.ids() == ["1", "3", "2", "4"])
  }

  @Test func rowsWithOnePositionAreInTheOrderOfTheirIDs() throws {
    try fill(4)
    try databases.sql("UPDATE todos SET position = 1")
    let store = try databases.host().store("app")
    #expect(store.state["todos"].array?.map { $0["id"] } == [1, 2, 3, 4])
    try store.send("add", ["id": 9, "at": 3])
    #expect(try databases.ids() == ["1", "2", "9", "3", "4"])
  }

  @Test(arguments: ["CREATE TABLE todos (x)", "CREATE VIEW todos AS SELECT 1 AS id"])
  func aTableOfAnotherShapeStaysAsItIs(sql: String) throws {
    try databases.sql(sql)
    let host = try databases.host()
    let store = try host.store("app")
    try store.send("add", ["id": 1])
    host.flush()
    #expect(store.state["todos"].array?.count == 1)
    #expect(store.state["status"]["saveError"]["code"] == "failed")
    #expect(try databases.sql("SELECT sql FROM sqlite_master WHERE name = 'todos'") == [[sql]])
  }

  @Test func aFileThatIsNoDatabaseStaysAsItIs() throws {
    let text = String(repeating: "This is no database. ", count: 100)
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(databases.stored)/app.db"))
    let host = try databases.host()
    let store = try host.store("app")
    #expect(store.state["status"]["loadError"]["code"] == "corrupt")
    try store.send("add", ["id": 1])
    host.flush()
    #expect(store.state["status"]["saveError"]["code"] == "corrupt")
    #expect(FileManager.default.contents(atPath: "\(databases.stored)/app.db") == Data(text.utf8))
  }

  /// Calls `body` while the folder of the databases cannot be written: by a user who is not root, as whom this thread
  /// opens files meanwhile.
  private func withReadOnlyFolder(_ body: () throws -> Void) throws {
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(databases.stored)/app.db")
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: databases.stored)
    defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: databases.stored) }
    #if os(Linux)
    typealias SetUser = @convention(c) (UInt32) -> Int32
    let found = try #require(dlsym(nil, "setfsuid"))
    let setUser = unsafeBitCast(found, to: SetUser.self)
    let before = setUser(geteuid() == 0 ? 65534 : geteuid())
    defer { _ = setUser(UInt32(bitPattern: before)) }
    #endif
    try body()
  }

  @Test func aDatabaseInAFolderThatCannotBeWrittenIsRead() throws {
    // The last connection that is closed removes the log.
    try databases.sql(
      """
      PRAGMA journal_mode = WAL;
      CREATE TABLE todos (id ANY PRIMARY KEY NOT NULL, position REAL NOT NULL, json TEXT NOT NULL) STRICT;
      INSERT INTO todos VALUES (1, 1, '{"id":1}'), (2, 2, '{"id":2}'), (3, 3, '{"id":3}')
      """)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: databases.stored) == ["app.db"])
    let host = try databases.host()
    try withReadOnlyFolder {
      let store = try host.store("app")
      #expect(store.state["todos"].array?.map { $0["id"] } == [1, 2, 3])
      #expect(store.state["status"] == ["isLoading": false])
      try store.send("add", ["id": 4])
      #expect(store.state["todos"].array?.count == 4)
    }
    host.flush()
    // Once the folder can be written, so is what has changed.
    #expect(try databases.ids() == ["1", "2", "3", "4"])
  }

  @Test func aLinkIsNotFollowed() throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(databases.stored)/app.db", withDestinationPath: "\(databases.scripts)/other.db")
    let store = try databases.host().store("app")
    #expect(store.state["status"]["loadError"]["code"] == "link")
    try store.send("add", ["id": 1])
    #expect(!FileManager.default.fileExists(atPath: "\(databases.scripts)/other.db"))
  }

  @Test(
    arguments: [
      ([["id": 1], 2], "row 2 is no table"), ([["id": 1], ["id": 1]], "two rows have the id 1"),
      (7, "is no list of rows"),
    ] as [(Value, String)])
  func whatNoTableCanHaveIsTold(rows: Value, reason: String) throws {
    let host = try databases.host()
    let store = try host.store("app")
    try store.send("set", ["rows": rows])
    host.flush()
    let error = store.state["status"]["saveError"]
    #expect(error["code"] == "invalid")
    #expect(error["message"].string?.contains(reason) == true, "\(error)")
    try store.send("set", ["rows": [["id": 1], ["id": 2]]])
    host.flush()
    #expect(store.state["status"] == ["isLoading": false])
    #expect(try databases.ids() == ["1", "2"])
  }

  @Test func aFullDatabaseKeepsTheValueAndIsWrittenLater() throws {
    let host = try databases.host(limit: 64 << 10)
    let store = try host.store("app")
    try store.send("add", ["id": 1])
    try store.send("fill", ["count": 10_000])
    host.flush()
    #expect(store.state["status"]["saveError"]["code"] == "full")
    #expect(store.state["todos"].array?.count == 10_000)
    #expect(try databases.ids() == ["1"])
    // The difference to what the file has is small again.
    try store.send("set", ["rows": [["id": 2], ["id": 1, "isDone": true]]])
    host.flush()
    #expect(store.state["status"] == ["isLoading": false])
    #expect(try databases.ids() == ["2", "1"])
  }

  @Test func aFileThatIsTooLargeIsNotOpened() throws {
    try fill(5000)
    // The connection of the host before may be open yet, and then the rows are in the write-ahead log.
    _ = try databases.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    let store = try databases.host(limit: 4096).store("app")
    #expect(store.state["status"]["loadError"]["code"] == "tooLarge")
    try store.send("add", ["id": 1])
    #expect(try databases.ids().count == 5000)
  }

  @Test func aLockedFileIsWrittenWhenItIsFree() throws {
    let host = try databases.host()
    let store = try host.store("app")
    try store.send("add", ["id": 1])
    try databases.locked {
      try store.send("add", ["id": 2])
      #expect(store.state["todos"].array?.count == 2)
      host.flush()
      #expect(store.state["status"]["saveError"]["code"] == "locked")
    }
    host.flush()
    #expect(store.state["status"] == ["isLoading": false])
    #expect(try databases.ids() == ["1", "2"])
  }

  @Test func itIsTriedAgainAfterASecond() async throws {
    let store = try databases.host().store("app")
    try store.send("add", ["id": 1])
    try databases.locked { try store.send("add", ["id": 2]) }
    while try databases.ids() != ["1", "2"] { await Task.yield() }
    await Databases.wait(store) { $0["status"] == ["isLoading": false] }
  }

  // MARK: Versions

  private func app(_ options: String) -> String {
    """
    local rows = shared.database("rows", {}, \(options))
    return scripted.feature {
      state = {}, shared = { rows = rows, status = rows:status() },
      on = { add = function(state, action) list.insert(state.rows, { id = action.id }) end },
    }
    """
  }

  @Test func anOlderTableIsMigratedAndKept() throws {
    let databases = try Databases(app: app("{}"))
    try databases.host().store("app").send("add", ["id": 1])
    try databases.write(
      app: app(
        "{ version = 3, migrate = function(rows, from) for _, row in ipairs(rows) do row.from = from end end }"
      ))
    let store = try databases.host().store("app")
    #expect(store.state["rows"] == [["id": 1, "from": 1]])
    // At once, without another change.
    #expect(try databases.sql("SELECT json ->> 'id', json ->> 'from' FROM rows") == [["1", "1"]])
    #expect(try databases.sql("SELECT json FROM \"rows.v1\"") == [[#"{"id":1}"#]])
    try store.send("add", ["id": 2])
    #expect(try databases.host().store("app").state["rows"] == [["id": 1, "from": 1], ["id": 2]])
  }

  @Test(arguments: [
    ("{ version = 1 }", "newer"), ("{ version = 3 }", "migration"),
    ("{ version = 3, migrate = function() error('no') end }", "migration"),
  ])
  func aTableOfAnotherVersionIsNeverWritten(options: String, code: String) throws {
    let databases = try Databases(app: app("{ version = 2 }"))
    try databases.host().store("app").send("add", ["id": 1])
    try databases.write(app: app(options))
    let host = try databases.host()
    let store = try host.store("app")
    #expect(store.state["status"]["loadError"]["code"].string == code)
    try store.send("add", ["id": 2])
    host.flush()
    #expect(store.state["rows"] == [["id": 2]])
    #expect(store.state["status"]["saveError"]["code"].string == code)
    #expect(try databases.ids("rows") == ["1"])
  }

  @Test func rowsThatCheckRefusesAreKeptBesideTheNewOnes() throws {
    let databases = try Databases(app: app("{}"))
    try databases.host().store("app").send("add", ["id": 1])
    try databases.write(
      app: app("{ check = function(rows) if rows[1].id == 1 then error('no good') end end }"))
    let host = try databases.host()
    let store = try host.store("app")
    #expect(store.state["rows"] == [])
    #expect(store.state["status"]["loadError"]["code"] == "invalid")
    #expect(try databases.ids("rows") == ["1"])
    try store.send("add", ["id": 2])
    #expect(try databases.ids("rows") == ["2"])
    #expect(try databases.ids("rows.broken") == ["1"])
    host.flush()
    #expect(store.state["status"] == ["isLoading": false])
  }

  @Test func rowsThatCheckRefusesAreKeptWhenAnotherProcessHasWrittenTheFile() throws {
    let check = "{ check = function(rows) if rows[1].id == 1 then error('no good') end end }"
    let databases = try Databases(app: app("{}"))
    try databases.host().store("app").send("add", ["id": 1])
    try databases.write(app: app(check))
    let (host, other) = (try databases.host(), try databases.host())
    let (store, second) = (try host.store("app"), try other.store("app"))
    // Each of the two transactions finds that the file has changed.
    try databases.sql("CREATE TABLE other (x)")
    try store.send("add", ["id": 2])
    #expect(try databases.ids("rows") == ["2"])
    #expect(try databases.ids("rows.broken") == ["1"])
    // The table is another one now, and is not moved as well.
    try second.send("add", ["id": 3])
    #expect(try databases.ids("rows").sorted() == ["2", "3"])
    #expect(try databases.ids("rows.broken") == ["1"])
  }
}
#endif
