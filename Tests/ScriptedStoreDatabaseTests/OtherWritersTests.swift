#if Database
import Dispatch
import Foundation
import ScriptedStore
import ScriptedStoreDatabase
import Synchronization
import Testing

/// What becomes of shared values when another program or another host writes their tables.
@Suite(.timeLimit(.minutes(30))) struct OtherWritersTests {
  private let databases: Databases

  init() throws { databases = try Databases(app: DatabaseStorageTests.app) }

  #if os(Linux)
  @Test func aChangeByAnotherProgramIsTakenOver() async throws {
    let store = try databases.host().store("app")
    try store.send("fill", ["count": 3])
    try databases.sql(
      "UPDATE todos SET json = json_set(json, '$.isDone', json('true')) WHERE id = 2")
    try databases.sql("DELETE FROM todos WHERE id = 1")
    await Databases.wait(store) { $0["todos"].array?.count == 2 }
    #expect(store.state["todos"] == [["id": 2, "isDone": true], ["id": 3, "isDone": false]])
  }

  @Test func aFileThatAnotherProgramMakesIsTakenOver() async throws {
    let (host, other) = (try databases.host(), try databases.host())
    let store = try host.store("app")
    try other.store("app").send("add", ["id": 1])
    await Databases.wait(store) { $0["todos"].array?.count == 1 }
  }

  @Test func aRemovedFileGivesTheDefault() async throws {
    let host = try databases.host()
    let store = try host.store("app")
    try store.send("both", ["id": 1])
    host.flush()
    for name in ["app.db", "app.db-wal", "app.db-shm"] {
      try? FileManager.default.removeItem(atPath: "\(databases.stored)/\(name)")
    }
    await Databases.wait(store) { $0["todos"] == [] && $0["tags"] == [["id": "home"]] }
    try store.send("add", ["id": 2])
    #expect(try databases.ids() == ["2"])
  }

  /// Notes what a database tells of changes by others.
  private final class Noting: SharedDatabase {
    private let base: DatabaseStorage
    private let isWatched: Bool
    private let told = Mutex<[String]>([])
    private let found = Mutex<[Bool]>([])

    /// - Parameter isWatched: whether the host hears of changes by others. Else only transactions find them.
    init(_ base: DatabaseStorage, isWatched: Bool) {
      self.base = base
      self.isWatched = isWatched
    }

    /// The files that others have changed.
    var news: [String] { told.withLock { $0 } }

    /// For each transaction: whether others had changed the file.
    var areBehind: [Bool] { found.withLock { $0 } }

    func read(
      _ tables: [SharedTable], in file: String
    ) throws(SharedStorageError) -> [SharedTable.Content] {
      try base.read(tables, in: file)
    }

    func write(
      to file: String, withstandingPowerFailure: Bool,
      _ body: (any SharedTransaction) throws(SharedStorageError) -> Void
    ) throws(SharedStorageError) {
      try base.write(to: file, withstandingPowerFailure: withstandingPowerFailure) {
        (transaction) throws(SharedStorageError) in
        let isBehind = transaction.isBehind
        found.withLock { $0.append(isBehind) }
        try body(transaction)
      }
    }

    func forget(_ table: SharedTable, in file: String, isLast: Bool) {
      base.forget(table, in: file, isLast: isLast)
    }

    func watch(_ handler: @escaping @Sendable (_ file: String) -> Void) {
      guard isWatched else { return }
      base.watch { [weak self] file in
        self?.told.withLock { $0.append(file) }
        handler(file)
      }
    }

    func host(_ databases: Databases) throws -> ScriptHost {
      var configuration = ScriptHost.Configuration(limits: .unlimited, onWarning: { _ in })
      configuration.shared = .memory
      configuration.database = self
      return try ScriptHost(root: databases.scripts, configuration: configuration)
    }
  }

  @Test func toOpenAFileThatIsNoDatabaseIsNoNews() async throws {
    let databases = try Databases(
      app: """
        local bad = shared.database("bad", {}, { file = "bad.db" })
        local good = shared.database("good", {}, { file = "good.db" })
        return scripted.feature {
          state = {}, shared = { bad = bad, good = good },
          on = { add = function(state, action) list.insert(state.good, { id = action.id }) end },
        }
        """)
    let text = String(repeating: "This is no database. ", count: 100)
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(databases.stored)/bad.db"))
    let database = Noting(try DatabaseStorage(databases.stored), isWatched: true)
    let host = try database.host(databases)
    let store = try host.store("app")
    try store.send("add", ["id": 0])
    // Each change of the good file is seen, so that the events of the other file had time to come.
    for id in 1...3 {
      try databases.sql(
        "INSERT INTO good (id, position, json) VALUES (\(id), \(id + 1), '{\"id\":\(id)}')",
        file: "good.db")
      await Databases.wait(store) { $0["good"].array?.count == id + 1 }
    }
    #expect(!database.news.contains("bad.db"), "\(database.news)")
  }
  #endif

  /// A field that shows one table after another.
  ///
  /// - Parameter options: those of its keys.
  private static func documents(_ options: String) -> String {
    """
    local tags = shared.database("tags", {})
    return scripted.feature {
      state = {},
      shared = {
        tags = tags,
        rows = function(state) return state.id and shared.database("rows-" .. state.id, {}, \(options)) end,
      },
      on = {
        open = function(state, action) state.id = action.id end,
        tag = function(state, action) list.insert(state.tags, { id = action.id }) end,
        write = function(state) list.insert(state.rows, { id = 1 }) end,
      },
    }
    """
  }

  @Test func afterForgottenKeysAFileIsReadOnceForEachChangeOfOthers() throws {
    let databases = try Databases(app: Self.documents("{}"))
    let database = Noting(try DatabaseStorage(databases.stored), isWatched: false)
    let store = try database.host(databases).store("app")
    try store.send("tag", ["id": 1])
    for id in 0..<200 { try store.send("open", ["id": .integer(Int64(id))]) }
    try databases.sql("INSERT INTO tags (id, position, json) VALUES (2, 9, '{\"id\":2}')")
    for id in 3...5 { try store.send("tag", ["id": .integer(Int64(id))]) }
    #expect(database.areBehind.suffix(3) == [true, false, false])
    #expect(store.state["tags"].array?.count == 5)
    #expect(try databases.ids("tags").sorted() == ["1", "2", "3", "4", "5"])
  }

  #if os(Linux)
  @Test func aFileIsClosedWhenItsLastKeyIsForgotten() throws {
    let databases = try Databases(app: Self.documents("{ file = 'rows-' .. state.id .. '.db' }"))
    let database = Noting(try DatabaseStorage(databases.stored), isWatched: false)
    let store = try database.host(databases).store("app")
    for id in 0..<200 {
      try store.send("open", ["id": .integer(Int64(id))])
      try store.send("write", nil)
    }
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let open = descriptors.compactMap { descriptor in
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }.filter { $0.hasPrefix(databases.stored) && $0.hasSuffix(".db") }
    #expect(!open.isEmpty && open.count < 100, "\(open.count)")
    try store.send("open", ["id": 0])
    #expect(store.state["rows"] == [["id": 1]])
  }
  #endif

  @Test func aDefaultIsNoRowThatWasAddedHere() throws {
    let (host, other) = (try databases.host(), try databases.host())
    let (store, writer) = (try host.store("app"), try other.store("app"))
    try writer.send("both", ["id": 1])
    try databases.sql("DELETE FROM tags WHERE id = 'home'")
    try store.send("both", ["id": 2])
    #expect(try databases.ids("tags").sorted() == ["tag1", "tag2"])
    #expect(store.state["tags"].array?.count == 2)
    #expect(try databases.ids().sorted() == ["1", "2"])
  }

  /// Without waiting for the news: the transaction finds that the file has changed.
  @Test func changesOfBothSidesAreMerged() throws {
    let hosts = [try databases.host(), try databases.host()]
    let first = try hosts[0].store("app")
    try first.send("fill", ["count": 3])
    let stores = [first, try hosts[1].store("app")]
    try stores[1].send("toggle", ["id": 2])
    #expect(stores[1].state["todos"].array?.map { $0["isDone"] } == [false, true, false])
    try stores[0].send("remove", ["id": 1])
    try stores[1].send("add", ["id": 9, "at": 1])
    try stores[0].send("toggle", ["id": 3])
    let rows: Value = [
      ["id": 9, "isDone": false], ["id": 2, "isDone": true], ["id": 3, "isDone": true],
    ]
    #expect(stores[0].state["todos"] == rows)
    #expect(try databases.host().store("app").state["todos"] == rows)
  }

  @Test func whatCouldNotBeWrittenIsMergedLater() throws {
    let host = try databases.host()
    let store = try host.store("app")
    try store.send("fill", ["count": 2])
    try databases.locked { try store.send("toggle", ["id": 1]) }
    try databases.sql("UPDATE todos SET json = '{\"id\":2,\"isDone\":true}' WHERE id = 2")
    host.flush()
    #expect(store.state["todos"].array?.map { $0["isDone"] } == [true, true])
    #expect(try databases.sql("SELECT id FROM todos WHERE json ->> 'isDone'") == [["1"], ["2"]])
  }

  @Test func aSecondKeyDoesNotHideWhatOthersHaveChanged() throws {
    let databases = try Databases(app: DatabaseStorageTests.app)
    let host = try databases.host()
    let store = try host.store("app")
    try store.send("fill", ["count": 2])
    try databases.sql("DELETE FROM todos WHERE id = 1")
    try Data(
      """
      local scripted = require "scripted"
      return scripted.feature { state = {}, shared = { late = scripted.shared.database("late", {}) } }
      """.utf8
    ).write(to: URL(fileURLWithPath: "\(databases.scripts)/late.lua"))
    _ = try host.store("late")
    try store.send("toggle", ["id": 2])
    #expect(store.state["todos"] == [["id": 2, "isDone": true]])
  }

  @Test func aTableThatGotANewVersionIsNotOverwritten() throws {
    let host = try databases.host()
    let store = try host.store("app")
    try store.send("both", ["id": 1])
    try databases.sql("UPDATE \"$version\" SET version = 3 WHERE name = 'tags'")
    try store.send("both", ["id": 2])
    host.flush()
    #expect(try databases.ids("tags") == ["home", "tag1"])
    #expect(try databases.ids("todos") == ["1", "2"])
    #expect(store.state["tags"].array?.count == 3)
  }

  @Test func twoHostsThatAddRowsLoseNone() throws {
    let hosts = [try databases.host(), try databases.host()]
    let stores = try hosts.map { try $0.store("app") }
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      for number in 0..<100 {
        _ = try? stores[index].send("add", ["id": .string("\(index)-\(number)")])
      }
    }
    for host in hosts { host.flush() }
    #expect(Set(try databases.ids()).count == 200)
    let last = try databases.host().store("app")
    #expect(last.state["todos"].array?.count == 200)
  }
}
#endif
