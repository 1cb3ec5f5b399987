import LuaBridge
import Testing

@Suite struct ScriptErrorTests {
  private func raise(_ source: String, name: String = "script.lua") throws -> ScriptError {
    let lua = try LuaVM()
    return try failure { try lua.evaluate(source, name: name) }
  }

  @Test func anErrorTellsItsMessageScriptLineAndTraceback() throws {
    let error = try raise("local function inner()\n  local x = nil + 1\nend\ninner()")
    #expect(error.kind == .runtime)
    #expect(error.message == "attempt to perform arithmetic on a nil value")
    #expect(error.script == "script.lua")
    #expect(error.line == 2)
    #expect(error.description == "script.lua:2: attempt to perform arithmetic on a nil value")
    let traceback = try #require(error.traceback)
    #expect(traceback.contains("script.lua:2: in "))
    #expect(traceback.contains("script.lua:4: in main chunk"))
    #expect(error.value == nil)
  }

  @Test func aLevelOfTwoNamesTheCaller() throws {
    let error = try raise("local function check() error('wrong', 2) end\n\ncheck()")
    #expect(error.message == "wrong")
    #expect(error.line == 3)
  }

  @Test func aMessageWithoutPositionIsTakenAsItIs() throws {
    let error = try raise("\nerror('key: value', 0)")
    #expect(error.message == "key: value")
    #expect(error.line == 2)
    #expect(try raise("error('', 0)").message == "")
    #expect(try raise("error('a:b', 0)").message == "a:b")
    #expect(try raise("error('a.lua:1: ', 0)").message == "")
  }

  @Test func aLongScriptNameIsNotCutShort() throws {
    let name = "features/" + String(repeating: "deeply/", count: 20) + "counter.lua"
    let error = try raise("error('x')", name: name)
    #expect(error.script == name)
    #expect(error.message == "x")
    #expect(try raise("return +", name: name).script == name)
  }

  @Test func anErrorValueSurvivesWhatCloseVariablesDoOnItsWay() throws {
    let source = """
      local function close()
        local junk = {}
        for i = 1, 1000 do junk[i] = tostring(i) .. "junk" end
        use({ list = junk })
        for i = 1, 1000 do junk[i] = { i } end
      end
      local x <close> = setmetatable({}, { __close = close })
      error({ code = 3, list = { ("a"):rep(50) } })
      """
    let lua = try LuaVM()
    let environment = try lua.makeEnvironment()
    let use = try lua.makeFunction("use", tablesAsValues: true) { _ in .values([]) }
    try environment.set("use", to: .function(use))
    let error = try failure { try lua.evaluate(source, name: "x", environment: environment) }
    #expect(error.value == ["code": 3, "list": [.string(String(repeating: "a", count: 50))]])
    #expect(error.line == 8)
  }

  @Test func anErrorValueThatIsATableOrNumberSurvives() throws {
    let table = try raise("error { code = 3, list = { 'a' } }")
    #expect(table.value == ["code": 3, "list": ["a"]])
    #expect(table.line == 1)
    #expect(table.message.hasPrefix("error value: "))
    #expect(try raise("error(42)").value == 42)
    #expect(try raise("error(true)").value == true)
    #expect(try raise("error()").value == nil)
  }

  @Test func anErrorValueWithAMessageBeginsWithThatAndLongFieldsAreCut() throws {
    #expect(try raise("error { message = 'gone', code = 404 }").message == "gone { code = 404 }")
    #expect(try raise("error { message = 'gone' }").message == "gone")
    #expect(
      try raise("error { message = 'gone', url = 'https://a.b/', ['is it'] = true }").message
        == #"gone { ["is it"] = true, url = "https://a.b/" }"#)
    let address = try raise("error { message = 'http://a:80: gone' }")
    #expect(address.message == "http://a:80: gone")
    #expect(address.line == 1)
    #expect(try raise("error { message = 4 }").message == "error value: { message = 4 }")
    let long = try raise("error { message = 'gone', body = ('é'):rep(1e5), code = 'status' }")
    #expect(
      long.message
        == "gone { code = \"status\", body = \"\(String(repeating: "é", count: 300))…\" }")
    #expect(long.value?["body"].string?.count == 100_000)
    let list = try raise("error { message = 'gone', list = { ('a'):rep(1000) } }")
    #expect(list.message == "gone { list = { \"\(String(repeating: "a", count: 297))… }")
  }

  @Test func aMessageWithoutAPositionMayBeginLikeOne() throws {
    let error = try raise("\nerror('GET http://a:80: refused', 0)")
    #expect(error.message == "GET http://a:80: refused")
    #expect(error.line == 2)
    let again = try raise(
      "local _, e = pcall(error, 'gone', 1) local _, f = pcall(function() error('x') end)\n error(f, 0)"
    )
    #expect(again.description == "script.lua:1: x")
  }

  @Test func anErrorValueThatNoStateCanHoldIsToldByItsType() throws {
    for (source, type) in [
      ("error(print)", "function"), ("error({ f = print })", "table"), ("error(nil)", "nil"),
      ("local t = {} t.t = t error(t)", "table"),
    ] {
      let error = try raise(source)
      #expect(error.value == nil)
      #expect(error.message == "error value: \(type)")
    }
  }

  @Test func anErrorValueWithATextIsToldByThat() throws {
    let error = try raise(
      "\nerror(setmetatable({ f = print }, { __tostring = function() return 'no luck' end }))")
    #expect(error.description == "script.lua:2: no luck")
    #expect(error.value == nil)
    let placed = try raise(
      "error(setmetatable({}, { __tostring = function() return 'other.lua:7: no luck' end }))")
    #expect(placed.description == "other.lua:7: no luck")
    for (text, message) in [
      ("'a' .. nil", "script.lua:1: attempt to concatenate a nil value"),
      ("{}", "'__tostring' must return a string"),
      ("error(setmetatable({}, {}))", "table"),
    ] {
      let failed = try raise(
        "error(setmetatable({}, { __tostring = function() return \(text) end }))")
      #expect(failed.message == "error value: table, whose `__tostring` failed: \(message)")
      #expect(failed.line == 1)
    }
  }

  @Test func theTextOfAnErrorValueMayCallTheHostWhichCallsScriptsThatFail() throws {
    let lua = try LuaVM()
    let environment = try lua.makeEnvironment()
    let call = try lua.makeFunction("call") { arguments in
      let error = try failure { _ = try #require(arguments[0].function).call() }
      return .values([.string("\(error)")])
    }
    try environment.set("call", to: .function(call))
    let error = try failure {
      try lua.evaluate(
        """
        local Raised = { __tostring = function()
          return "raised: " .. call(function() error("another") end)
        end }

        error(setmetatable({}, Raised))
        """, name: "x.lua", environment: environment)
    }
    #expect(error.description == "x.lua:5: raised: x.lua:2: another")
    #expect(error.traceback?.contains("x.lua:5: in main chunk") == true)
  }

  @Test func aTracebackStartsWhereTheErrorWasRaisedUnderPcallToo() throws {
    let error = try raise("local ok, e = pcall(error, 'inner')\nerror(e)")
    #expect(error.message == "inner")
    #expect(error.line == 2)
  }

  @Test func endlessRecursionIsAnErrorAndTheVMGoesOn() throws {
    let lua = try LuaVM()
    for source in [
      "local function f() return 1 + f() end f()",
      "local function f() string.gsub('x', 'x', f) end f()",
      "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k .. 'x'] end return t.a",
      "error(setmetatable({}, { __tostring = function() error('again') end }))",
    ] {
      let error = try failure { try lua.evaluate(source) }
      #expect(error.kind == .runtime)
    }
    #expect(try lua.evaluate("return 7").first?.integer == 7)
  }

  @Test func aHugeMessageIsFoundItsPositionQuickly() throws {
    let error = try raise("error(('x'):rep(4000000), 0)")
    #expect(error.message.utf8.count == 4_000_000)
    #expect(error.line == 1)
  }

  @Test func aChunkOfTheHostsOwnIsLeftOutWhenAnErrorIsLocated() throws {
    let lua = try LuaVM()
    let environment = try lua.makeEnvironment()
    let host = try lua.load("return function(f) f() end", name: "=host").call()
    try environment.set("host", to: host[0])
    let script = try lua.load(
      "\nhost(function() local x = nil; x() end)", name: "mine.lua", environment: environment)
    let error = try failure { try script.call() }
    #expect(error.script == "mine.lua")
    #expect(error.line == 2)
  }

  struct Refusal: Error, Equatable, CustomStringConvertible {
    var description: String
  }

  @Test func theSwiftErrorOfAHostFunctionIsTheCause() throws {
    let lua = try LuaVM()
    let environment = try lua.makeEnvironment()
    let refuse = try lua.makeFunction("refuse") { _ in throw Refusal(description: "no entry") }
    try environment.set("refuse", to: .function(refuse))
    let script = try lua.load("\nlocal x = refuse()", name: "guest.lua", environment: environment)
    let error = try failure { try script.call() }
    #expect(error.message == "no entry")
    #expect(error.script == "guest.lua")
    #expect(error.line == 2)
    #expect(error.cause as? Refusal == Refusal(description: "no entry"))
  }

  @Test func aCauseThatAScriptCaughtIsNotBlamedForALaterError() throws {
    let lua = try LuaVM()
    let environment = try lua.makeEnvironment()
    let refuse = try lua.makeFunction("refuse") { _ in throw Refusal(description: "boom") }
    try environment.set("refuse", to: .function(refuse))
    try lua.evaluate("assert(not pcall(refuse))", environment: environment)
    let error = try failure { try lua.evaluate("error('boom', 0)", environment: environment) }
    #expect(error.cause == nil)
    let value = try failure {
      try lua.evaluate("pcall(refuse) error({ 'boom' })", environment: environment)
    }
    #expect(value.value == ["boom"])
    #expect(value.cause == nil)
  }

  @Test func aCauseThatAScriptCaughtIsNotBlamedForWhatAMetamethodRaises() throws {
    let lua = try LuaVM()
    let environment = try lua.makeEnvironment()
    let refuse = try lua.makeFunction("refuse") { _ in throw Refusal(description: "boom") }
    try environment.set("refuse", to: .function(refuse))
    let make = try lua.load(
      """
      local _, e = pcall(refuse)
      return setmetatable({}, { __index = function() error(e, 0) end })
      """, name: "make", environment: environment)
    for read in [{ _ = try $0["x"] }, { _ = try $0.elements() }] as [(LuaTable) throws -> Void] {
      guard case .table(let table) = try make.call()[0] else {
        Issue.record("no table was returned")
        return
      }
      let error = try failure { try read(table) }
      #expect(error.message == "boom")
      #expect(error.cause == nil)
    }
    try environment.set("wait", to: .function(lua.makeFunction("wait") { .yield($0) }))
    let closing = try lua.load(
      """
      local _, e = pcall(refuse)
      local x <close> = setmetatable({}, { __close = function() error(e, 0) end })
      wait()
      """, name: "closing", environment: environment
    ).makeCoroutine()
    _ = try closing.resume()
    let error = try failure { try closing.close() }
    #expect(error.message == "boom")
    #expect(error.cause == nil)
  }

  @Test(arguments: [
    ("pcall(refuse) error('kaboom')", false), ("pcall(refuse) error('boom', 0)", false),
    ("pcall(refuse)\nerror('boom')", false), ("pcall(silent) error('other', 0)", false),
    ("local _, e = pcall(refuse) error('over ' .. e, 0)", false),
    ("local _, e = pcall(refuse) pcall(silent) error(e, 0)", false),
    ("local _, e = pcall(refuse) error(e, 0)", true),
    ("local _, e = pcall(refuse) error(e)", false),
    ("local _, e = pcall(refuse) pcall(error, 'other') error(e, 0)", true),
    ("pcall(silent) refuse()", true), ("local x <close> = closing refuse()", true),
  ]) func aCauseIsWhatWasRaisedNotWhatReadsAlike(
    _ text: String, _ isCause: Bool
  ) throws {
    let lua = try LuaVM()
    let environment = try lua.makeEnvironment()
    for (name, description) in [("refuse", "boom"), ("silent", "")] {
      let function = try lua.makeFunction(name) { _ in throw Refusal(description: description) }
      try environment.set(.string(name), to: .function(function))
    }
    let closing = "return setmetatable({}, { __close = function() pcall(error, 'closed') end })"
    try environment.set(
      "closing", to: lua.load(closing, name: "closing", environment: environment).call()[0])
    let error = try failure { try lua.evaluate(text, environment: environment) }
    #expect(error.cause as? Refusal == (isCause ? Refusal(description: "boom") : nil))
  }

  @Test func aScriptThatAnotherOneRequiredKeepsItsError() throws {
    let lua = try LuaVM()
    let environment = try lua.makeEnvironment()
    let modules = [
      "outer.lua": "local m = require 'inner.lua'",
      "inner.lua": "\n\nrequire 'broken.lua'",
      "broken.lua": "local x = =",
      "raising.lua": "\nerror 'inside'",
      "table.lua": "error { code = 9 }",
    ]
    let require = try lua.makeFunction("require") { [unowned lua, unowned environment] arguments in
      let name = try #require(arguments[0].text)
      return .values(
        try lua.load(modules[name] ?? "", name: name, environment: environment).call([.string(name)]
        ))
    }
    try environment.set("require", to: .function(require))
    let syntax = try failure {
      try lua.evaluate("require 'outer.lua'", name: "main.lua", environment: environment)
    }
    #expect(syntax.kind == .syntax)
    #expect(syntax.script == "broken.lua")
    #expect(syntax.line == 1)
    #expect(syntax.message.contains("unexpected symbol"))

    let raised = try failure {
      try lua.evaluate("\nrequire 'raising.lua'", name: "main.lua", environment: environment)
    }
    #expect(raised.description == "raising.lua:2: inside")
    #expect(raised.traceback?.contains("raising.lua:2") == true)

    let value = try failure {
      try lua.evaluate("require 'table.lua'", name: "main.lua", environment: environment)
    }
    #expect(value.value == ["code": 9])
  }
}
