import ScriptValue
import Testing

/// The changes between two lists of rows, as a table takes them.
struct RowChangesTests {
  private static func row(_ id: Value, _ n: Int = 0, key: String = "id") -> Value {
    .object(Value.Object([(key, id), ("n", .integer(Int64(n)))]))
  }

  private static func list(_ ids: some Sequence<Int>) -> Value.List {
    Value.List(ids.map { row(.integer(Int64($0))) })
  }

  /// A table with rows in an order, on which changes are made one by one.
  private static func made(_ changes: RowChanges, of old: Value.List, id: String) throws -> [Value]
  {
    var rows = old.map { (id: $0[id], value: $0) }
    for id in changes.removed {
      rows.remove(at: try #require(rows.firstIndex { $0.id == id }))
    }
    for row in changes.updated {
      rows[try #require(rows.firstIndex { $0.id == row.id })].value = row.value
    }
    for run in changes.runs {
      let previous = try run.previous.map { id in try #require(rows.firstIndex { $0.id == id }) }
      let index = previous.map { $0 + 1 } ?? 0
      let next = try run.next.map { id in try #require(rows.firstIndex { $0.id == id }) }
      #expect(index == next ?? rows.count)
      rows.insert(contentsOf: run.rows.map { ($0.id, $0.value) }, at: index)
    }
    return rows.map(\.value)
  }

  private static func changes(
    _ old: Value.List, _ new: Value.List, id: String = "id"
  ) throws -> RowChanges {
    let changes = try RowChanges(from: old, to: new, id: id)
    #expect(try made(changes, of: old, id: id) == Array(new))
    return changes
  }

  @Test func aChangedRowOfManyIsOneUpdate() throws {
    let old = Self.list(0..<10_000)
    var new = old
    new[5000] = Self.row(5000, 1)
    let changes = try Self.changes(old, new)
    #expect(changes.updated.map(\.id) == [5000])
    #expect(changes.removed.isEmpty && changes.runs.isEmpty)
  }

  @Test func insertedRowsKnowTheirNeighbours() throws {
    let old = Self.list([1, 2, 3])
    let changes = try Self.changes(old, Self.list([0, 1, 7, 8, 2, 3, 9]))
    #expect(changes.runs.map { $0.rows.map(\.id) } == [[0], [7, 8], [9]])
    #expect(changes.runs.map(\.previous) == [nil, 1, 3])
    #expect(changes.runs.map(\.next) == [1, 2, nil])
    #expect(changes.removed.isEmpty && changes.updated.isEmpty)
  }

  @Test func aRowThatMovesIsRemovedAndInserted() throws {
    let changes = try Self.changes(Self.list([1, 2, 3, 4]), Self.list([4, 1, 2, 3]))
    #expect(changes.removed == [4])
    #expect(changes.runs.map { $0.rows.map(\.id) } == [[4]])
  }

  @Test func aRowThatGetsAnotherIDIsAnotherRow() throws {
    let changes = try Self.changes(Self.list([1, 2, 3]), Self.list([1, 7, 3]))
    #expect(changes.removed == [2])
    #expect(changes.runs.map { $0.rows.map(\.id) } == [[7]])
  }

  @Test func theIDMayBeAnotherField() throws {
    let old = Value.List(["a", "b"].map { Self.row(.string($0), key: "key") })
    var new = old
    new[1] = Self.row("b", 5, key: "key")
    let changes = try Self.changes(old, new, id: "key")
    #expect(changes.updated.map(\.id) == ["b"])
    #expect(changes.runs.isEmpty)
  }

  @Test func equalListsHaveNoChanges() throws {
    #expect(try Self.changes(Self.list([1, 2]), Self.list([1, 2])).isEmpty)
    #expect(try Self.changes([], []).isEmpty)
  }

  @Test(arguments: [1, ["n": 1], ["id": true], ["id": [1]], ["id": .null]] as [Value])
  func aRowWithoutAnIDIsRefused(row: Value) {
    let error = #expect(throws: RowChanges.Failure.self) {
      try RowChanges(from: Self.list([1]), to: Self.list([1]) + [row], id: "id")
    }
    #expect(error?.message == "row 2 is no table whose 'id' is a string or a number")
  }

  @Test func anIDWithAZeroByteIsRefused() {
    let error = #expect(throws: RowChanges.Failure.self) {
      try RowChanges(from: [], to: [Self.row("a"), Self.row("a\0b")], id: "id")
    }
    #expect(error?.message == "the 'id' of row 2 has a zero byte in it")
  }

  @Test(arguments: 0..<200)
  func anyChangeLeadsToTheNewList(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let old = Self.list(0..<Int.random(in: 0...40, using: &random))
    var new = old
    for number in 0..<Int.random(in: 0...8, using: &random) {
      let at = Int.random(in: 0...new.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: new.insert(Self.row(.integer(Int64(100 + number))), at: at)
      case 1 where at < new.count: new.remove(at: at)
      case 2 where at < new.count: new[at] = Self.row(new[at]["id"], number + 1)
      case 3 where at < new.count:
        let row = new.remove(at: at)
        new.insert(row, at: Int.random(in: 0...new.count, using: &random))
      default: new = Value.List(new.shuffled(using: &random))
      }
    }
    _ = try Self.changes(old, new)
  }
}
