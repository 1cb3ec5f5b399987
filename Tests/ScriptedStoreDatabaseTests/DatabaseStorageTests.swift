#if Database
import Foundation
import Platform
import ScriptedStore
import ScriptedStoreDatabase
import Testing

/// Shared values in the tables of an SQLite file: what is read and written.
struct DatabaseStorageTests {
  static let app = """
    local todos = shared.database("todos", {})
    local tags = shared.database("tags", { { id = "home" } }, { version = 2 })
    return scripted.feature {
      state = {}, shared = { todos = todos, tags = tags, status = todos:status() },
      on = {
        add = function(state, action) list.insert(state.todos, { id = action.id, isDone = false }, action.at) end,
        toggle = function(state, action)
          local todo = list.find(state.todos, action.id)
          todo.isDone = not todo.isDone
        end,
        remove = function(state, action) list.remove(state.todos, action.id) end,
        move = function(state, action) list.move(state.todos, { action.from }, action.to) end,
        set = function(state, action) state.todos = action.rows end,
        both = function(state, action)
          list.insert(state.todos, { id = action.id, isDone = false })
          list.insert(state.tags, { id = action.tag or "tag" .. action.id })
        end,
        fill = function(state, action)
          local rows = {}
          for id = 1, action.count do rows[id] = { id = id, isDone = false } end
          state.todos = rows
        end,
      },
    }
    """

  private let databases: Databases

  init() throws { databases = try Databases(app: Self.app) }

  private func permissions(_ name: String) -> Int? {
    let path = "\(databases.stored)/\(name)"
    return (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
  }

  @Test func nothingIsWrittenBeforeSomethingChanges() throws {
    let host = try databases.host()
    let store = try host.store("app")
    #expect(store.state["tags"] == [["id": "home"]])
    #expect(try FileManager.default.contentsOfDirectory(atPath: databases.stored) == [])
    try store.send("add", ["id": 1])
    #expect(
      try databases.sql("SELECT id, json ->> 'id', json ->> 'isDone' FROM todos") == [
        ["1", "1", "0"]
      ])
    // A default is written with the first change.
    #expect(try databases.sql("SELECT name FROM sqlite_master WHERE type = 'table'") == [["todos"]])
    try store.send("both", ["id": 2])
    #expect(try databases.ids("tags") == ["home", "tag2"])
    #expect(try databases.sql("SELECT name, version FROM \"$version\"") == [["tags", "2"]])
  }

  @Test func theNextHostGoesOnWithTheRows() throws {
    do {
      let store = try databases.host().store("app")
      for id in ["b", "c", "a"] { try store.send("add", ["id": .string(id), "at": 1]) }
      try store.send("toggle", ["id": "c"])
      try store.send("both", ["id": 7])
    }
    let state = try databases.host().store("app").state
    #expect(
      state["todos"] == [
        ["id": "a", "isDone": false], ["id": "c", "isDone": true], ["id": "b", "isDone": false],
        ["id": 7, "isDone": false],
      ])
    #expect(state["tags"] == [["id": "home"], ["id": "tag7"]])
    // The log went when the host closed the file.
    #expect(try FileManager.default.contentsOfDirectory(atPath: databases.stored) == ["app.db"])
    #expect(permissions("app.db") == 0o600)
  }

  @Test func filesAreForTheirOwnerAlone() throws {
    let store = try databases.host().store("app")
    try store.send("add", ["id": 1])
    #expect(permissions("app.db-wal") == 0o600)
    #expect(permissions("app.db-shm") == 0o600)
  }

  @Test func rowsAreInsertedMovedChangedAndRemoved() throws {
    let store = try databases.host().store("app")
    for id in 1...5 { try store.send("add", ["id": .integer(Int64(id))]) }
    try store.send("move", ["from": 5, "to": 2])
    #expect(try databases.ids() == ["1", "5", "2", "3", "4"])
    try store.send("remove", ["id": 3])
    try store.send("add", ["id": 6, "at": 1])
    try store.send("add", ["id": 7, "at": 3])
    #expect(try databases.ids() == ["6", "1", "7", "5", "2", "4"])
    try store.send(
      "set", ["rows": [["id": 4, "isDone": true], ["id": 8], ["id": 1, "isDone": false]]])
    #expect(try databases.ids() == ["4", "8", "1"])
    #expect(store.state["status"] == ["isLoading": false])
    try store.send("set", ["rows": []])
    #expect(try databases.ids() == [])
    #expect(try databases.host().store("app").state["todos"] == [])
  }

  /// SQLite would take the id for its first part.
  @Test func aRowWhoseIDHasAZeroByteIsRefusedAndTheOthersAreStored() throws {
    let store = try databases.host().store("app")
    try store.send("add", ["id": "a"])
    try store.send("add", ["id": "a\0b"])
    #expect(store.state["status"]["saveError"]["code"] == "invalid")
    #expect(
      store.state["status"]["saveError"]["message"] == "the 'id' of row 2 has a zero byte in it")
    try store.send("both", ["id": "b"])
    #expect(try databases.ids("tags") == ["home", "tagb"])
    try store.send("remove", ["id": "a\0b"])
    #expect(store.state["status"] == ["isLoading": false])
    #expect(try databases.ids() == ["a", "b"])
  }

  @Test func togglingOneOfManyRowsIsOneUpdate() throws {
    let store = try databases.host().store("app")
    try store.send("fill", ["count": 100_000])
    _ = databases.takeStatements()
    try store.send("toggle", ["id": 50_000])
    let statements = databases.takeStatements()
      .filter { !$0.hasPrefix("PRAGMA data_version") }
    #expect(statements.map { $0.prefix(6) } == ["BEGIN ", "UPDATE", "COMMIT"])
    #expect(try databases.sql("SELECT id FROM todos WHERE json ->> 'isDone'") == [["50000"]])
  }

  @Test func anActionIsOneTransactionForAllTables() throws {
    let store = try databases.host().store("app")
    try store.send("both", ["id": 1])
    _ = databases.takeStatements()
    try store.send("both", ["id": 2])
    let statements = databases.takeStatements()
      .filter { $0.hasPrefix("BEGIN") || $0.hasPrefix("INSERT") }
    #expect(statements.map { $0.prefix(6) } == ["BEGIN ", "INSERT", "INSERT"])
    // The second table refuses its row, so the first one has none either.
    try store.send("both", ["id": 3, "tag": "home"])
    #expect(try databases.ids("todos") == ["1", "2"])
    #expect(try databases.ids("tags") == ["home", "tag1", "tag2"])
    #expect(store.state["todos"].array?.count == 3)
  }

  @Test func rowsThatGoIntoOneGapAreInOrder() throws {
    let store = try databases.host().store("app")
    try store.send("fill", ["count": 10])
    // A float has no more than 53 halves.
    for id in 100..<300 { try store.send("add", ["id": .integer(Int64(id)), "at": 6]) }
    #expect(store.state["status"] == ["isLoading": false])
    #expect(try databases.ids() == store.state["todos"].array?.map { "\($0["id"])" })
    #expect(databases.takeStatements().contains { $0.contains("row_number") })
  }

  @Test func theDiskIsFlushedForPowerOnly() throws {
    let store = try databases.host().store("app")
    try store.send("add", ["id": 1])
    #expect(!databases.takeStatements().contains("PRAGMA synchronous = FULL"))
    try databases.write(
      app: Self.app.replacingOccurrences(
        of: #"shared.database("todos", {})"#,
        with: #"shared.database("todos", {}, { durability = "power" })"#))
    try databases.host().store("app").send("add", ["id": 2])
    #expect(databases.takeStatements().contains("PRAGMA synchronous = FULL"))
    #expect(try databases.ids() == ["1", "2"])
  }

  @Test func keysMayHaveFilesAndIDsOfTheirOwn() throws {
    let databases = try Databases(
      app: """
        local people = shared.database("people", {}, { file = "a/people.sqlite", id = "name" })
        return scripted.feature {
          state = {}, shared = { people = people },
          on = { add = function(state, action) table.insert(state.people, { name = action.name, age = 1 }) end,
            older = function(state) state.people[1].age = state.people[1].age + 1 end },
        }
        """)
    do {
      let store = try databases.host().store("app")
      try store.send("add", ["name": "Ann"])
      store.send("older")
    }
    #expect(
      try databases.sql("SELECT id, json ->> 'age' FROM people", file: "a/people.sqlite")
        == [["Ann", "2"]])
    #expect(try databases.host().store("app").state["people"][0]["age"] == 2)
  }
}
#endif
