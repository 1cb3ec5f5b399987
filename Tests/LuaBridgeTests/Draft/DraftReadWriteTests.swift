import LuaBridge
import Testing

private let noKey =
  " cannot be a key in state, where keys are strings, or the indices of an array"
private let noName =
  "an array refuses string keys; take one of its elements first, or store an object in its place"

@Suite struct DraftReadWriteTests {
  private let script: DraftScript

  init() throws { script = try DraftScript() }

  @Test func readsSeeTheWritesBeforeThemAndTheStateOutsideDoesNot() throws {
    let before: Value = ["count": 1, "todos": [["title": "a", "tags": ["x"]], ["title": "b"]]]
    let after = try script.reduce(
      before,
      """
      state.count = state.count + 1
      state.todos[2].title = state.todos[1].title .. "!"
      same(state.todos[2].title, "a!")
      local tags = state.todos[1].tags
      tags[2] = "y"
      same(#state.todos[1].tags, 2)
      state.new = { deep = { er = 1 } }
      state.new.deep.er = state.new.deep.er + state.count
      same(state.new.deep.er, 3)
      """)
    #expect(
      after == [
        "count": 2, "todos": [["title": "a", "tags": ["x", "y"]], ["title": "a!"]],
        "new": ["deep": ["er": 3]],
      ])
    #expect(before == ["count": 1, "todos": [["title": "a", "tags": ["x"]], ["title": "b"]]])
  }

  @Test func anErrorRollsEverythingBackAndTheNextActionWorks() throws {
    let before: Value = ["list": [1, 2, 3], "object": ["a": ["b": 1]]]
    let error = try failure {
      try script.reduce(
        before, "state.list[1] = 9; table.remove(state.list); state.object.a.b = nil\nerror('no')")
    }
    #expect(error.message == "no")
    #expect(error.script == "counter.lua" && error.line == 2)
    #expect(before == ["list": [1, 2, 3], "object": ["a": ["b": 1]]])
    #expect(try script.reduce(before, "state.object.a.b = 2")["object"]["a"]["b"] == 2)
  }

  @Test func aCaughtErrorLeavesTheWritesBeforeIt() throws {
    let after = try script.reduce(
      ["list": [1]],
      "pcall(function() state.list[1] = 2; state.list.x = 1 end) pcall(function() state.f = print end)"
    )
    #expect(after == ["list": [2]])
  }

  @Test func nothingThatWasNotTouchedIsCopied() throws {
    let before: Value = ["a": ["x": [1, 2]], "b": ["y": 1]]
    let after = try script.reduce(before, "local t = state.a.x; t = #t; state.b.y = 2")
    #expect(after["a"].identity == before["a"].identity)
    let same = try script.reduce(before, "for _, v in pairs(state) do local t = v.x end")
    #expect(same.identity == before.identity)
  }

  @Test func nilRemovesAKeyNullIsAValue() throws {
    let after = try script.reduce(
      ["a": 1, "b": 2, "c": nil],
      """
      state.a = nil
      same(state.a, nil)
      state.missing = nil
      same(state.c, scripted.null)
      state.b = scripted.null
      assert(state.b)
      """)
    #expect(after == ["b": nil, "c": nil])
  }

  @Test func objectsKeepInsertionOrderPlainTablesComeInNameOrder() throws {
    let after = try script.reduce(
      ["zebra": 1, "apple": 2],
      """
      state.mango = 3
      state.apple = nil
      state.apple = 4
      state.new = { z = 1, y = 2, b = 3, a = 4, Z = 5, ["10"] = 6, ["9"] = 7, ["é"] = 8, [""] = 9 }
      """)
    #expect(after.object.map { Array($0.keys) } == ["zebra", "mango", "apple", "new"])
    #expect(
      after["new"].object.map { Array($0.keys) } == ["", "10", "9", "Z", "a", "b", "y", "z", "é"])
  }

  @Test func numbersKeepTheirSubtype() throws {
    let after = try script.reduce(
      ["i": 1, "f": 1.0],
      """
      same(math.type(state.i), "integer")
      same(math.type(state.f), "float")
      assert(state.i == state.f)
      state.sum, state.half, state.big = state.i + 1, 1 / 2, math.mininteger
      state.list = { 1, 1.0, 2^53, math.maxinteger }
      state.zero = -0.0
      """)
    guard case .integer(2) = after["sum"], case .float(0.5) = after["half"],
      case .integer(.min) = after["big"], case .integer(1) = after["list"][0],
      case .float(1) = after["list"][1], case .float(9_007_199_254_740_992) = after["list"][2],
      case .integer(.max) = after["list"][3]
    else {
      Issue.record("a subtype was lost")
      return
    }
    #expect(after["zero"].double?.sign == .minus)
  }

  @Test(arguments: [
    ("state.x = 0/0", "state.x: NaN cannot be stored in state"),
    ("state.x = 1/0", "state.x: an infinite number cannot be stored in state"),
    ("state.x = { 1, { y = -1/0 } }", "state.x[2].y: an infinite number cannot be stored in state"),
    (
      "state.x = print",
      "state.x: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name"
    ),
    (
      "state.todos[2].onTap = print",
      "state.todos[2].onTap: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name"
    ),
    (
      "state.x = { { f = { print } } }",
      "state.x[1].f[1]: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name"
    ),
    (
      "state.x = setmetatable({}, {})",
      "state.x: a table with a metatable cannot be stored in state, as it is an object with methods; store a plain table of its values"
    ),
    (
      "state.x = { a = setmetatable({ 1 }, {}) }",
      "state.x.a: a table with a metatable cannot be stored in state, as it is an object with methods; store a plain table of its values"
    ),
    (
      "local t = {} t.a = { t } state.x = t",
      "state.x.a[1]: a table that contains itself cannot be stored in state"
    ),
    (
      "state.x = { 1, nil, 3 }",
      "state.x: a sparse array (index 2 is nil, the largest index is 3) cannot be stored in state; leave no nil in a list, and use tostring(id) for ids"
    ),
    (
      "state.x = { [1] = 1, a = 2 }",
      "state.x: a table with both string and integer keys cannot be stored in state; use tostring(id)"
    ),
    (
      "state.x = { [0] = 1 }",
      "state.x: an array with a key below 1 cannot be stored in state; use tostring(id) for ids"
    ),
    ("state.x = { [1.5] = 1 }", "state.x: a fractional number (1.5)\(noKey)"),
    ("state.x = { [true] = 1 }", "state.x: a boolean (true)\(noKey)"),
    ("state.x = { [{}] = 1 }", "state.x: a table\(noKey)"),
    (
      "state.x = { y = '\\xff' }", "state.x.y: a string that is not UTF-8 cannot be stored in state"
    ),
    (
      "state.x = '\\xed\\xa0\\x80'", "state.x: a string that is not UTF-8 cannot be stored in state"
    ),
    (
      "state.x = { ['\\xc0\\x80'] = 1 }",
      "state.x: a key that is not UTF-8 cannot be stored in state"
    ),
    ("state['\\xff'] = 1", "state: a key that is not UTF-8 cannot be stored in state"),
    (
      "state.todos[1]['\\xff'] = { 1 }",
      "state.todos[1]: a key that is not UTF-8 cannot be stored in state"
    ),
    (
      "state['odd key'] = print",
      "state[\"odd key\"]: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name"
    ),
    ("state[true] = 1", "state: a boolean (true)\(noKey)"),
    ("state[1.5] = 1", "state: a fractional number (1.5)\(noKey)"),
    ("state[null] = 1", "state: a null\(noKey)"),
    ("state[1] = 1", "state[1]: an object refuses integer keys; use tostring(id)"),
    ("state.todos.x = 1", "state.todos.x: \(noName)"),
    (
      "state.todos[0] = 1",
      "state.todos[0]: the indices of an array begin at 1; use tostring(id) for ids"
    ),
    (
      "table.insert(state.todos, print)",
      "state.todos[3]: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name"
    ),
    (
      "table.insert(state.todos, 1, { print })",
      "state.todos[1][1]: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name"
    ),
    (
      "scripted.array(state.todos)",
      "bad argument #1 to 'array' (a new table expected, got one of the state; mark its copy: scripted.snapshot(value))"
    ),
    (
      "scripted.replace({}, state)",
      "bad argument #1 to 'replace' (a table of the state expected, got a plain table; write scripted.replace(state, value), or assign the value where it belongs)"
    ),
    ("scripted.replace(state, 5)", "state: the state of a feature must be a table"),
    (
      "scripted.replace(state, { f = print })",
      "state.f: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name"
    ),
    (
      "state.x = scripted.array { a = 1 }", "state.x: scripted.array has a key that is not an index"
    ),
    (
      "state.x = scripted.object { 1 }", "state.x: an object refuses integer keys; use tostring(id)"
    ),
    (
      "state.x = scripted.object {} state.x[1] = 1",
      "state.x[1]: an object refuses integer keys; use tostring(id)"
    ),
    ("state.x = scripted.array {} state.x.y = 1", "state.x.y: \(noName)"),
    (
      "state.todos[5] = { id = 3 }",
      "state.todos[3]: an array cannot have a hole (nil before its end)"
    ),
    ("state.todos[1] = nil", "state.todos[1]: an array cannot have a hole (nil before its end)"),
    (
      "state.todos[1].list[1] = nil",
      "state.todos[1].list[1]: an array cannot have a hole (nil before its end)"
    ),
  ])
  func whatCannotBeStoredIsRefusedWithItsPath(source: String, message: String) throws {
    let state: Value = ["todos": [["id": 1, "list": [1, 2]], ["id": 2]]]
    #expect(try script.message(state, source) == message)
    #expect(try script.reduce(state, "") == state)
  }

  /// Each leaves a hole, fills or removes it, and then makes an object of the empty list.
  @Test(arguments: [
    "for k in pairs(state.list) do state.list[k] = nil end",
    "state.list[1] = nil state.list[2] = nil",
    "state.list[1] = nil table.remove(state.list)",
    "state.list[4] = 1 state.list[4] = nil table.remove(state.list) table.remove(state.list)",
  ])
  func aListThatHadAHoleBecomesAnObject(clearing: String) throws {
    let state: Value = ["list": [1, 2], "other": []]
    for look in ["", "state.other = state.list"] {
      let new = try script.reduce(
        state, "\(clearing) \(look) state.list.color = 'red' \(look) state.list.deep = {}")
      #expect(new["list"] == ["color": "red", "deep": [:]], "\(look)")
    }
    #expect(try script.reduce(state, clearing)["list"] == [])
  }

  @Test func aRefusalInTheHostsOwnLuaNamesTheScriptsLine() throws {
    let host = try script.lua.load(
      "return function(t, key, value) t[key] = value end", name: "=prelude"
    ).call()
    try script.script.environment.set("log", to: host[0])
    for (arguments, reason) in [
      (
        "state, 'x', print",
        "state.x: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name"
      ),
      ("state, 1, 1", "state[1]: an object refuses integer keys; use tostring(id)"),
      ("state, true, 1", "state: a boolean (true)\(noKey)"),
    ] {
      try script.reduce(
        ["a": 1],
        """
        local ok, message = pcall(function()
          log(\(arguments))
        end)
        same(message, "counter.lua:2: \(reason)")
        """)
    }
  }

  @Test func anEffectAndAForeignObjectCannotBeStored() throws {
    try script.script.environment.set("log", to: .object(Boxed(Tally())))
    #expect(try script.message([:], "state.x = { log }").hasPrefix("state.x[1]: a"))
    #expect(try script.message([:], "state.x = log").hasPrefix("state.x: a"))
  }

  @Test func anArrayThatWasNotBuiltInOrderIsReadOnceAtEachLevel() throws {
    // 2^60 reads if each level reads its first element again.
    let after = try script.reduce(
      [:],
      """
      local t = "leaf"
      for level = 1, 60 do t = { t, [3] = 3, [2] = 2 } end
      state.x = t
      """)
    var level = after["x"]
    for _ in 0..<60 {
      #expect(level.array?.count == 3)
      #expect(level[1] == 2)
      #expect(level[2] == 3)
      level = level[0]
    }
    #expect(level == "leaf")
  }

  /// Else this would look at 2^127 elements.
  @Test func howDeepAValueNestsThatHoldsItselfTwiceAgainAndAgainIsFoundInTime()
    throws
  {
    let script = try DraftScript()
    let message = try script.message(
      ["x": [1]], "for _ = 1, 200 do state.x = { state.x, state.x } end")
    #expect(message.contains("128"), "\(message)")
  }

  @Test func whatGoesToAHostFunctionNests128DeepAndNoDeeper() throws {
    let take = try script.lua.makeFunction("take", tablesAsValues: true) { _ in .values([]) }
    try script.script.environment.set("log", to: .function(take))
    let nest = """
      local function nest(depth, inner)
        for _ = 1, depth do inner = { inner } end
        return inner
      end

      """
    var action: Value = 1
    for _ in 0..<60 { action = ["type": "deep", "action": action] }
    try script.reduce([:], nest + "log(nest(68, action))", action: action)
    let error = try failure {
      try script.reduce([:], nest + "log(nest(69, action))", action: action)
    }
    #expect(error.message == "value: state cannot be nested deeper than 128 tables")
  }

  @Test func stateNests128DeepAndNoDeeper() throws {
    let nest = "local function nest(n) local t = {} for i = 2, n do t = { a = t } end return t end "
    #expect(try script.reduce([:], nest + "state.x = nest(127)").depth == 128)
    for source in [
      "state.x = nest(128)",
      "state.x = {} state.x.y = nest(127)",
      "state.l = {} table.insert(state.l, nest(127))",
      "state.x = nest(127) state.x = { state.x }",
      "scripted.replace(state, nest(129))",
      "state.x = nest(100) state.y = nest(100) local t = state.x for i = 1, 50 do t = t.a end t.z = state.y",
      "state.l = { 1 } scripted.rearrange(state.l, { nest(127) })",
    ] {
      #expect(
        try script.message([:], nest + source).hasSuffix("cannot be nested deeper than 128 tables"),
        "\(source)")
    }
    #expect(try script.reduce([:], nest + "scripted.replace(state, nest(128))").depth == 128)
    let walked = try script.reduce(
      [:],
      nest
        + "state.x = nest(127) local t = state.x while t.a do t = t.a end t.leaf = 1 state.x.b = nest(126)"
    )
    #expect(walked.depth == 128)
  }

  @Test func floatKeysAreIntegersWhereTheyHaveAnIntegersValue() throws {
    let after = try script.reduce(
      ["list": ["a", "b"]],
      "same(state.list[1.0], 'a') state.list[2.0] = 'B' state.list[3.0] = 'c' same(state.list[1.5], nil)"
    )
    #expect(after == ["list": ["a", "B", "c"]])
  }

  @Test func anEmptyTableBecomesWhatTheFirstWriteMakesIt() throws {
    let after = try script.reduce(
      ["e": []],
      """
      state.a, state.b, state.c = {}, {}, {}
      state.a.x = 1
      state.b[1] = 1
      table.insert(state.c, "first")
      state.e.key = true
      """)
    #expect(after == ["e": ["key": true], "a": ["x": 1], "b": [1], "c": ["first"]])
  }

  @Test func anEmptyTableEncodesAsWhatItIs() throws {
    let state = try Value(json: #"{"decoded":{},"emptied":{"a":1},"list":[1],"array":[]}"#)
    let after = try script.reduce(
      state,
      """
      state.plain = {}
      state.object = scripted.object {}
      state.pinned = scripted.array {}
      state.emptied.a = nil
      state.list[1] = nil
      state.nested = { { }, scripted.object {} }
      state.again = state.object
      """)
    #expect(
      after.json()
        == #"{"decoded":{},"emptied":{},"list":[],"array":[],"plain":[],"object":{},"pinned":[],"nested":[[],{}],"again":{}}"#
    )
    #expect(after["plain"] == after["object"])
  }

  @Test func theWholeStateIsReplaced() throws {
    let after = try script.reduce(
      ["a": ["b": 1]],
      """
      local old = state.a
      scripted.replace(state, { x = { y = 1 } })
      same(state.a, nil)
      state.x.y = 2
      old.b = 5
      state.old = old
      """)
    #expect(after == ["x": ["y": 2], "old": ["b": 5]])
    let child = try script.reduce(
      ["a": ["b": [1, 2]]], "local a = state.a scripted.replace(a, { 'l' }) a[2] = 'm'")
    #expect(child == ["a": ["l", "m"]])
    let own = try script.reduce(["a": ["b": 1]], "scripted.replace(state, state.a)")
    #expect(own == ["b": 1])
    let copy = try script.reduce(
      ["a": 1], "scripted.replace(state, action.new)", action: ["new": ["z": 1]])
    #expect(copy == ["z": 1])
  }
}
