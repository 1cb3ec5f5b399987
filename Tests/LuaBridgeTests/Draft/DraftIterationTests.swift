import LuaBridge
import Testing

@Suite struct DraftIterationTests {
  private let script: DraftScript

  init() throws { script = try DraftScript() }

  /// A flat object, and one that is stored as a dictionary.
  private static let sizes = [4, 32, 33, 100]

  private func object(_ count: Int) -> Value {
    .object(.init((0..<count).map { (key: "k\($0)", value: .integer(Int64($0))) }))
  }

  @Test(arguments: sizes)
  func pairsSkipsWhatIsRemovedOnTheWayAndDoesNotVisitWhatIsAdded(size: Int) throws {
    let after = try script.reduce(
      ["o": object(size)],
      """
      local seen = 0
      for key, value in pairs(state.o) do
        same(key, "k" .. value)
        same(value % 2, 0)
        seen = seen + 1
        state.o["k" .. value + 1] = nil
        state.o["new" .. value] = -1
        state.o[key] = value * 10
      end
      state.seen = seen
      """)
    #expect(after["seen"].int == size / 2 + size % 2)
    let expected =
      stride(from: 0, to: size, by: 2).map { "k\($0)" }
      + stride(from: 0, to: size, by: 2).map { "new\($0)" }
    #expect(after["o"].object.map { Array($0.keys) } == expected)
  }

  @Test(arguments: sizes)
  func nestedIterationsOverOneTableDoNotDisturbEachOther(size: Int) throws {
    let after = try script.reduce(
      ["o": object(size)],
      """
      local rounds, removed = 0, 0
      for outer in pairs(state.o) do
        for inner in pairs(state.o) do
          rounds = rounds + 1
          if inner ~= outer then state.o[inner] = nil; removed = removed + 1 end
        end
      end
      state.rounds, state.removed = rounds, removed
      """)
    #expect(after["rounds"].int == size)
    #expect(after["removed"].int == size - 1)
    #expect(after["o"] == ["k0": 0])
  }

  @Test(arguments: sizes)
  func nextGoesOnFromAKeyThatWasJustRemoved(size: Int) throws {
    try script.reduce(
      ["o": object(size)],
      """
      for round = 1, 3 do
        local count = 0
        local key, value = next(state.o)
        while key do
          state.o[key] = nil
          count = count + 1
          key, value = next(state.o, key)
        end
        same(count, \(size))
        same(next(state.o), nil)
        for i = 1, \(size) do state.o["round" .. round .. "/" .. i] = i end
      end
      for key in next, state.o do
        if #key % 2 == 0 then state.o[key] = nil end
      end
      for key in pairs(state.o) do same(#key % 2, 1) end
      state.o.last = 1
      raises("invalid key to 'next'", next, state.o, "never there")
      """)
  }

  @Test(arguments: sizes)
  func aLoopCanGoOnByHandAndAfterItsEnd(size: Int) throws {
    try script.reduce(
      ["o": object(size), "p": object(size)],
      """
      local count = 0
      for key in pairs(state.o) do
        if count > 0 and count % 2 == 0 then
          state.o[key] = nil
          local after = next(state.o, key)
          same(after, count < \(size) - 1 and "k" .. count + 1 or nil)
        end
        count = count + 1
      end
      same(count, \(size))
      local step, object, key = pairs(state.p)
      for _ in step, object, key do end
      state.p.last = 1
      count = 0
      for _ in step, object, key do count = count + 1 end
      same(count, \(size) + 1)
      for _ in pairs(state.p) do for key in pairs(state.p) do state.p[key] = nil end end
      same(next(state.p), nil)
      """)
  }

  @Test func aListIteratesByIndexAndAroundHoles() throws {
    try script.reduce(
      ["l": [1, 2, 3, 4]],
      """
      local keys = ""
      for index, value in pairs(state.l) do same(index, value); keys = keys .. index end
      same(keys, "1234")
      state.l[2] = nil
      keys = ""
      for index in pairs(state.l) do keys = keys .. index end
      same(keys, "134")
      keys = ""
      for index in ipairs(state.l) do keys = keys .. index end
      same(keys, "1")
      same(#state.l, 4)
      state.l[4] = nil
      same(#state.l, 3)
      state.l[3] = nil
      same(#state.l, 1)
      state.l[1] = nil
      same(#state.l, 0)
      same(next(state.l), nil)
      """)
  }

  @Test func elementsRemovedWhileAListIsWalkedBackwards() throws {
    let after = try script.reduce(
      ["l": [["n": 1], ["n": 2], ["n": 3], ["n": 4], ["n": 5]]],
      "for i = #state.l, 1, -1 do if state.l[i].n % 2 == 1 then table.remove(state.l, i) end end")
    #expect(after == ["l": [["n": 2], ["n": 4]]])
  }

  @Test func holesMayExistUntilTheHandlerReturns() throws {
    let after = try script.reduce(
      ["l": [1, 2, 3], "m": [["id": 1, "sub": [1, 2]], ["id": 2], ["id": 3]]],
      """
      state.l[6] = 6
      same(#state.l, 6)
      state.l[1] = nil
      for i = 1, 5 do state.l[i] = i end
      state.m[1].sub[1] = nil
      table.sort(state.m, function(a, b) return a.id > b.id end)
      same(scripted.find(state.m, 1, "id"), 3)
      state.m[3].sub[1] = "filled"
      state.m[2] = nil
      table.move(state.m, 3, #state.m, 2)
      state.m[#state.m] = nil
      """)
    #expect(
      after == ["l": [1, 2, 3, 4, 5, 6], "m": [["id": 3], ["id": 1, "sub": ["filled", 2]]]])
  }

  @Test func aHoleInAListThatMovedIsFoundInTheEnd() throws {
    let state: Value = ["m": [["id": 1, "sub": [1, 2]], ["id": 2]]]
    let hole = "state.m[1].sub[1] = nil "
    for move in [
      "table.sort(state.m, function(a, b) return a.id > b.id end)",
      "table.insert(state.m, 1, { id = 0 })", "scripted.find(state.m, 1, 'id')",
      "scripted.rearrange(state.m, { state.m[2], state.m[1] })", "state.other = state.m",
      "table.insert(state.m, state.m[1])", "state.x = { state.m[1] }",
    ] {
      #expect(try script.message(state, hole + move).contains("cannot have a hole"), "\(move)")
    }
    #expect(
      try script.message(state, hole + "pcall(function() state.x = state.m end)")
        == "state.m[1].sub[1]: an array cannot have a hole (nil before its end)")
    // Removed with its hole it harms nobody.
    #expect(try script.reduce(state, hole + "table.remove(state.m, 1)") == ["m": [["id": 2]]])
  }

  @Test func aFunctionBehindAListWithAHoleIsReleasedOnce() throws {
    let add = try script.lua.function("add") { (a: Int, b: Int) in a + b }
    try script.script.environment.set("add", to: .function(add))
    let message = try script.message(["l": [1, 2, 3]], "state.l[2] = nil add(state.l, print)")
    #expect(message.contains("cannot have a hole"))
    try expectNewReferencesDiffer(in: script.lua)
  }

  @Test func lengthAndBoundsOfTheTableLibraryAreLuas() throws {
    try script.reduce(
      ["l": [1, 2], "o": ["a": 1]],
      """
      raises("position out of bounds", table.insert, state.l, 4, "x")
      raises("position out of bounds", table.insert, state.l, 0, "x")
      raises("position out of bounds", table.remove, state.l, 5)
      same(table.remove(state.l, 3), nil)
      same(table.remove(state.l), 2)
      same(table.remove(state.l, 1), 1)
      same(table.remove(state.l), nil)
      same(#state.l, 0)
      table.insert(state.l, "back")
      same(state.l[1], "back")
      raises("an array is needed, this is an object", table.insert, state.o, 1)
      same(#state.o, 0)
      """)
  }
}
