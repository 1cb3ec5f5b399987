import LuaBridge
import ScriptedStore
import Testing

/// The Todos example of the repository, through a store.
struct TodosTests {
  /// Todos `1` to `count` in this order; those in `complete` are.
  private func session(
    _ count: Int, complete: Set<Int> = [], filter: String = "all"
  ) throws -> Example {
    let todos = (1...count).map { id -> Value in
      [
        "id": .integer(Int64(id)), "description": .string("t\(id)"),
        "isComplete": .boolean(complete.contains(id)),
      ]
    }
    return try Example(
      "todos",
      state: [
        "todos": .array(Value.List(todos)), "nextId": .integer(Int64(count + 1)),
        "filter": .string(filter),
      ])
  }

  @Test func itBeginsEmpty() throws {
    #expect(
      try Example("todos").store.state
        == ["filter": "all", "isEditing": false, "nextId": 1, "todos": []])
  }

  @Test func aNewTodoComesFirst() throws {
    let session = try Example("todos")
    session.store.send("addTodoButtonTapped")
    session.store.send("addTodoButtonTapped")
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

  @Test func completedTodosSortLastASecondAfterTheLastOfThem() throws {
    let session = try session(3)
    session.store.send("todos[1].toggle")
    session.clock.advance(by: .seconds(0.6))
    session.store.send("todos[2].toggle")
    session.clock.advance(by: .seconds(0.9))
    #expect(session.rows == ["1 t1 x", "2 t2 x", "3 t3"])
    session.clock.advance(by: .seconds(0.1))
    #expect(session.rows == ["3 t3", "1 t1 x", "2 t2 x"])
    #expect(
      session.actions.all == [
        "input todos[1].toggle", "input todos[2].toggle", "effect sortCompletedTodos",
      ])
    #expect(session.store.effects.isEmpty)
  }

  @Test func completingATodoWaitsForTheSort() async throws {
    let session = try session(2)
    let task = session.store.send("todos[1].toggle")
    #expect(session.store.effects.map(\.feature) == ["Todos"])
    session.clock.advance(by: .seconds(1))
    await task.finish()
    #expect(session.rows == ["2 t2", "1 t1 x"])
  }

  @Test func aSortIsCalledOff() throws {
    let session = try session(2)
    let task = session.store.send("todos[1].toggle")
    task.cancel()
    session.clock.advance(by: .seconds(5))
    #expect(session.rows == ["1 t1 x", "2 t2"])
    #expect(session.isWell, "\(session.complaints)")
  }

  @Test func theSortBringsItsAnimation() throws {
    let session = try session(2)
    let transactions = Recorder<Value?>()
    let observation = session.store.onAction { transactions.record($0.transaction) }
    session.store.send("todos[1].toggle")
    session.clock.advance(by: .seconds(1))
    observation.cancel()
    #expect(transactions.all.count == 2)
    #expect(transactions.all.first == .some(nil))
    #expect(transactions.all.last??.json().contains("default") == true)
  }

  @Test func whatWasMovedSortsAMomentLater() throws {
    let session = try session(3, complete: [3])
    try session.store.send("move", ["rows": [3], "to": 1])
    #expect(session.rows == ["3 t3 x", "1 t1", "2 t2"])
    session.clock.advance(by: .seconds(0.1))
    #expect(session.rows == ["1 t1", "2 t2", "3 t3 x"])
  }

  @Test func completedTodosAreCleared() throws {
    let session = try session(5, complete: [1, 3, 5])
    session.store.send("clearCompletedButtonTapped")
    #expect(session.rows == ["2 t2", "4 t4"])
    session.store.send("clearCompletedButtonTapped")
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
    session.clock.advance(by: .seconds(0.1))
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
    session.store.send("todos[7].toggle")
    #expect(session.warnings.all.map(\.kind) == [.missingElement])
    #expect(session.warnings.all.first?.origin.hasPrefix("forEach at todos.lua:") == true)
    #expect(session.errors.count == 0)
  }

  @Test func theExampleSessionRunsWithoutAWord() throws {
    let session = try Example("todos")
    #expect(try session.play("todos") > 30)
    #expect(session.isWell, "\(session.complaints)")
    #expect(session.store.effects.isEmpty)
    #expect(session.store.state["filter"] == "all")
    #expect(session.rows == ["8 Bake bread", "1 Buy milk"])
  }

  @Test func aThousandTodos() throws {
    let session = try session(1000)
    for id in stride(from: 1, through: 1000, by: 10) {
      try session.store.send("todos[\(id)].toggle")
    }
    session.clock.advance(by: .seconds(1))
    #expect(session.rows.suffix(100).allSatisfy { $0.hasSuffix(" x") })
    session.store.send("clearCompletedButtonTapped")
    #expect(session.rows.count == 900)
    #expect(session.errors.count == 0 && session.warnings.count == 0)
  }
}

extension Example {
  /// The todos as `1 Milk` or, when complete, `1 Milk x`.
  fileprivate var rows: [String] {
    (store.state["todos"].array ?? []).map { todo in
      "\(todo["id"]) \(todo["description"].string ?? "?")\(todo["isComplete"] == true ? " x" : "")"
    }
  }
}
