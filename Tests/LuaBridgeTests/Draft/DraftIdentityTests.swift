import LuaBridge
import Testing

@Suite struct DraftIdentityTests {
  private let script: DraftScript

  init() throws { script = try DraftScript() }

  @Test func readingTwiceGivesTheSameDraft() throws {
    try script.reduce(
      ["a": ["b": [["c": 1]]], "e": []],
      """
      assert(state.a == state.a and rawequal(state.a.b[1], state.a.b[1]))
      local set = { [state.a.b[1]] = "found" }
      same(set[state.a.b[1]], "found")
      assert(state.a ~= state.a.b)
      assert(state.e == state.e)
      state.a.b[1].c = 2
      same(set[state.a.b[1]], "found")
      collectgarbage("count")
      """)
  }

  @Test func aDraftStaysTheSameAfterAHandlerWasCalledInsideItsOwn() throws {
    // Let go of in the end: a function that keeps its own VM alive keeps it for ever.
    var inner: Handler? = try script.handler("state.n = 1 local x = state.a, state.b")
    let lua = script.lua
    let call = try lua.makeFunction("call") { [unowned lua] _ in
      if let inner { _ = try lua.call(inner, draft: 0, action: .empty(.table), owner: 0) }
      return .values([])
    }
    defer { inner = nil }
    try script.script.environment.set("log", to: .function(call))
    let after = try script.reduce(
      ["a": ["x": 1], "b": []],
      """
      local a = state.a
      local set = { [a] = true, [state] = true }
      log()
      assert(set[state.a] and set[state] and rawequal(a, state.a))
      a.x = state.n + 1
      """)
    #expect(after == ["a": ["x": 2], "b": [], "n": 1])
  }

  @Test func assigningADraftStoresItsValueAndLaterWritesReachOnlyOne() throws {
    let after = try script.reduce(
      ["a": ["n": 1, "list": [1]], "l": [["id": 1]]],
      """
      local a = state.a
      state.b = a
      a.n = 2
      state.b.list[2] = 2
      same(a.n, 2)
      same(#a.list, 1)
      local copy = { a, a }
      a.n = 3
      state.copies = copy
      a.n = 4
      state.copies[1].n = "first"
      table.insert(state.l, state.l[1])
      state.l[2].id = 2
      state.l[3] = state.l
      """)
    #expect(
      after == [
        "a": ["n": 4, "list": [1]], "l": [["id": 1], ["id": 2], [["id": 1], ["id": 2]]],
        "b": ["n": 1, "list": [1, 2]],
        "copies": [["n": "first", "list": [1]], ["n": 3, "list": [1]]],
      ])
  }

  @Test func assigningADraftToItsOwnPlaceChangesNothing() throws {
    let after = try script.reduce(
      ["a": ["n": 1], "l": [["n": 1]]],
      """
      local a, first = state.a, state.l[1]
      state.a = state.a
      state.l[1] = first
      a.n, first.n = 2, 2
      assert(a == state.a and first == state.l[1])
      """)
    #expect(after == ["a": ["n": 2], "l": [["n": 2]]])
  }

  @Test func aDraftFollowsItsElementThroughTheTableLibrary() throws {
    let after = try script.reduce(
      ["l": [["id": 1], ["id": 2], ["id": 3], ["id": 4], ["id": 5]]],
      """
      local l = state.l
      local two, four = l[2], l[4]
      table.insert(l, 1, { id = 0 })
      local zero = l[1]
      two.seen, zero.seen = 1, 1
      same(table.remove(l, 2).id, 1)
      table.sort(l, function(a, b) return a.id > b.id end)
      four.seen = 1
      l[1].first = true
      assert(l[2] == four and l[4] == two)
      table.move(l, 1, 2, 2)
      four.moved = true
      two.id = 22
      scripted.rearrange(l, { l[5], l[4], l[3] })
      zero.last = true
      same(#l, 3)
      """)
    #expect(
      after["l"] == [
        ["id": 0, "seen": 1, "last": true], ["id": 22, "seen": 1],
        ["id": 4, "seen": 1, "moved": true],
      ], "\(after)")
  }

  @Test func removedAndOverwrittenTablesKeepTheirValueAndCanBePutBack() throws {
    let after = try script.reduce(
      [
        "l": [["id": 1, "sub": ["x": 1]], ["id": 2]], "o": ["a": ["n": 1]],
        "gone": ["deep": ["n": 1]],
      ],
      """
      local removed = table.remove(state.l, 1)
      same(removed.sub.x, 1)
      removed.sub.x = 2
      removed.new = { 1 }
      state.back = removed
      removed.sub.x = 3
      local a = state.o.a
      state.o.a = "text"
      a.n = a.n + 1
      table.insert(state.l, a)
      local deep = state.gone.deep
      state.gone = nil
      same(deep.n, 1)
      deep.n = 5
      state.kept = deep
      local second = state.l[1]
      state.l[1] = { id = "new" }
      second.id = 20
      table.insert(state.l, second)
      state.l[1].fresh = true
      """)
    #expect(
      after == [
        "l": [["id": "new", "fresh": true], ["n": 2], ["id": 20]], "o": ["a": "text"],
        "back": ["id": 1, "sub": ["x": 2], "new": [1]], "kept": ["n": 5],
      ], "\(after)")
  }

  @Test func draftsBelowARemovedKeyStayWhereTheyBelong() throws {
    let after = try script.reduce(
      ["a": ["n": 1], "b": ["n": 2], "c": ["n": 3], "d": ["n": 4]],
      """
      local a, c, d = state.a, state.c, state.d
      state.b = nil
      c.n, d.n, a.n = 30, 40, 10
      assert(state.c == c and state.d == d and state.a == a)
      state.b = { n = 20 }
      state.b.n = 21
      state.a = nil
      d.n = 41
      """)
    #expect(after == ["c": ["n": 30], "d": ["n": 41], "b": ["n": 21]])
  }

  @Test func aDraftDiesWithItsHandler() throws {
    try script.script.environment.set("kept", to: false)
    try script.reduce(
      ["list": [1], "o": ["x": ["y": 1]]],
      "kept = { state, state.list, state.o.x, action, action.t }",
      action: ["type": "a", "t": [1]])
    let dead =
      "the draft of Counter state is used after its handler returned; "
      + "copy what you need first, or use scripted.snapshot"
    let deadAction =
      "a value of Counter action is used after its handler returned; "
      + "copy what you need first, or use scripted.snapshot"
    for use in [
      "local x = kept[1].list", "kept[1].a = 1", "local n = #kept[2]",
      "for _ in pairs(kept[1]) do end",
      "for _ in ipairs(kept[2]) do end", "next(kept[3])", "rawget(kept[3], 'y')", "rawlen(kept[2])",
      "rawset(kept[3], 'y', 1)", "table.insert(kept[2], 1)", "table.remove(kept[2])",
      "table.sort(kept[2])", "table.concat(kept[2])", "table.unpack(kept[2])", "state.x = kept[3]",
      "state.x = { kept[3] }", "scripted.replace(kept[1], {})", "scripted.replace(state, kept[1])",
      "scripted.find(kept[2], 1, 'id')", "scripted.rearrange(kept[2], {})", "error(kept[1])",
    ] {
      #expect(try script.message([:], use) == dead, "\(use)")
    }
    #expect(try script.message([:], "local x = kept[4].type") == deadAction)
    #expect(try script.message([:], "state.x = kept[5]") == deadAction)
    #expect(try failure { try script.script.run("local x = kept[1].list") }.message == dead)
    try script.script.run(
      """
      for i = 1, 5 do
        same(type(kept[i]), "table")
        assert(tostring(kept[i]):find("table", 1, true))
        assert(kept[i] == kept[i] and kept[i] ~= kept[i % 5 + 1])
      end
      """)
  }

  @Test func anIteratorOfAnEarlierHandlerIsDeadAsWell() throws {
    try script.reduce(["a": 1, "b": 2], "kept = { pairs(state) } kept[4] = kept[1](kept[2], nil)")
    #expect(
      try script.message(["a": 1, "b": 2], "kept[1](kept[2], kept[4])").hasPrefix("the draft of"))
    // A living draft in the dead iterator's place is iterated anew, or refused, and nothing worse.
    _ = try? script.reduce(["a": 1, "c": ["x"]], "table.remove(state.c) kept[1](state, 'a')")
    _ = try? script.reduce(
      [1, "x", ["y": 1]], "table.remove(state, 2) kept[1](state, 1) kept[1](state, 'a')")
    // It comes to its end, and ends no cursor of this action.
    let after = try script.reduce(
      ["a": 1, "b": 2, "e": [:]],
      "next(state) state.a = nil kept[1](state.e) same(next(state, 'a'), 'b')")
    #expect(after == ["b": 2, "e": [:]])
  }

  @Test func anActionIsReadOnlyAndShared() throws {
    let action: Value = ["type": "set", "items": [["id": 1], ["id": 2]], "one": ["x": 1]]
    let after = try script.reduce(
      [:],
      """
      same(type(action), "table")
      same(#action.items, 2)
      same(action.items[2].id, 2)
      assert(action.items == action.items and action.items[1] ~= action.items[2])
      local keys = {}
      for key in pairs(action) do keys[#keys + 1] = key end
      same(table.concat(keys, " "), "type items one")
      local ids = ""
      for _, item in ipairs(action.items) do ids = ids .. item.id end
      same(ids, "12")
      local refusal = "other values outside the state are read-only"
      raises(refusal, function() action.type = "x" end)
      raises(refusal, function() action.items[1].id = 3 end)
      raises(refusal, table.insert, action.items, {})
      raises(refusal, table.remove, action.items, 1)
      raises(refusal, table.sort, action.items, function(a, b) return a.id > b.id end)
      raises(refusal, scripted.replace, action, {})
      raises(refusal, rawset, action, "x", 1)
      state.items = action.items
      state.copy = { action.one, { action.items } }
      """, action: action)
    #expect(after["items"].identity == action["items"].identity)
    #expect(after["copy"][0].identity == action["one"].identity)
    #expect(after["copy"][1][0].identity == action["items"].identity)
    let changed = try script.reduce(
      [:], "state.items = action.items state.items[1].id = 9 same(action.items[1].id, 1)",
      action: action)
    #expect(changed["items"] == [["id": 9], ["id": 2]])
    #expect(action["items"][0]["id"] == 1)
  }

  @Test func assigningADraftSharesItsNode() throws {
    let before: Value = ["a": ["list": .array(.init((0..<1000).map { .integer($0) }))]]
    let after = try script.reduce(before, "state.b = state.a state.c = { state.a.list }")
    #expect(after["b"].identity == before["a"].identity)
    #expect(after["c"][0].identity == before["a"]["list"].identity)
  }
}
