import LuaBridge
import ScriptedStore
import Testing

/// `shared.database`: which keys there are, and what becomes of them without SQLite.
struct DatabaseKeyTests {
  private static func app(_ arguments: String) -> String {
    """
    local rows = scripted.shared.database(\(arguments))
    return scripted.feature {
      name = "App", state = {}, shared = { rows = rows, status = rows:status() },
      on = {
        add = function(state, action) table.insert(state.rows, { id = action.id }) end,
        remove = function(state, action) list.remove(state.rows, action.id) end,
      },
    }
    """
  }

  private func scripts(
    _ arguments: String, _ database: (any SharedDatabase)? = MemoryDatabase()
  ) throws -> Scripts {
    try Scripts(["app": Self.app(arguments)]) {
      $0.shared = MemoryStorage()
      $0.database = database
    }
  }

  @Test func theRowsOutliveTheHost() throws {
    let database = MemoryDatabase()
    do {
      let store = try scripts("'rows', { { id = 'a' } }", database).store()
      try store.send("add", ["id": 1])
      try store.send("add", ["id": 2])
      try store.send("remove", ["id": 1])
    }
    #expect(
      try scripts("'rows', {}", database).store().state["rows"] == [["id": "a"], ["id": 2]])
  }

  @Test func twoRowsWithOneIDAreNotStored() throws {
    let database = MemoryDatabase()
    let scripts = try scripts("'rows', {}", database)
    let store = try scripts.store()
    for _ in 0..<2 { try store.send("add", ["id": 1]) }
    scripts.host.flush()
    #expect(store.state["rows"].array?.count == 2)
    #expect(
      store.state["status"]["saveError"] == [
        "code": "invalid", "path": "app.db",
        "message": "two rows have the id 1; give each row an id of its own",
      ])
    #expect(try self.scripts("'rows', {}", database).store().state["rows"] == [["id": 1]])
  }

  @Test func aRowWhoseIDHasAZeroByteIsNotStored() throws {
    let scripts = try scripts("'rows', {}")
    let store = try scripts.store()
    try store.send("add", ["id": "a\0b"])
    scripts.host.flush()
    #expect(
      store.state["status"]["saveError"] == [
        "code": "invalid", "path": "app.db", "message": "the 'id' of row 1 has a zero byte in it",
      ])
  }

  /// A database that reads no content of any table.
  private struct SilentDatabase: SharedDatabase {
    func read(_ tables: [SharedTable], in file: String) -> [SharedTable.Content] { [] }

    func write(
      to file: String, withstandingPowerFailure: Bool,
      _ body: (any SharedTransaction) throws(SharedStorageError) -> Void
    ) throws(SharedStorageError) {
      throw SharedStorageError(code: "failed", message: "it is never written")
    }
  }

  @Test func aTableOfWhichADatabaseReadsNothingIsNotThere() throws {
    let scripts = try scripts("'rows', { { id = 'a' } }", SilentDatabase())
    #expect(try scripts.store().state["rows"] == [["id": "a"]])
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func rowsThatCheckRefusesOutliveALoad() async throws {
    let database = MemoryDatabase()
    try self.scripts("'rows', {}", database).store().send("add", ["id": 1])
    let check = "function(rows) if rows[1] and rows[1].id == 1 then error('no good') end end"
    let scripts = try self.scripts("'rows', {}, { check = \(check) }", database)
    let store = try scripts.store()
    await #expect(throws: SharedStorageError.self) {
      try await scripts.host.shared("rows", kind: .database).load()
    }
    #expect(store.state["rows"] == [])
    #expect(store.state["status"]["loadError"]["code"] == "invalid")
    #expect(try self.scripts("'rows', {}", database).store().state["rows"] == [["id": 1]])
  }

  @Test(arguments: [
    ("'', {}", "a name is expected, got an empty string"), ("7, {}", "a name is expected"),
    ("'a b', {}", "letters, digits"), ("'a\"', {}", "letters, digits"),
    ("'SQLite_x', {}", "may not begin with 'sqlite_'"),
    ("'rows', 7", "must be a list of rows"), ("'rows', { a = 1 }", "must be a list of rows"),
    ("'rows', {}, 7", "table expected"), ("'rows', {}, { fil = 'a.db' }", "did you mean 'file'?"),
    ("'rows', {}, { file = '../a.db' }", "begins with a dot"),
    ("'rows', {}, { file = '/a.db' }", "relative path"),
    ("'rows', {}, { file = 'other.db-wal' }", "the log of a database"),
    ("'rows', {}, { file = 's.json.v1' }", "an old version of another file"),
    ("'rows', {}, { file = 'app-storage.json' }", "is that of another kind of key"),
    ("'rows', {}, { id = '' }", "not an empty string"),
    ("'rows', {}, { id = 1 }", "must be a string"),
    ("'rows', {}, { durability = 'exit' }", "must be \"kill\" or \"power\""),
    ("'rows', {}, { version = 0 }", "integer of 1 or more"),
    ("'rows', {}, { interval = 1 }", "has no option 'interval'"),
  ])
  func aKeyThatNoDatabaseTakesIsRefused(arguments: String, reason: String) throws {
    let scripts = try scripts(arguments)
    let error = #expect(throws: ScriptError.self) { _ = try scripts.store() }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "none")")
  }

  @Test func aRowWithAnotherFieldAsItsIDIsNoKey() throws {
    let key = "shared.database('rows', {}, { id = 'uuid' }):at { 'a' }"
    let scripts = try Scripts(
      app:
        "local shared = scripted.shared return scripted.feature { state = {}, shared = { row = \(key) } }"
    )
    let error = #expect(throws: ScriptError.self) { _ = try scripts.store() }
    let reason =
      "finds a row by its field 'id', and those of the table 'rows' have their ids in 'uuid'"
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "none")")
  }

  @Test func withoutADatabaseTheStoreIsRefusedWithTheOption() throws {
    let scripts = try scripts("'rows', {}", nil)
    let error = #expect(throws: ScriptError.self) { _ = try scripts.store() }
    #expect(error?.message.contains("app.lua:1: ") == true, "\(error?.message ?? "none")")
    #expect(error?.message.contains("`Configuration.database`") == true)
  }

  @Test(arguments: [
    ("shared.database('a', {})", "shared.database('A', {})", "differ only by case"),
    (
      "shared.database('a', {})", "shared.database('a', {}, { file = 'b.db' })",
      "another `file` or `id`"
    ),
    (
      "shared.database('a', {})", "shared.database('a', {}, { id = 'key' })",
      "another `file` or `id`"
    ),
    (
      "shared.database('a', {})", "shared.database('a', {}, { version = 2 })",
      "declare the key once"
    ),
    (
      "shared.database('a', {})", "shared.fileStorage('App.db', 1)",
      "is that of another kind of key"
    ),
    (
      "shared.fileStorage('app.db', 1)", "shared.database('a', {})",
      "is that of another kind of key"
    ),
    (
      "shared.fileStorage('App.db', 1)", "shared.database('a', {})",
      "is that of another kind of key"
    ),
  ])
  func twoKeysThatContradictEachOtherAreRefused(one: String, other: String, reason: String) throws {
    func feature(_ key: String) -> String {
      "local shared = scripted.shared return scripted.feature { state = {}, shared = { n = \(key) } }"
    }
    let scripts = try Scripts(["one": feature(one), "other": feature(other)]) {
      $0.shared = MemoryStorage()
      $0.database = MemoryDatabase()
    }
    _ = try scripts.host.store("one")
    let message = scriptError { _ = try scripts.host.store("other") }?.message
    #expect(message?.contains(reason) == true, "\(message ?? "none")")
  }

  @Test func aReloadThatGivesATableAnotherFileIsRefused() throws {
    let scripts = try scripts("'rows', {}")
    let store = try scripts.store()
    try scripts.write("app", Self.app("'rows', {}, { file = 'b.db' }"))
    let message = scripts.refusal()?.description ?? ""
    #expect(message.contains("another `file` or `id`"), "\(message)")
    try store.send("add", ["id": 1])
    #expect(store.state["rows"] == [["id": 1]])
    #expect(scripts.errors.isEmpty)
  }

  @Test func aClosedHostSavesNoRows() async throws {
    let database = MemoryDatabase()
    let scripts = try scripts("'rows', {}", database)
    let store = try scripts.store()
    await scripts.host.close()
    try store.send("add", ["id": 1])
    let error = await #expect(throws: SharedStorageError.self) {
      try await scripts.host.shared("rows", kind: .database).save()
    }
    #expect(error?.code == "closed")
    #expect(try self.scripts("'rows', {}", database).store().state["rows"] == [])
  }

  @Test func aStateGivesTheFirstRows() throws {
    let database = MemoryDatabase()
    let store = try scripts("'rows', {}", database).store(state: ["rows": [["id": "given"]]])
    #expect(store.state["rows"] == [["id": "given"]])
    #expect(try scripts("'rows', {}", database).store().state["rows"] == [])
    try store.send("add", ["id": 1])
    #expect(
      try scripts("'rows', {}", database).store().state["rows"] == [["id": "given"], ["id": 1]])
  }
}
