import LuaBridge
import Testing

@Suite struct TableTests {
  private let lua: LuaVM

  init() throws { lua = try LuaVM() }

  private func table(_ source: String) throws -> LuaTable {
    try lua.evaluate("return \(source)", as: LuaTable.self)
  }

  @Test func fieldsAreReadByNameAndByIndex() throws {
    let table = try table("{ 10, 20, name = 'Ada', [true] = 'yes' }")
    #expect(try table["name"].string == "Ada")
    #expect(try table[2].int == 20)
    #expect(try table[true].string == "yes")
    #expect(try table["absent"].isNil)
    #expect(try table.get("name", as: String.self) == "Ada")
    #expect(try table.get(1, as: Int.self) == 10)
    #expect(try table.get("absent", as: Int?.self) == nil)
  }

  @Test func aFieldOfAnotherTypeIsAnErrorThatNamesIt() throws {
    let table = try table("{ 10, name = 'Ada' }")
    #expect(
      try failure { _ = try table.get("name", as: Int.self) }.message
        == "bad field 'name' (integer expected, got string)")
    #expect(
      try failure { _ = try table.get(2, as: Int.self) }.message
        == "bad field [2] (integer expected, got no value)")
  }

  @Test func fieldsAreSetToSwiftValues() throws {
    struct Point: Codable, Equatable { var x, y: Int }
    let table = try lua.makeTable()
    try table.set("count", to: 3)
    try table.set(1, to: [1, 2])
    try table.set("point", to: Point(x: 1, y: 2))
    try table.set("double", to: lua.function("double") { (n: Int) in 2 * n })
    try table.set("self", to: table)
    let check = try lua.load(
      "local t = ... return t.count, t[1][2], t.double(t.point.y), t.self == t", name: "check")
    #expect(try check.call(table, as: (Int, Int, Int, Bool).self) == (3, 2, 4, true))
    #expect(try table.get("point", as: Point.self) == Point(x: 1, y: 2))
    try table.set("count", to: Int?.none)
    #expect(try table["count"].isNil)
  }

  @Test func countElementsAndEntries() throws {
    let table = try table("{ 1, 2, 3, name = 'x' }")
    #expect(try table.count == 3)
    #expect(try table.elements(of: Int.self) == [1, 2, 3])
    var sum = 0
    for element in try table.elements() { sum += element.int ?? 0 }
    #expect(sum == 6)
    var names: [String] = []
    for (key, _) in try table.entries() { names.append(key.description) }
    #expect(names.count == 4 && names.contains("\"name\""))
    #expect(
      try failure { _ = try self.table("{ 1, 'x' }").elements(of: Int.self) }.message
        == "bad element #2 (integer expected, got string)")
    #expect(try self.table("{}").count == 0)
  }

  @Test func elementsComeFromMetamethodsToo() throws {
    let tens = try lua.function("tens") { (_: LuaTable, index: Int) in
      index <= 3 ? 10 * index : nil
    }
    try lua.setGlobal("tens", to: tens)
    #expect(
      try table("setmetatable({ 1 }, { __index = tens })").elements(of: Int.self) == [1, 20, 30])
  }

  /// `rawequal` gives false for each index, and runs no instruction of Lua.
  @Test(arguments: ["function() return 1 end", "rawequal"])
  func elementsWithoutEndAreStopped(_ index: String) throws {
    let table = try table("setmetatable({}, { __index = \(index) })")
    try lua.setLimits(LuaLimits(time: .milliseconds(50), memory: 64 << 20))
    let error = try failure { _ = try table.elements() }
    #expect(error.kind == .time || error.kind == .memory, "\(error)")
    #expect(try self.table("{ 1, 2 }").elements(of: Int.self) == [1, 2])
  }

  @Test func aTableChangesWhileItsEntriesAreVisited() throws {
    let table = try table("{ 1, 2, 3 }")
    for (key, _) in try table.entries() { try table.set(key, to: LuaValue.nil) }
    #expect(try table.count == 0)
  }

  @Test func readingRunsMetamethodsAndTheirErrorsAreThrown() throws {
    let table = try table(
      "setmetatable({}, { __index = function(_, key) if key == 'bad' then error('no', 0) end return key end })"
    )
    #expect(try table["anything"].string == "anything")
    #expect(try failure { _ = try table["bad"] }.message == "no")
  }

  @Test func keysThatTablesCannotHaveAreRefused() throws {
    let table = try lua.makeTable()
    #expect(try failure { try table.set(.nil, to: 1) }.message.contains("index is nil"))
    #expect(try failure { try table.set(.float(.nan), to: 1) }.message.contains("index is NaN"))
  }

  @Test func aCopyOfAll() throws {
    #expect(try table("{ a = 1, b = 2 }").decoded(as: [String: Int].self) == ["a": 1, "b": 2])
    #expect(
      try failure { _ = try table("{ a = 'x' }").decoded(as: [String: Int].self) }.message
        == "bad table (at a: integer expected, got string)")
  }
}
