import Foundation
import LuaBridge
import Testing

@Suite struct ScriptedListTests {
  typealias Tables = SandboxScript.Tables

  /// A module with `list` and, in `rows`, a list of `count` rows `{ id = "t<i>", n = i }`.
  private func run(on tables: Tables, rows count: Int = 0, _ source: String) throws {
    let script = try SandboxScript()
    let file = URL(filePath: #filePath).appending(
      path: "../../../../Sources/ScriptedStore/Scripting/Prelude/list.lua"
    ).standardizedFileURL
    let prelude = try script.lua.load(String(contentsOf: file, encoding: .utf8), name: "list.lua")
    try script.environment.set(
      "list", to: prelude.call([.table(script.lua.makeNatives())]).first ?? .nil)
    let rows = """
      local rows = make {}
      for i = 1, \(count) do rows[i] = { id = "t" .. i, n = i } end
      local function numbers() return table.concat(list.ids(rows, { id = "n" }), " ") end

      """
    try script.run(on: tables, rows + source)
  }

  @Test(arguments: Tables.allCases)
  func findAndIndexOfLookForAnId(tables: Tables) throws {
    try run(
      on: tables, rows: 20,
      """
      same(list.indexOf(rows, "t7"), 7)
      same(list.find(rows, "t7"), rows[7])
      same(list.find(rows, "none"), nil)
      same(list.find(rows, nil), nil)
      same(list.find(rows, 0/0), nil)
      same(list.indexOf(rows, 9, { id = "n" }), 9)
      same(list.indexOf(rows, 9.0, { id = "n" }), 9)
      same(list.indexOf(rows, "9", { id = "n" }), nil)
      rows[3].id = "renamed"
      same(list.indexOf(rows, "renamed"), 3)
      same(list.indexOf(make { 1, "x", { id = 5 } }, 5), 3)
      """)
  }

  @Test(arguments: Tables.allCases)
  func insertPutsAnElementAtTheEndOrBeforeAnIndex(tables: Tables) throws {
    try run(
      on: tables, rows: 2,
      """
      list.insert(rows, { n = 3 })
      list.insert(rows, { n = 0 }, 1)
      same(numbers(), "0 1 2 3")
      list.insert(rows, { n = 4 }, 5)
      same(numbers(), "0 1 2 3 4")
      """)
  }

  @Test(arguments: Tables.allCases)
  func removeTakesOutTheElementWithAnIdAndReturnsIt(tables: Tables) throws {
    try run(
      on: tables, rows: 3,
      """
      same(list.remove(rows, "t2").n, 2)
      same(list.remove(rows, "t2"), nil)
      same(select("#", list.remove(rows, "t2")), 1)
      same(list.remove(rows, 3, { id = "n" }).id, "t3")
      same(numbers(), "1")
      """)
  }

  @Test(arguments: Tables.allCases, [0, 1, 4, 5, 40])
  func removeAllRemovesFewAndManyAndTheRestStayTheSameTables(
    tables: Tables, count: Int
  ) throws {
    try run(
      on: tables, rows: 60,
      """
      local last = rows[60]
      list.removeAll(rows, function(row) return row.n <= \(count) end)
      same(#rows, 60 - \(count))
      same(rows[1].n, \(count) + 1)
      same(rows[#rows], last)
      last.n = 61
      same(rows[#rows].n, 61)
      list.removeAll(rows, function() return true end)
      same(#rows, 0)
      """)
  }

  @Test(arguments: Tables.allCases)
  func aPredicateThatRaisesRemovesNothing(tables: Tables) throws {
    try run(
      on: tables, rows: 20,
      """
      raises("stop", list.removeAll, rows, function(row)
        if row.n == 15 then error("stop") end
        return true
      end)
      same(#rows, 20)
      """)
  }

  @Test(arguments: Tables.allCases)
  func removeAtCountsAllIndicesBeforeTheFirstRemoval(tables: Tables) throws {
    try run(
      on: tables, rows: 100,
      """
      list.removeAt(rows, { 3, 1, 3 })
      list.removeAt(rows, 98)
      list.removeAt(rows, make { 2.0 })
      same(#rows, 96)
      same(rows[1].n, 2)
      same(rows[2].n, 5)
      same(rows[96].n, 99)
      local last, most = rows[96], {}
      for i = 95, 3, -1 do most[#most + 1] = i end
      list.removeAt(rows, most)
      same(numbers(), "2 5 99")
      same(rows[3], last)
      list.removeAt(rows, {})
      same(#rows, 3)
      """)
  }

  @Test(
    arguments: [
      ("{ 1 }", 4, "2 3 1 4 5"), ("{ 5 }", 1, "5 1 2 3 4"), ("{ 5, 1 }", 3, "2 1 5 3 4"),
      ("{ 2, 4 }", 6, "1 3 5 2 4"), ("{ 2, 3 }", 3, "1 2 3 4 5"), ("1", 2, "1 2 3 4 5"),
      ("{ 1, 3, 5 }", 3, "2 1 3 5 4"), ("{}", 1, "1 2 3 4 5"),
    ], Tables.allCases)
  func movePutsElementsBeforeTheOneThatIsAtTheTargetNow(
    move: (indices: String, to: Int, result: String), tables: Tables
  ) throws {
    try run(
      on: tables, rows: 5,
      """
      local one = rows[1]
      list.move(rows, \(move.indices), \(move.to))
      same(numbers(), "\(move.result)")
      same(list.find(rows, "t1"), one)
      """)
  }

  @Test(arguments: Tables.allCases)
  func sortIsStableForEveryLength(tables: Tables) throws {
    try run(
      on: tables,
      """
      for _, count in ipairs { 0, 1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 100 } do
        local sorted, seed = make {}, count
        for i = 1, count do
          seed = (seed * 1103515245 + 12345) % 2147483648
          sorted[i] = { id = i, rank = seed // 65536 % 7 }
        end
        list.sort(sorted, function(a, b) return a.rank < b.rank end)
        same(#sorted, count)
        for i = 2, count do
          local a, b = sorted[i - 1], sorted[i]
          assert(a.rank < b.rank or a.rank == b.rank and a.id < b.id)
        end
      end
      local words = make { "b", "c", "a" }
      list.sort(words)
      same(show(words), "a b c")
      """)
  }

  @Test(arguments: Tables.allCases)
  func sortingKeepsEachElementTheSameTable(tables: Tables) throws {
    try run(
      on: tables, rows: 20,
      """
      local first = rows[1]
      first.n = 100
      list.sort(rows, function(a, b) return a.n < b.n end)
      same(rows[20], first)
      first.n = 101
      same(rows[20].n, 101)
      """)
  }

  @Test(arguments: Tables.allCases)
  func filterMapAndIdsMakePlainLists(tables: Tables) throws {
    try run(
      on: tables, rows: 4,
      """
      local odd = list.filter(rows, function(row) return row.n % 2 == 1 end)
      same(odd[2], rows[3])
      same(#odd, 2)
      table.insert(odd, print)
      same(show(list.map(rows, function(row) return row.n * 10 end)), "10 20 30 40")
      same(show(list.ids(rows)), "t1 t2 t3 t4")
      same(#list.map(table.pack(), print), 0)
      same(list.count(make {}, print), 0)
      """)
  }

  @Test(arguments: [
    ("list.move(rows, { 1 }, 5)", "#3 to 'scripted.list.move' (index 5 is out of range, from 1"),
    ("list.move(rows, { 4 }, 1)", "#2 to 'scripted.list.move' (index 4 is out of range, from 1"),
    ("list.removeAt(rows, { 0 })", "#2 to 'scripted.list.removeAt' (index 0 is out of range"),
    ("list.removeAt(rows, { 'x' })", "(index expected, got string)"),
    ("list.removeAt(rows, 1.5)", "(index expected, got 1.5)"),
    ("list.insert(rows, {}, 5)", "#3 to 'scripted.list.insert' (index 5 is out of range"),
    ("list.insert(rows)", "(element expected, got nil)"),
    ("list.find(3, 1)", "#1 to 'scripted.list.find' (list expected, got number)"),
    ("list.find(rows, 1, 'uuid')", "#3 to 'scripted.list.find' (table like { id = \"uuid\" }"),
    ("list.filter(rows)", "#2 to 'scripted.list.filter' (function expected, got nil)"),
    ("list.sort(rows, 1)", "#2 to 'scripted.list.sort' (function expected, got number)"),
    ("list.ids({ 1 })", "(list of tables expected, got number)"),
    ("list.sort(rows)", "#2 to 'scripted.list.sort' (function expected, got nil; the elements"),
    ("list.find(make { a = 1 }, 'a')", "#1 to 'scripted.list.find' (list expected, got an object"),
    ("list.map(make { a = 1 }, print)", "(list expected, got an object; go through it with 'for"),
  ])
  func wrongArgumentsRaiseAtTheLineOfTheCall(call: String, message: String) throws {
    for tables in Tables.allCases {
      try run(
        on: tables, rows: 3,
        """
        local text = raises([[\(message)]], function()
          \(call)
        end)
        same(text:match("^module.lua:(%d+): bad argument"), "5")
        """)
    }
  }
}
