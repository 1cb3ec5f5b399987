import ScriptValue
import Testing

/// What has changed in a value, as a tree.
struct ValueChangesTests {
  private let rows: Value = [
    "n": 1, "rows": [["id": 1, "title": "a"], ["id": 2, "title": "b"], ["id": 3, "title": "c"]],
  ]

  private func marks(_ old: Value, _ new: Value, _ paths: ValuePath...) -> [String?] {
    let changes = ValueChanges(from: old, to: new)
    return paths.map { changes[$0].mark?.rawValue }
  }

  @Test func aChangeIsMarkedAndWhatHasItInside() {
    var new = rows
    new["rows"][1]["title"] = "x"
    #expect(
      marks(rows, new, "", "n", "rows", "rows[0]", "rows[1]", "rows[1].title", "rows[1].id")
        == ["inside", nil, "inside", nil, "inside", "changed", nil])
  }

  @Test func rowsKeepTheirMarksWhereOthersCameAndWent() {
    let old = rows
    var list = rows["rows"].array ?? []
    list.remove(at: 0)
    list.insert(["id": 9, "title": "new"], at: 1)
    var new = rows
    new["rows"] = .array(list)
    new["rows"][2]["title"] = "x"
    #expect(
      marks(old, new, "rows", "rows[0]", "rows[1]", "rows[1].title", "rows[2]", "rows[2].title")
        == ["inside", nil, "added", nil, "inside", "changed"])
  }

  @Test func whatWasRemovedMarksWhatHadIt() {
    #expect(
      marks(["a": ["b": 1, "c": 2]], ["a": ["b": 1]], "", "a", "a.b") == ["inside", "inside", nil])
    #expect(marks(rows, rows, "", "rows") == [nil, nil])
    #expect(ValueChanges(from: rows, to: rows) == .none)
  }

  @Test func aValueOfAnotherKindHasChangedAsAWhole() {
    #expect(marks(["a": [1, 2]], ["a": "x"], "", "a") == ["inside", "changed"])
    #expect(marks(["a": 1], ["a": 1, "b": ["c": 1]], "a", "b", "b.c") == [nil, "added", nil])
  }

  @Test func twoUnicodeFormsOfAKeyAreTwoMembers() {
    let old: Value = ["\u{E9}": 1, "e\u{301}": 1]
    let new: Value = ["\u{E9}": 2, "e\u{301}": 1]
    #expect(marks(old, new, "", "\u{E9}", "e\u{301}") == ["inside", "changed", nil])
    #expect(ValueChanges(from: old, to: new).components(in: new).count == 1)
  }

  @Test func changedMembersComeInOrder() {
    var new = rows
    for index in [2, 0] { new["rows"][index]["title"] = "x" }
    let changes = ValueChanges(from: rows, to: new)
    #expect(changes["rows"].components(in: new["rows"]) == [.index(0), .index(2)])
    #expect(changes.components(in: new) == [.key("rows")])
    #expect(changes.components(in: 5) == [])
  }

  @Test func pathsOfPeopleCountFromOne() throws {
    #expect(try ValuePath(lua: "rows[1].title") == "rows[0].title")
    #expect(ValuePath("rows[0].title").luaDescription == "rows[1].title")
    let error = #expect(throws: ValuePathError.self) { try ValuePath(lua: "rows[0]") }
    #expect(error?.description == "rows[0]: indices count from 1, as in Lua")
    #expect(try ValuePath("a[\(Int.max)]").luaDescription.hasPrefix("a["))
  }
}
