import LuaBridge
import Testing

@Suite struct CallTests {
  @Test func argumentsGoInAndResultsComeOutWithTheirKinds() throws {
    let lua = try LuaVM()
    let echo = try lua.load("return ...", name: "echo")
    let results = try echo.call([nil, true, 3, 3.0, "text", .value(.null), nil])
    #expect(results.count == 7)
    #expect(
      results.map(\.typeName) == ["nil", "boolean", "number", "number", "string", "null", "nil"])
    guard case .integer(3) = results[2], case .float(3) = results[3] else {
      Issue.record("a number lost its kind")
      return
    }
  }

  @Test func resultsAreReadByTheTypeThatIsExpected() throws {
    let lua = try LuaVM()
    let results = try lua.evaluate("return nil, true, 3, 3.0, 'text', { 1, { a = 'b' } }, print")
    #expect(results.map(\.isNil) == [true, false, false, false, false, false, false])
    #expect(results.map(\.bool) == [nil, true, nil, nil, nil, nil, nil])
    #expect(results.map(\.int) == [nil, nil, 3, 3, nil, nil, nil])
    #expect(results.map(\.double) == [nil, nil, 3, 3, nil, nil, nil])
    #expect(results.map(\.string) == [nil, nil, nil, nil, "text", nil, nil])
    #expect(
      results.map(\.description)
        == ["nil", "true", "3", "3.0", "\"text\"", "{ 1, { a = \"b\" } }", "function"])
  }

  @Test func aTableComesByReferenceOrAsAValueWhereThatIsAskedFor() throws {
    let lua = try LuaVM()
    let make = try lua.load("return { list = { 1, 2.5, 'x' } }", name: "make")
    let table = try #require(try make.call().first?.table)
    #expect(try table.value() == ["list": [1, 2.5, "x"]])
    #expect(try make.call(tablesAsValues: true).first?.state == ["list": [1, 2.5, "x"]])
  }

  @Test func aValueBecomesAPlainTableThatAScriptMayChange() throws {
    let lua = try LuaVM()
    let change = try lua.load(
      "local t = ... t.a[2] = nil; t.a[1].b = 'new'; t.empty.x = 1; return t", name: "change")
    let value: Value = ["a": [["b": 1], 2], "empty": [:]]
    let result = try change.call([.value(value)], tablesAsValues: true)
    #expect(result.first?.state == ["a": [["b": "new"]], "empty": ["x": 1]])
  }

  @Test func stringsOfAnyBytesGetThroughWhole() throws {
    let lua = try LuaVM()
    let length = try lua.load("return #..., ...", name: "length")
    let text = "a\0b\u{1F600}" + String(repeating: "é", count: 100_000)
    let results = try length.call([.string(text), "", "short"])
    #expect(results[0].integer == Int64(text.utf8.count))
    #expect(results[1].text == text)
    #expect(results[2].text == "")
    #expect(results[3].text == "short")
  }

  @Test func thousandsOfArgumentsAndResultsFit() throws {
    let lua = try LuaVM()
    let echo = try lua.load("return ...", name: "echo")
    let results = try echo.call((0..<20_000).map { .integer($0) })
    #expect(results.count == 20_000)
    #expect(results.last?.integer == 19_999)
  }

  @Test func tooManyArgumentsAreAnError() throws {
    let lua = try LuaVM()
    let echo = try lua.load("return ...", name: "echo")
    let error = try failure { try echo.call((0..<1_100_000).map { .integer($0) }) }
    #expect(error.message.contains("too many arguments"))
    #expect(try echo.call([1]).count == 1)
  }

  @Test func fieldsOfATableAreReadAndSet() throws {
    let lua = try LuaVM()
    let table = try lua.makeTable()
    try table.set("name", to: "Ada")
    try table.set(1, to: .value([1, 2]))
    try table.set(2, to: .table(table))
    #expect(try table.string("name") == "Ada")
    #expect(try table.string("other") == nil)
    #expect(try table.get(1).table?.value() == [1, 2])
    #expect(try table.elements().count == 2)
    #expect(try table.entries().count == 3)
    let error = try failure { _ = try table.value(named: "it") }
    #expect(error.message == "it[2]: a table that contains itself cannot be stored in state")
  }

  @Test func aKeyThatLuaRefusesIsAnError() throws {
    let table = try LuaVM().makeTable()
    #expect(try failure { try table.set(nil, to: 1) }.message.contains("index is nil"))
    #expect(try failure { try table.set(.float(.nan), to: 1) }.message.contains("NaN"))
  }

  @Test func aFieldThatAnIndexFunctionComputesMayRaise() throws {
    let lua = try LuaVM()
    let made = try lua.load(
      "return setmetatable({}, { __index = function(_, k) error('no ' .. k) end })", name: "m.lua"
    ).call()
    let table = try #require(made.first?.table)
    let error = try failure { _ = try table.get("field") }
    #expect(error.message == "no field")
    #expect(error.line == 1)
  }

  @Test func bytecodeAndTextThatDoesNotCompileAreRefused() throws {
    let lua = try LuaVM()
    let error = try failure { _ = try lua.load("local x = \nreturn +", name: "broken.lua") }
    #expect(error.kind == .syntax)
    #expect(error.script == "broken.lua")
    #expect(error.line == 2)
    #expect(error.message.contains("unexpected symbol"))
    #expect(throws: ScriptError.self) { try lua.load([0x1B, 0x4C, 0x75, 0x61], name: "binary") }
    #expect(try lua.evaluate("return 1").first?.integer == 1)
  }

  @Test func aScriptsPlaceAndParametersAreKnown() throws {
    let lua = try LuaVM()
    let results = try lua.load(
      "return function(a, b) end,\nfunction(...) end, print", name: "shapes.lua"
    ).call()
    let two = try #require(results[0].function?.definition())
    #expect(two.script == "shapes.lua" && two.line == 1 && two.parameters == 2)
    let any = try #require(results[1].function?.definition())
    #expect(any.line == 2 && any.parameters == nil)
    #expect(results[2].function?.definition() == nil)
  }
}
