import LuaBridge
import Testing

@Suite struct DraftFunctionTests {
  typealias Tables = SandboxScript.Tables

  @Test(arguments: Tables.allCases)
  func typeNextRawgetRawsetRawlenAndRawequalTakeATable(tables: Tables) throws {
    try SandboxScript().run(
      on: tables,
      """
      local t = make { a = 1 }
      same(type(t), "table")
      same(next(t), "a")
      same(select(2, next(t)), 1)
      same(next(t, "a"), nil)
      same(rawget(t, "a"), 1)
      same(rawget(t, "b"), nil)
      same(rawset(t, "b", 2), t)
      same(t.b, 2)
      same(rawlen(t), 0)
      same(rawlen(make { 4, 5 }), 2)
      t = make { inner = {} }
      assert(rawequal(t.inner, t.inner))
      assert(not rawequal(t, t.inner))
      same(getmetatable(t), nil)
      """)
  }

  @Test(arguments: Tables.allCases)
  func pairsAndIpairsWalkATable(tables: Tables) throws {
    try SandboxScript().run(
      on: tables,
      """
      local count, sum = 0, 0
      for key, value in pairs(make { a = 1, b = 2 }) do count, sum = count + #key, sum + value end
      same(count, 2)
      same(sum, 3)
      local order = {}
      for i, value in ipairs(make { "x", "y", "z" }) do order[i] = value end
      same(show(order), "x y z")
      """)
  }

  @Test(arguments: Tables.allCases)
  func gsubReplacesFromATable(tables: Tables) throws {
    try SandboxScript().run(
      on: tables,
      """
      local result, count = ("$name is $age"):gsub("%$(%w+)", make { name = "Ada" })
      same(result, "Ada is $age")
      same(count, 2)
      """)
  }

  @Test(arguments: Tables.allCases)
  func nextRefusesAKeyThatWasNeverThereAndTakesOneThatWasRemovedOnTheWay(
    tables: Tables
  ) throws {
    try SandboxScript().run(
      on: tables,
      """
      same(select(2, pcall(next, make { 1, 2 }, "x")), "invalid key to 'next'")
      same(select(2, pcall(next, make { 1, 2 }, -1)), "invalid key to 'next'")
      same(select(2, pcall(next, make { a = 1 }, "x")), "invalid key to 'next'")
      same(select(2, pcall(next, make { a = 1 }, 1)), "invalid key to 'next'")
      same(select(2, pcall(next, make {}, true)), "invalid key to 'next'")
      same(select(2, pcall(next, make {}, "x")), "invalid key to 'next'")
      local t = make { a = 1, b = 2, c = 3 }
      local count = 0
      local key = next(t)
      while key do
        count = count + 1
        t[key] = nil
        key = next(t, key)
      end
      same(count, 3)
      same(next(t), nil)
      """)
  }

  @Test(arguments: Tables.allCases)
  func noKeyCanBeNilOrNaNAndWhatNoKeyCanBeCanBeRemoved(tables: Tables) throws {
    try SandboxScript().run(
      on: tables,
      """
      local t = make { a = 1 }
      same(raises("index", function() t[nil] = 1 end), "module.lua:2: table index is nil")
      same(raises("index", function() t[0 / 0] = nil end), "module.lua:3: table index is NaN")
      t[1.5] = nil
      t[true] = nil
      same(t[1.5], nil)
      """)
  }

  @Test func aStateTableCanHaveNoMetatableAndBeNone() throws {
    let script = try SandboxScript()
    try script.handle(
      """
      raises("state tables cannot have a metatable", setmetatable, state, {})
      raises("a state table cannot be a metatable", setmetatable, {}, state)
      raises("(table expected, got number)", function() setmetatable(1, state) end)
      """)
  }

  @Test func wrongArgumentsReadAsInStockLua() throws {
    try SandboxScript().run(
      """
      raises("bad argument #1 to 'type' (value expected)", function() type() end)
      raises("bad argument #1 to 'next' (table expected, got number)", function() next(1) end)
      raises("table or string expected", function() rawlen(5) end)
      raises("bad argument #1 to 'insert' (table expected, got nil)", function() table.insert(nil, 1) end)
      """)
  }
}
