import Foundation
import LuaBridge
import Testing

@Suite struct TypedFunctionTests {
  private let lua: LuaVM

  init() throws { lua = try LuaVM() }

  private func message(_ source: String) throws -> String {
    try failure { _ = try lua.evaluate(source, name: "guest.lua", as: LuaValue?.self) }.message
  }

  @Test func scalarsGoInAndComeOut() throws {
    try lua.setGlobal("add", to: lua.function("add") { (a: Int, b: Int) in a + b })
    try lua.setGlobal("half", to: lua.function("half") { (number: Double) in number / 2 })
    try lua.setGlobal("shout", to: lua.function("shout") { (text: String) in text + "!" })
    try lua.setGlobal("flip", to: lua.function("flip") { (flag: Bool) in !flag })
    try lua.setGlobal("seven", to: lua.function("seven") { 7 })
    #expect(try lua.evaluate("return add(1, 2)", as: Int.self) == 3)
    #expect(try lua.evaluate("return add(1.0, 2)", as: Int.self) == 3)
    #expect(try lua.evaluate("return half(3)", as: Double.self) == 1.5)
    #expect(try lua.evaluate("return half(1 / 0)", as: Double.self) == .infinity)
    #expect(try lua.evaluate("return shout('hé')", as: String.self) == "hé!")
    #expect(try lua.evaluate("return flip(false)", as: Bool.self))
    #expect(try lua.evaluate("return seven()", as: Int.self) == 7)
  }

  @Test func aNamedArgumentOfAnotherUnicodeFormIsUnknown() throws {
    let function = try lua.function("f", parameters: ["\u{E9}"]) { (number: Int?) in number ?? 0 }
    try lua.setGlobal("f", to: function)
    #expect(try lua.evaluate("return f { [\"\u{E9}\"] = 1 }", as: Int.self) == 1)
    #expect(try message("return f { [\"e\u{301}\"] = 1 }").contains("'f' has no argument"))
  }

  @Test func codableTypesGoInAndComeOutAsTables() throws {
    struct Point: Codable, Equatable {
      var x: Int
      var y: Double?
    }
    enum Side: String, Codable { case left, right }
    try lua.setGlobal(
      "move",
      to: lua.function("move") { (point: Point, side: Side, steps: [Int]) in
        Point(x: point.x + steps.reduce(0, +) * (side == .left ? -1 : 1), y: point.y)
      })
    let moved = try lua.evaluate(
      "return move({ x = 10, y = 2 }, 'left', { 1, 2 })", as: Point.self)
    #expect(moved == Point(x: 7, y: 2))
    #expect(try message("move({ y = 1 }, 'left', {})").hasSuffix("(the key 'x' is missing)"))
    #expect(
      try message("move({ x = 1 }, 'left', { 1, 'two' })")
        == "bad argument #3 to 'move' (at [2]: integer expected, got string)")
    #expect(
      try message("move({ x = print }, 'left', {})")
        == "bad argument #1 to 'move' (value.x: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name)"
    )
  }

  @Test func datesAreSecondsSince1970AndURLsAreTexts() throws {
    try lua.setGlobal(
      "nextDay",
      to: lua.function("nextDay") { (date: Date) in date.addingTimeInterval(86_400) })
    try lua.setGlobal("host", to: lua.function("host") { (url: URL) in url.host() })
    try lua.setGlobal(
      "page", to: lua.function("page") { URL(string: "https://a.org/b").map { [$0] } })
    try lua.setGlobal("twice", to: lua.function("twice") { (time: Duration) in time * 2 })
    #expect(try lua.evaluate("return nextDay(0.5)", as: Double.self) == 86_400.5)
    #expect(
      try lua.evaluate("return 86400", as: Date.self) == Date(timeIntervalSince1970: 86_400))
    #expect(try lua.evaluate("return host('https://a.org/b')", as: String.self) == "a.org")
    #expect(try lua.evaluate("return page()[1]", as: String.self) == "https://a.org/b")
    #expect(try lua.evaluate("return twice(0.25)", as: Double.self) == 0.5)
    #expect(
      try message("nextDay('today')")
        == "bad argument #1 to 'nextDay' (number expected, got string)")
    #expect(
      try message("host { 'a' }") == "bad argument #1 to 'host' (string expected, got table)")
  }

  @Test func dataIsAStringWithExactlyItsBytes() throws {
    try lua.setGlobal(
      "reversed", to: lua.function("reversed") { (data: Data) in Data(data.reversed()) })
    try lua.setGlobal("size", to: lua.function("size") { (_: Int, data: Data?) in data?.count })
    try lua.setGlobal("kind", to: lua.function("kind") { (value: LuaValue) in value.bytes?.count })
    #expect(
      try lua.evaluate(#"return reversed("a\0\xfe\xff") == "\xff\xfe\0a""#, as: Bool.self))
    #expect(try lua.evaluate(#"return "\xc3\xa9\xc3""#, as: Data.self) == Data([0xC3, 0xA9, 0xC3]))
    #expect(try lua.evaluate("return 'hé'", as: Data.self) == Data("hé".utf8))
    #expect(try lua.evaluate("return size(1, '\\xff\\xff')", as: Int.self) == 2)
    #expect(try lua.evaluate("return size(1)", as: Int?.self) == nil)
    #expect(try lua.evaluate("return kind('\\xff')", as: Int.self) == 1)
    #expect(try lua.evaluate("return kind('é')", as: Int.self) == 2)
    let table = try lua.evaluate("return {}", as: LuaTable.self)
    try table.set("key", to: Data([0xFF]))
    #expect(try table["key"].bytes == [0xFF])
    #expect(try table.get("key", as: Data.self) == Data([0xFF]))
  }

  @Test func aStringThatIsNotUTF8IsNoStringAndNothingInItIsReplaced() throws {
    try lua.setGlobal("shout", to: lua.function("shout") { (text: String) in text + "!" })
    try lua.setGlobal("count", to: lua.function("count") { (number: Int) in number })
    try lua.setGlobal("any", to: lua.function("any") { (value: Value) in value })
    try lua.setGlobal("same", to: lua.makeFunction("same") { .values($0) })
    let reason =
      "UTF-8 expected, got a string of other bytes, which only the type Data takes"
    #expect(
      try message(#"shout("a\xff")"#)
        == "bad argument #1 to 'shout' (\(reason))")
    #expect(
      try message(#"count("\xff")"#) == "bad argument #1 to 'count' (integer expected, got string)")
    #expect(
      try message(#"any("\xff")"#) == "bad argument #1 to 'any' (\(reason))")
    let error = try failure { _ = try lua.evaluate(#"return "\xff""#, as: String.self) }
    #expect(error.message.hasPrefix("bad result (UTF-8 expected"))

    #expect(try lua.evaluate(#"return same("a\xff") == "a\xff""#, as: Bool.self))
    let value = try lua.evaluate(#"return "a\"\xff""#, as: LuaValue.self)
    #expect(value.string == nil)
    #expect(value.bytes == [0x61, 0x22, 0xFF])
    #expect(value.typeName == "string")
    #expect("\(value)" == #""a\x22\xff""#)
    #expect(Value(value) == nil)
    #expect(throws: EncodingError.self) { try Value(encoding: [value]) }
  }

  @Test func anOptionalParameterMayBeLeftOutAndANilResultIsNil() throws {
    try lua.setGlobal(
      "find",
      to: lua.function("find") { (name: String, limit: Int?) -> Int? in
        name == "known" ? limit ?? 20 : nil
      })
    #expect(try lua.evaluate("return find('known')", as: Int.self) == 20)
    #expect(try lua.evaluate("return find('known', nil, nil)", as: Int.self) == 20)
    #expect(try lua.evaluate("return find('known', 3)", as: Int.self) == 3)
    #expect(
      try lua.evaluate("return find('other') == nil, select('#', find('x'))", as: (Bool, Int).self)
        == (true, 1))
  }

  @Test func aFunctionWithoutAResultReturnsNoneAndLuaResultsAreSeveral() throws {
    try lua.setGlobal("quiet", to: lua.function("quiet") { (_: Int) in })
    try lua.setGlobal(
      "divide",
      to: lua.function("divide") { (a: Int, b: Int) in try LuaResults(a / b, a % b, "done") })
    #expect(try lua.evaluate("return select('#', quiet(1))", as: Int.self) == 0)
    let results = try lua.evaluate("return divide(7, 2)", as: (Int, Int, String).self)
    #expect(results == (3, 1, "done"))
  }

  @Test func argumentsThatDoNotFitAreRefusedBeforeTheBodyRuns() throws {
    var calls = 0
    try lua.setGlobal(
      "add",
      to: lua.function("add") { (a: Int, b: Int) in
        calls += 1
        return a + b
      })
    try lua.setGlobal("none", to: lua.function("none") { calls += 1 })
    #expect(try message("add(1, 'x')") == "bad argument #2 to 'add' (integer expected, got string)")
    #expect(try message("add(1)") == "bad argument #2 to 'add' (integer expected, got no value)")
    #expect(
      try message("add(1, nil)") == "bad argument #2 to 'add' (integer expected, got no value)")
    #expect(
      try message("add(1.5, 1)")
        == "bad argument #1 to 'add' (number has no integer representation)")
    #expect(try message("add({}, 1)") == "bad argument #1 to 'add' (integer expected, got table)")
    #expect(
      try message("add(print, 1)") == "bad argument #1 to 'add' (integer expected, got function)")
    #expect(
      try message("add(1, 2, 3)") == "bad argument #3 to 'add' (it takes 2 at most, got 3)")
    #expect(try message("none({})") == "bad argument #1 to 'none' (it takes none, got 1)")
    #expect(calls == 0)
    let error = try failure { try lua.evaluate("local a\n\nadd(1, 'x')", name: "guest.lua") }
    #expect(error.script == "guest.lua" && error.line == 3)
    #expect(try lua.evaluate("return pcall(add, 1)", as: Bool.self) == false)
  }

  @Test func parametersWithNamesTakeOneTableOfArguments() throws {
    try lua.setGlobal(
      "search",
      to: lua.function("search", parameters: ["query", "limit"]) { (query: String, limit: Int?) in
        "\(query) \(limit ?? 20)"
      })
    #expect(
      try lua.evaluate("return search { query = 'milk', limit = 3 }", as: String.self) == "milk 3")
    #expect(try lua.evaluate("return search('milk')", as: String.self) == "milk 20")
    #expect(
      try message("search { qeury = 'milk' }")
        == "'search' has no argument 'qeury'; did you mean 'query'?")
    #expect(
      try message("search('milk', 'x')")
        == "bad argument #2 'limit' to 'search' (integer expected, got string)")
  }

  @Test func tablesFunctionsAndAnyValuesArePassedAsTheyAre() throws {
    try lua.setGlobal(
      "each",
      to: lua.function("each") { (list: LuaTable, body: LuaFunction?, rest: LuaValue) in
        for element in try list.elements() { try body?.call(element, as: Void.self) }
        try list.set("seen", to: true)
        return rest
      })
    let sum = try lua.evaluate(
      """
      local sum, list = 0, { 1, 2, 3 }
      local same = each(list, function(n) sum = sum + n end, list)
      return sum, list.seen, same == list, each({}) == nil
      """, as: (Int, Bool, Bool, Bool).self)
    #expect(sum == (6, true, true, true))
    #expect(try message("each(1)") == "bad argument #1 to 'each' (table expected, got number)")
    #expect(
      try message("each({}, 1)") == "bad argument #2 to 'each' (function expected, got number)")
    #expect(try message("each()") == "bad argument #1 to 'each' (table expected, got no value)")
    let other = try LuaVM()
    try lua.setGlobal("foreign", to: lua.function("foreign") { try other.makeTable() })
    #expect(
      try message("foreign()") == "a table or function of another VM cannot be used here")
  }

  @Test func aReferenceInsideOfAnotherValueIsRefused() throws {
    struct Options: Decodable { var done: LuaFunction }
    try lua.setGlobal("run", to: lua.function("run") { (_: Options) in })
    #expect(try message("run({ done = print })").contains("a function cannot be stored in state"))
    try lua.setGlobal("list", to: lua.function("list") { (lua: LuaVM) in [try lua.makeTable()] })
    #expect(try message("list()").contains("a reference cannot be part of another value"))
  }

  @Test func aBodyGetsTheVMAndCallsBack() throws {
    try lua.setGlobal(
      "twice",
      to: lua.function("twice") { (lua: LuaVM, body: LuaFunction, text: String) in
        let once = try body.call(text, as: String.self)
        let table = try lua.makeTable()
        try table.set("text", to: try body.call(once, as: String.self))
        return table
      })
    let text = try lua.evaluate(
      "return twice(function(t) return t .. '.' end, 'so').text", as: String.self)
    #expect(text == "so..")
  }

  @Test func aThrownErrorIsAnErrorInLuaAndTheCauseOfWhatTheHostGets() throws {
    struct Refusal: Error, Equatable {}
    try lua.setGlobal("refuse", to: lua.function("refuse") { throw Refusal() })
    let caught = try lua.evaluate(
      "local ok, text = pcall(function()\nrefuse() end) return ok, text", name: "guest.lua",
      as: (Bool, String).self)
    #expect(caught == (false, "guest.lua:2: Refusal()"))
    let error = try failure { try lua.evaluate("\nrefuse()", name: "guest.lua") }
    #expect(error.cause as? Refusal == Refusal())
    #expect(error.line == 2)
  }

  @Test func anErrorOfAScriptThatIsCalledBackPassesThrough() throws {
    try lua.setGlobal(
      "apply", to: lua.function("apply") { (body: LuaFunction) in try body.call(as: Void.self) })
    let error = try failure {
      try lua.evaluate("apply(function()\nerror({ code = 4 })\nend)", name: "guest.lua")
    }
    #expect(error.value == ["code": 4])
    #expect(
      try lua.evaluate(
        "return pcall(apply, function() error('no', 0) end)", as: (Bool, String).self)
        == (false, "no"))
  }

  @Test func endlessRecursionThroughTheHostIsAnErrorAndTheVMStaysUsable() throws {
    try lua.setGlobal(
      "again", to: lua.function("again") { (body: LuaFunction) in try body.call(as: Void.self) })
    #expect(try message("local function f() again(f) end f()").contains("overflow"))
    #expect(try lua.evaluate("again(function() end) return 1", as: Int.self) == 1)
  }

  @Test func aResultThatCannotBeEncodedIsAnError() throws {
    try lua.setGlobal("list", to: lua.function("list") { [Double.nan] })
    #expect(try message("list()").hasPrefix("bad result of 'list'"))
    try lua.setGlobal("nan", to: lua.function("nan") { Double.nan })
    #expect(try lua.evaluate("local n = nan() return n ~= n", as: Bool.self))
  }

  @Test func aFunctionIsReleasedWithItsLastReference() throws {
    let tally = Tally()
    do {
      let object = Boxed(tally)
      try lua.setGlobal("living", to: lua.function("living") { object.tally.living })
    }
    #expect(try lua.evaluate("return living()", as: Int.self) == 1)
    try lua.setGlobal("living", to: LuaValue.nil)
    lua.collectGarbage()
    lua.collectGarbage()
    #expect(tally.living == 0)
  }
}
