import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// The Todos example of the repository, through a store.
struct TodosTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("scripts").path

  private final class Session {
    let store: Store
    let warnings = Recorder<RuntimeWarning>()
    let errors = Recorder<ScriptError>()

    init(_ state: Value? = nil) throws {
      let (warnings, errors) = (warnings, errors)
      let host = try ScriptHost(
        root: TodosTests.folder,
        configuration: .init(
          onWarning: { warnings.record($0) }, onError: { error, _ in errors.record(error) }))
      store = try host.store("todos", state: state)
    }

    /// The rows as `1 Milk` or, when complete, `1 Milk x`.
    var rows: [String] {
      (store.state["todos"].array ?? []).map { todo in
        "\(todo["id"]) \(todo["description"].string ?? "?")\(todo["isComplete"] == true ? " x" : "")"
      }
    }
  }

  /// Todos `1` to `count` in this order; those in `complete` are.
  private func session(
    _ count: Int, complete: Set<Int> = [], filter: String = "all"
  ) throws -> Session {
    let todos = (1...count).map { id -> Value in
      [
        "id": .integer(Int64(id)), "description": .string("t\(id)"),
        "isComplete": .boolean(complete.contains(id)),
      ]
    }
    return try Session([
      "todos": .array(Value.List(todos)), "nextId": .integer(Int64(count + 1)),
      "filter": .string(filter),
    ])
  }

  @Test func itBeginsEmpty() throws {
    #expect(try Session().store.state == ["filter": "all", "nextId": 1, "todos": []])
  }

  @Test func aNewTodoComesFirst() throws {
    let session = try Session()
    try session.store.send("addTodoButtonTapped")
    try session.store.send("addTodoButtonTapped")
    #expect(
      session.store.state["todos"] == [
        ["id": 2, "description": "", "isComplete": false],
        ["id": 1, "description": "", "isComplete": false],
      ])
    #expect(session.store.state["nextId"] == 3)
  }

  @Test func aTodoIsRenamed() throws {
    let session = try session(2)
    try session.store.send("todos[2].rename", ["description": "Łódź 🚂"])
    #expect(session.rows == ["1 t1", "2 Łódź 🚂"])
  }

  @Test func completedTodosSortLast() throws {
    let session = try session(3)
    let actions = Recorder<String>()
    let observation = session.store.onAction { actions.record("\($0.source) \($0.action)") }
    try session.store.send("todos[1].toggle")
    #expect(session.rows == ["2 t2", "3 t3", "1 t1 x"])
    try session.store.send("todos[2].toggle")
    #expect(session.rows == ["3 t3", "2 t2 x", "1 t1 x"])
    try session.store.send("todos[1].toggle")
    #expect(session.rows == ["3 t3", "1 t1", "2 t2 x"])
    observation.cancel()
    #expect(
      actions.all.prefix(2) == ["input todos[1].toggle", "effect sortCompletedTodos"])
  }

  @Test func completedTodosAreCleared() throws {
    let session = try session(5, complete: [1, 3, 5])
    try session.store.send("clearCompletedButtonTapped")
    #expect(session.rows == ["2 t2", "4 t4"])
    try session.store.send("clearCompletedButtonTapped")
    #expect(session.rows == ["2 t2", "4 t4"])
  }

  @Test(
    arguments: [
      ("all", [1, 2], ["3 t3 x", "4 t4 x"]), ("active", [2], ["1 t1", "3 t3 x", "4 t4 x"]),
      ("completed", [1, 2], ["1 t1", "2 t2"]), ("all", [4, 1], ["2 t2", "3 t3 x"]),
      ("all", [], nil),
    ] as [(String, [Int64], [String]?)])
  func rowsOnTheScreenAreDeleted(_ filter: String, _ rows: [Int64], _ left: [String]?) throws {
    let session = try session(4, complete: [3, 4], filter: filter)
    let before = session.rows
    try session.store.send("delete", ["rows": .array(Value.List(rows.map { .integer($0) }))])
    #expect(session.rows == left ?? before)
    #expect(session.errors.count == 0)
  }

  @Test(
    arguments: [
      ("all", [1], 3, ["2 t2", "1 t1", "3 t3", "4 t4"]),
      ("all", [4], 1, ["4 t4", "1 t1", "2 t2", "3 t3"]),
      ("all", [1, 2], 5, ["3 t3", "4 t4", "1 t1", "2 t2"]),
      ("all", [1], 2, ["1 t1", "2 t2", "3 t3", "4 t4"]),
    ] as [(String, [Int64], Int64, [String])])
  func rowsAreMoved(_ filter: String, _ rows: [Int64], _ to: Int64, _ result: [String]) throws {
    let session = try session(4, filter: filter)
    try session.store.send(
      "move", ["rows": .array(Value.List(rows.map { .integer($0) })), "to": .integer(to)])
    #expect(session.rows == result)
  }

  @Test func aFilterHidesRowsFromDeleteAndMove() throws {
    let session = try session(4, complete: [4], filter: "active")
    try session.store.send("move", ["rows": [1], "to": 4])
    #expect(session.rows == ["2 t2", "3 t3", "1 t1", "4 t4 x"])
    try session.store.send("setFilter", ["filter": "completed"])
    try session.store.send("delete", ["rows": [1]])
    #expect(session.rows == ["2 t2", "3 t3", "1 t1"])
  }

  @Test func aRowThatIsNotShownIsRefusedAndNothingHappens() throws {
    let session = try session(2)
    let before = session.store.state
    try session.store.send("delete", ["rows": [1, 9]])
    try session.store.send("move", ["rows": [3], "to": 1])
    try session.store.send("setFilter", ["filter": "odd"])
    #expect(session.store.state == before)
    #expect(
      session.errors.all.map(\.message) == [
        "there is no row 9, 2 are shown", "there is no row 3, 2 are shown", "unknown filter odd",
      ])
    #expect(session.errors.all.allSatisfy { $0.feature == "Todos" && $0.script == "todos.lua" })
  }

  @Test func aTodoThatIsNotThereWarns() throws {
    let session = try session(1)
    try session.store.send("todos[7].toggle")
    #expect(session.warnings.all.map(\.kind) == [.missingElement])
    #expect(session.warnings.all.first?.origin.hasPrefix("forEach at todos.lua:") == true)
    #expect(session.errors.count == 0)
  }

  @Test func theExampleSessionRunsWithoutAWord() throws {
    let session = try Session()
    let text = try String(
      contentsOfFile: "\(Self.folder)/examples/todos.jsonl", encoding: .utf8)
    var count = 0
    for line in text.split(separator: "\n") {
      let value = try Value(json: line)
      if value["wait"].double != nil { continue }
      try session.store.send(encoding: value)
      count += 1
    }
    #expect(count > 30)
    #expect(session.errors.count == 0 && session.warnings.count == 0, "\(session.errors.all)")
    #expect(session.store.state["filter"] == "all")
    #expect(session.rows == ["2 Call the plumber", "8 Bake bread"])
  }

  @Test func aThousandTodos() throws {
    let session = try session(1000)
    for id in stride(from: 1, through: 1000, by: 10) {
      try session.store.send("todos[\(id)].toggle")
    }
    #expect(session.rows.suffix(100).allSatisfy { $0.hasSuffix(" x") })
    try session.store.send("clearCompletedButtonTapped")
    #expect(session.rows.count == 900)
    #expect(session.errors.count == 0 && session.warnings.count == 0)
  }
}
