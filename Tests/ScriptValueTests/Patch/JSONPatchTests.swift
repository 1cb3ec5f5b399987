import ScriptValue
import Testing

@Suite struct JSONPatchDiffTests {
  private func diff(_ old: Value, _ new: Value) -> String {
    JSONPatch.diff(from: old, to: new).json()
  }

  private let rows: Value = .array(
    Value.List((0..<100).map { ["id": .integer($0), "title": "row \($0)", "done": false] }))

  @Test func valuesOfTheSameJSONDoNotDiffer() {
    #expect(diff(1.5, 1.5) == "[]")
    #expect(diff([:], [:]) == "[]")
    #expect(diff(["a": 1, "b": [1]], ["a": 1, "b": [1]]) == "[]")
  }

  /// Lua does not tell them apart, but other readers of the patch do.
  @Test func valuesThatAreOnlyEqualInLuaDiffer() {
    #expect(diff(1, 1.0) == #"[{"op":"replace","path":"","value":1.0}]"#)
    #expect(diff([], [:]) == #"[{"op":"replace","path":"","value":{}}]"#)
    #expect(
      diff(["rows": [["id": 1, "map": []]]], ["rows": [["id": 1, "map": [:]]]])
        == #"[{"op":"replace","path":"/rows/0/map","value":{}}]"#)
    var (old, new) = (Value.Object(), Value.Object())
    for index in 0..<100 {
      old["k\(index)"] = []
      new["k\(index)"] = index == 50 ? [:] : []
    }
    #expect(
      diff(.object(old), .object(new)) == #"[{"op":"replace","path":"/k50","value":{}}]"#)
    #expect(JSONPatch.luaDiff(from: ["a": [], "b": 1], to: ["a": [:], "b": 1.0]).isEmpty)
  }

  @Test func membersAreAddedReplacedAndRemoved() {
    #expect(
      diff(["a": 1, "b": 2, "c": ["d": 3]], ["b": 4, "c": ["d": 3, "e/f~": nil]])
        == #"[{"op":"remove","path":"/a"},{"op":"replace","path":"/b","value":4},"#
        + #"{"op":"add","path":"/c/e~1f~0","value":null}]"#)
  }

  /// Keys are added at the end, for every reader of the patch.
  @Test func aKeyThatMovesIsRemovedAndAdded() throws {
    let old: Value = ["a": 1, "b": [1], "c": 2]
    #expect(
      diff(old, ["b": [1], "c": 2, "a": 1])
        == #"[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":1}]"#)
    #expect(
      diff(old, ["a": 3, "x": 0, "c": 2])
        == #"[{"op":"replace","path":"/a","value":3},{"op":"remove","path":"/b"},"#
        + #"{"op":"remove","path":"/c"},{"op":"add","path":"/x","value":0},"#
        + #"{"op":"add","path":"/c","value":2}]"#)
    #expect(
      diff(
        ["rows": [["id": 1, "x": 2], [["y": 3, "z": 4]]]],
        ["rows": [["x": 2, "id": 1], [["z": 4, "y": 3]]]])
        == #"[{"op":"remove","path":"/rows/0/id"},{"op":"add","path":"/rows/0/id","value":1},"#
        + #"{"op":"remove","path":"/rows/1/0/y"},{"op":"add","path":"/rows/1/0/y","value":3}]"#)
    #expect(JSONPatch.luaDiff(from: ["a": 1, "b": 2], to: ["b": 2, "a": 1]).isEmpty)
  }

  @Test func onlyTheKeyThatMovesInAnObjectOfManyKeysIsAdded() throws {
    var old = Value.Object()
    for index in 0..<100 { old["k\(index)"] = .integer(Int64(index)) }
    var new = old
    for key in ["k3", "k70"] { new[key] = new.removeValue(forKey: key) }
    let patch = JSONPatch.diff(from: .object(old), to: .object(new))
    #expect(patch.operations.map(\.name) == ["remove", "remove", "add", "add"])
    #expect(try patch.apply(to: .object(old)).json() == Value.object(new).json())
    let back = JSONPatch.diff(from: .object(new), to: .object(old))
    #expect(try back.apply(to: .object(new)).json() == Value.object(old).json())
    // So many removals give the other keys other positions, and they have not moved.
    var few = old
    for index in 0..<60 { few["k\(index)"] = nil }
    let removals = JSONPatch.diff(from: .object(old), to: .object(few))
    #expect(removals.operations.count == 60)
    #expect(try removals.apply(to: .object(old)).json() == Value.object(few).json())
  }

  @Test func aWholeValueIsReplacedWhenItsKindChanges() {
    #expect(diff(1, "1") == #"[{"op":"replace","path":"","value":"1"}]"#)
    #expect(diff(["a": [1]], ["a": ["b": 1]]) == #"[{"op":"replace","path":"/a","value":{"b":1}}]"#)
  }

  @Test func oneChangeInAListIsOneOperation() {
    var new = rows
    new[40]["done"] = true
    #expect(diff(rows, new) == #"[{"op":"replace","path":"/40/done","value":true}]"#)

    guard case .array(var list) = rows else { return }
    list.remove(at: 50)
    #expect(diff(rows, .array(list)) == #"[{"op":"remove","path":"/50"}]"#)
    #expect(
      diff(.array(list), rows)
        == #"[{"op":"add","path":"/50","value":{"id":50,"title":"row 50","done":false}}]"#)
    list.append(7)
    #expect(
      diff(rows, .array(list))
        == #"[{"op":"remove","path":"/50"},{"op":"add","path":"/99","value":7}]"#)
  }

  @Test func severalRowsThatGoAreSeveralRemovals() throws {
    guard case .array(var list) = rows else { return }
    for index in [90, 60, 59, 58, 20, 3] { list.remove(at: index) }
    list[5]["done"] = true
    let patch = JSONPatch.diff(from: rows, to: .array(list))
    #expect(patch.operations.count == 7)
    #expect(try patch.apply(to: rows) == .array(list))
  }

  @Test func aRowWithoutAnIdIsMissedAtOnce() throws {
    let old = try Value(json: #"[{"n":1},{"n":2},{"n":3},{"n":4},{"n":9}]"#)
    let new = try Value(json: #"[{"n":1},{"n":3},{"n":4},{"n":10}]"#)
    #expect(
      diff(old, new)
        == #"[{"op":"remove","path":"/1"},{"op":"replace","path":"/3/n","value":10}]"#)
  }

  @Test func rowsThatCameFromElsewhereAreKnownByTheirId() throws {
    var list = Value.List()
    for index in (0..<100).reversed() where index % 10 != 0 {
      list.append(["id": .integer(Int64(index)), "title": "row \(index)", "done": false])
    }
    list.reverse()
    let patch = JSONPatch.diff(from: rows, to: .array(list))
    #expect(patch.operations.count == 10)
    #expect(patch.operations.allSatisfy { $0.name == "remove" })
    #expect(try patch.apply(to: rows) == .array(list))
  }

  @Test func aRowThatMovedIsNotRewritten() throws {
    guard case .array(var list) = rows else { return }
    list.insert(list.remove(at: 80), at: 10)
    let patch = JSONPatch.diff(from: rows, to: .array(list))
    #expect(patch.operations.map(\.name) == ["add", "remove"])
    #expect(try patch.apply(to: rows) == .array(list))
  }

  @Test func listsThatFillAndEmpty() {
    #expect(diff(["a": []], ["a": [1]]) == #"[{"op":"add","path":"/a/0","value":1}]"#)
    #expect(diff(["a": []], ["a": [1, 2]]) == #"[{"op":"replace","path":"/a","value":[1,2]}]"#)
    #expect(diff(["a": [1]], ["a": []]) == #"[{"op":"remove","path":"/a/0"}]"#)
    #expect(diff(["a": [1, 2]], ["a": []]) == #"[{"op":"replace","path":"/a","value":[]}]"#)
    #expect(diff(["a": [1]], ["a": [:]]) == #"[{"op":"replace","path":"/a","value":{}}]"#)
    #expect(diff([:], ["a": 1]) == #"[{"op":"add","path":"/a","value":1}]"#)
    #expect(diff([], ["a": 1]) == #"[{"op":"replace","path":"","value":{"a":1}}]"#)
    #expect(diff(["a": 1], [:]) == #"[{"op":"remove","path":"/a"}]"#)
  }

  @Test func objectsOfManyKeysDifferWhereTheyDiffer() throws {
    var old = Value.Object()
    for index in 0..<500 { old["k\(index)"] = .integer(Int64(index)) }
    var new = old
    new["k77"] = "x"
    new["k200"] = nil
    new["new"] = true
    #expect(
      diff(.object(old), .object(new))
        == #"[{"op":"replace","path":"/k77","value":"x"},{"op":"remove","path":"/k200"},"#
        + #"{"op":"add","path":"/new","value":true}]"#)
    for index in 0..<480 { new["k\(index)"] = nil }
    let patch = JSONPatch.diff(from: .object(old), to: .object(new))
    #expect(try patch.apply(to: .object(old)) == .object(new))
  }

  /// Random trees, and random edits of them that share nodes with what they come from. Their texts are
  /// compared, which have the order of keys.
  @Test(arguments: 0..<40 as Range<UInt64>) func applyingADifferenceGivesTheNewValue(seed: UInt64)
    throws
  {
    var random = SplitMix(seed: seed)
    for _ in 0..<25 {
      let old = RandomTree.value(&random, depth: 3)
      let unrelated = RandomTree.value(&random, depth: 3)
      #expect(
        try JSONPatch.diff(from: old, to: unrelated).apply(to: old).json() == unrelated.json())
      var edited = old
      for _ in 0..<Int.random(in: 1...6, using: &random) { RandomTree.edit(&edited, &random) }
      let patch = JSONPatch.diff(from: old, to: edited)
      #expect(try patch.apply(to: old).json() == edited.json())
      #expect(patch.isEmpty == (old.json() == edited.json()))
      #expect(JSONPatch.luaDiff(from: old, to: edited).isEmpty == (old == edited))
      #expect(try JSONPatch(json: patch.json()) == patch)
      #expect(try JSONPatch(patch.document) == patch)
      // The patch also works for a reader that knows the old value as text only.
      let copy = try Value(json: old.json())
      #expect(try JSONPatch(json: patch.json()).apply(to: copy).json() == edited.json())
    }
  }
}

@Suite struct JSONPatchApplyTests {
  private func apply(_ patch: String, to document: String) throws -> String {
    try JSONPatch(json: patch).apply(to: Value(json: document)).json()
  }

  /// Appendix A of RFC 6902 and its corners.
  @Test(arguments: [
    (
      #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#,
      #"{"foo":"bar","baz":"qux"}"#
    ),
    (
      #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
      #"{"foo":["bar","qux","baz"]}"#
    ),
    (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
    (
      #"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#,
      #"{"foo":["bar","baz"]}"#
    ),
    (#"{"baz":"qux"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#, #"{"baz":"boo"}"#),
    (
      #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
      #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
      #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
    ),
    (
      #"{"foo":["all","grass","cows","eat"]}"#, #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
      #"{"foo":["all","cows","eat","grass"]}"#
    ),
    (
      #"{"baz":"qux","foo":["a",2,"c"]}"#,
      #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
      #"{"baz":"qux","foo":["a",2,"c"]}"#
    ),
    (
      #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
      #"{"foo":"bar","child":{"grandchild":{}}}"#
    ),
    (
      #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
      #"{"foo":"bar","baz":"qux"}"#
    ),
    (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#),
    (
      #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
      #"{"foo":["bar",["abc","def"]]}"#
    ),
    (#"{"a":1}"#, #"[{"op":"replace","path":"","value":[2]}]"#, "[2]"),
    (#"{"a":1}"#, #"[{"op":"add","path":"","value":null}]"#, "null"),
    (#"{"a":{"b":1}}"#, #"[{"op":"copy","from":"/a","path":"/c"}]"#, #"{"a":{"b":1},"c":{"b":1}}"#),
    (
      #"{"a":null}"#, #"[{"op":"test","path":"/a","value":null},{"op":"remove","path":"/a"}]"#, "{}"
    ),
    (#"{}"#, #"[{"op":"add","path":"/","value":1}]"#, #"{"":1}"#),
    (#"{}"#, #"[{"op":"add","path":"/0","value":1}]"#, #"{"0":1}"#),
    (#"[]"#, #"[{"op":"add","path":"/0","value":1}]"#, "[1]"),
    (#"[1]"#, #"[{"op":"test","path":"/0","value":1.0}]"#, "[1]"),
  ])
  func operationsDoWhatTheStandardSays(document: String, patch: String, result: String) throws {
    #expect(try apply(patch, to: document) == result)
  }

  @Test(arguments: [
    (#"{"a":1}"#, #"[{"op":"remove","path":"/b"}]"#, "operation 0: there is nothing at \"/b\""),
    (
      #"{"a":1}"#, #"[{"op":"replace","path":"/b/c","value":1}]"#,
      "operation 0: there is nothing at \"/b\""
    ),
    (
      #"{"a":1}"#, #"[{"op":"add","path":"/a/b","value":1}]"#,
      "operation 0: \"/a/b\" is not inside an array or object"
    ),
    (
      #"[1]"#, #"[{"op":"add","path":"/2","value":1}]"#,
      "operation 0: \"/2\" is beyond the end of the array of 1"
    ),
    (
      #"[1]"#, #"[{"op":"add","path":"/01","value":1}]"#,
      "operation 0: \"/01\" does not end in an index of the array"
    ),
    (#"[1]"#, #"[{"op":"remove","path":"/-"}]"#, "operation 0: there is nothing at \"/-\""),
    (
      #"[1]"#, #"[{"op":"remove","path":"/99999999999999999999"}]"#,
      "operation 0: there is nothing at \"/99999999999999999999\""
    ),
    (
      #"{"a":1}"#, #"[{"op":"add","path":"/b","value":1},{"op":"test","path":"/a","value":2}]"#,
      "operation 1: test failed: \"/a\" is not what was expected"
    ),
    (
      #"{"a":{"b":1}}"#, #"[{"op":"move","from":"/a","path":"/a/b"}]"#,
      "operation 0: cannot move \"/a\" to \"/a/b\", which lies inside it"
    ),
    ("1", #"[{"op":"spam","path":""}]"#, "operation 0: \"spam\" is not an operation of RFC 6902"),
    ("1", #"[{"path":""}]"#, "operation 0: \"op\" is missing or not a string"),
    ("1", #"[{"op":"add","path":"a","value":1}]"#, "operation 0: \"a\" is not a JSON Pointer"),
    ("1", #"[{"op":"add","path":""}]"#, "operation 0: \"value\" is missing"),
    ("1", #"[{"op":"move","path":""}]"#, "operation 0: \"from\" is missing or not a string"),
    ("1", #"[1]"#, "operation 0: not an object"),
    ("1", #"{"op":"add"}"#, "a patch is an array of operations"),
  ])
  func whatCannotBeAppliedIsRefused(document: String, patch: String, message: String) throws {
    let error = try #require(throws: JSONPatchError.self) { try apply(patch, to: document) }
    #expect(error.description == message)
  }

  @Test func aValueMovesBelowAKeyOfAnotherUnicodeForm() throws {
    let document: Value = ["\u{E9}": 1, "e\u{301}": [:]]
    let (from, to) = (JSONPointer(tokens: ["\u{E9}"]), JSONPointer(tokens: ["e\u{301}", "x"]))
    let moved = try JSONPatch([.move(from: from, to: to)]).apply(to: document)
    #expect(moved == ["e\u{301}": ["x": 1]])
  }

  @Test func aPatchCannotNestTooDeep() throws {
    let deep = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    let value = try Value(json: deep)
    let replace = JSONPatch([.replace(JSONPointer(), value)])
    #expect(try replace.apply(to: 1) == value)
    #expect(replace.json() == "[{\"op\":\"replace\",\"path\":\"\",\"value\":\(deep)}]")
    #expect(throws: JSONPatchError.self) { try replace.document }
    let add = JSONPatch([.add(JSONPointer(tokens: ["a"]), value)])
    #expect(throws: JSONPatchError.self) { try add.apply(to: [:]) }
    let copy = JSONPatch([.copy(from: JSONPointer(), to: JSONPointer(tokens: ["0"]))])
    #expect(throws: JSONPatchError.self) { try copy.apply(to: value) }
  }

  @Test func pointersAreReadAndWritten() {
    #expect(JSONPointer("")?.tokens == [])
    #expect(JSONPointer("/")?.tokens == [""])
    #expect(JSONPointer("/a~1b/m~0n/~01//0")?.tokens == ["a/b", "m~n", "~1", "", "0"])
    #expect(JSONPointer(tokens: ["a/b", "m~n", "~1"]).description == "/a~1b/m~0n/~01")
    #expect(JSONPointer("a") == nil)
    #expect(JSONPointer("/a~2") == nil)
    #expect(JSONPointer("/a~") == nil)
  }
}
