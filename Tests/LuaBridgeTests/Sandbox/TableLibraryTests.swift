import LuaBridge
import Testing

@Suite struct TableLibraryTests {
  typealias Tables = SandboxScript.Tables

  @Test(arguments: Tables.allCases)
  func insertAndRemoveAtTheEndTheBeginningAndBetween(tables: Tables) throws {
    try SandboxScript().run(
      on: tables,
      """
      local list = make { 1, 2, 3 }
      table.insert(list, 5)
      table.insert(list, 4, 4)
      table.insert(list, 1, 0)
      same(show(list), "0 1 2 3 4 5")
      same(table.remove(list), 5)
      same(table.remove(list, 1), 0)
      same(table.remove(list, 2), 2)
      same(show(list), "1 3 4")
      same(table.remove(list, 4), nil)
      same(table.remove(make {}), nil)
      """)
  }

  @Test(arguments: Tables.allCases)
  func insertAndRemoveRefuseWhatStockLuaRefusesAtTheCallersLine(
    tables: Tables
  ) throws {
    try SandboxScript().run(
      on: tables,
      """
      local _, stock = pcall(table.remove, { 1 }, 9) -- which argument is blamed depends on Lua's version
      local argument = stock:match("#%d")
      local list = make { 1, 2, 3 }
      local text = raises("bad argument #2 to 'insert' (position out of bounds)",
        function() table.insert(list, 5, 0) end)
      same(text:match("^module.lua:%d+: ") ~= nil, true)
      raises("position out of bounds", function() table.insert(list, 0, 0) end)
      raises("wrong number of arguments to 'insert'", function() table.insert(list) end)
      raises("bad argument #2 to 'insert' (number expected, got string)",
        function() table.insert(list, "x", 1) end)
      raises("to 'remove' (position out of bounds)", function() table.remove(list, 5) end)
      same(raises("position out of bounds", function() table.remove(list, -1) end):match("#%d"), argument)
      same(show(list), "1 2 3")
      """)
  }

  @Test(arguments: Tables.allCases)
  func concatUnpackAndPackReadAList(tables: Tables) throws {
    try SandboxScript().run(
      on: tables,
      """
      local list = make { 1, "b", 3.5 }
      same(table.concat(list, "-"), "1-b-3.5")
      same(table.concat(list, "", 2, 3), "b3.5")
      same(select("#", table.unpack(list)), 3)
      same(select(2, table.unpack(list)), "b")
      same(table.pack(list).n, 1)
      raises("invalid value (table) at index 1", table.concat, make { {} })
      """)
  }

  @Test(arguments: Tables.allCases)
  func sortOrdersNumbersAndTablesByAComparator(tables: Tables) throws {
    try SandboxScript().run(
      on: tables,
      """
      local list = make { 3, 1, 2 }
      table.sort(list)
      same(show(list), "1 2 3")
      table.sort(list, function(a, b) return a > b end)
      same(show(list), "3 2 1")
      raises("bad argument #2 to 'sort' (function expected", function() table.sort(list, 3) end)
      list = make { { id = 3 }, { id = 1 }, { id = 2 } }
      table.sort(list, function(a, b) return a.id < b.id end)
      same(show(list), "#1 #2 #3")
      """)
  }

  @Test(arguments: Tables.allCases)
  func moveCopiesInsideOneListAndBetweenTwo(tables: Tables) throws {
    try SandboxScript().run(
      on: tables,
      """
      local list = make { 1, 2, 3, 4, 5 }
      same(table.move(list, 2, 3, 4), list)
      same(show(list), "1 2 3 2 3")
      table.move(list, 1, 5, 2)
      same(show(list), "1 1 2 3 2 3")
      same(show(table.move(list, 1, 3, 1, {})), "1 1 2")
      table.move({ 8, 9 }, 1, 2, 7, list)
      same(show(list), "1 1 2 3 2 3 8 9")
      raises("too many elements to move", table.move, list, 0, math.maxinteger, 1)
      """)
  }

  @Test(arguments: Tables.allCases)
  func anElementThatIsMovedIsTheSameTableAtItsNewPlace(tables: Tables) throws {
    try SandboxScript().run(
      on: tables,
      """
      local list = make { { id = 3 }, { id = 1 }, { id = 2 } }
      local three, two = list[1], list[3]
      table.sort(list, function(a, b) return a.id < b.id end)
      same(list[3], three)
      three.id = 30
      same(show(list), "#1 #2 #30")
      table.insert(list, 1, { id = 0 })
      table.remove(list, 2)
      same(list[2], two)
      two.id = 20
      same(show(list), "#0 #20 #30")
      table.move(list, 1, 3, 2)
      same(list[4], three)
      list[1] = { id = -1 }
      three.id, two.id = 3, 2
      same(show(list), "#-1 #0 #2 #3")
      """)
  }

  @Test(arguments: Tables.allCases)
  func whatWasRemovedKeepsItsValueAndCanBePutBack(tables: Tables) throws {
    try SandboxScript().run(
      on: tables,
      """
      local list = make { { id = 1 }, { id = 2 } }
      local removed = table.remove(list, 1)
      same(removed.id, 1)
      removed.id = 9
      table.insert(list, removed)
      same(show(list), "#2 #9")
      """)
  }

  @Test func whatMovingLeavesBehindInsideStateIsACopy() throws {
    try SandboxScript().handle(
      """
      state.list = { { id = 1 }, { id = 2 } }
      local one = state.list[1]
      table.move(state.list, 1, 1, 3)
      one.id = 10
      same(show(state.list), "#1 #2 #10")
      """)
  }

  @Test func whatIsNoStateIsRefusedWithItsPlaceInTheList() throws {
    try SandboxScript().handle(
      """
      state.list = { 1 }
      raises("state.list[2]: a function cannot be stored in state", table.insert, state.list, print)
      same(#state.list, 1)
      """)
  }

  @Test func whatAnActionCarriesCanBeReadAndNotChanged() throws {
    try SandboxScript().handle(
      """
      local list = action.list
      same(type(list), "table")
      same(rawequal(list, action.list), true)
      same(rawequal(list, action), false)
      same(show(list), "#2 #1")
      same(table.concat(action.words, " "), "a b")
      same(select("#", table.unpack(list)), 2)
      for _, change in ipairs { table.insert, table.remove, table.sort } do
        raises("", change, action.words, change == table.insert and "c" or nil)
      end
      raises("", rawset, list, 1, 1)
      raises("", table.move, list, 1, 1, 2)
      same(show(list), "#2 #1")
      state.list = list
      table.sort(state.list, function(a, b) return a.id < b.id end)
      same(show(state.list), "#1 #2")
      same(show(list), "#2 #1")
      """, action: ["list": [["id": 2], ["id": 1]], "words": ["a", "b"]])
  }
}
