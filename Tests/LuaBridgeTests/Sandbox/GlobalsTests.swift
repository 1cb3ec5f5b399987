import LuaBridge
import Testing

@Suite struct GlobalsTests {
  @Test func aModuleSeesWhatTheContractListsAndNothingElse() throws {
    let script = try SandboxScript()
    let expected: [String: String] = [
      "_ENV": """
      _VERSION assert collectgarbage error getmetatable ipairs load math next os pairs pcall print \
      rawequal rawget rawlen rawset select setmetatable string table tonumber tostring type utf8 \
      xpcall
      """,
      "string": "byte char find format gmatch gsub len lower match pack packsize rep reverse sub "
        + "unpack upper",
      "table": "concat insert move pack remove sort unpack",
      "utf8": "char charpattern codepoint codes len offset",
      "os": "clock date difftime time",
    ]
    let names = try script.lua.load(
      """
      local names = {}
      for name in pairs((...)) do names[#names + 1] = name end
      table.sort(names)
      return table.concat(names, " ")
      """, name: "names")
    let fresh = try script.lua.makeEnvironment()
    for (library, list) in expected {
      let table = library == "_ENV" ? .table(fresh) : try fresh.get(.string(library))
      guard case .string(let found) = try names.call([table]).first else {
        Issue.record("no names of \(library)")
        continue
      }
      #expect(found == list)
    }
  }

  @Test(arguments: ["ipairs", "pairs"]) func aLoopOverNilSaysWhatToDo(name: String) throws {
    let script = try SandboxScript()
    try script.run(
      """
      raises("bad argument #1 to '\(name)' (table expected, got nil); is the name misspelt, or the value "
        .. "not there yet? '\(name)(list or {})' also takes nil", function() for _ in \(name)(nil) do end end)
      for _ in \(name)({}) do error() end
      """)
  }

  @Test(arguments: ["io", "debug", "coroutine", "package", "dofile", "loadfile", "_G"])
  func whatStockLuaHasAndAScriptMustNotIsAbsentAndSaysSo(name: String) throws {
    let script = try SandboxScript()
    try script.run(
      """
      same(rawget(_ENV, "\(name)"), nil)
      raises("global '\(name)' is not available to scripts", function() return \(name) end)
      """)
  }

  @Test(arguments: [
    "math.random()", "math.randomseed(1)", "os.clock()", "os.time()", "os.date()",
    "io.open('a')", "coroutine.wrap(print)", "send('a')", "state.n = 1",
  ])
  func withoutFeaturesNoMessageSpeaksOfThem(call: String) throws {
    let lua = try LuaVM()
    let message = try failure { try lua.evaluate(call, name: "guest.lua") }.message
    for word in ["depend", "deps", "effect", "handler", "feature"] {
      #expect(!message.contains(word), "\(message)")
    }
    #expect(message.contains("the host can ") || message.contains("is not declared"))
  }

  @Test func osCanNeitherStartProgramsNorTouchFiles() throws {
    try SandboxScript().run(
      """
      for name in ("execute exit getenv remove rename tmpname setlocale"):gmatch("%a+") do
        same(os[name], nil)
      end
      """)
  }

  @Test func readingAnUndeclaredGlobalRaisesWithItsNameAndLine() throws {
    let script = try SandboxScript()
    let error = #expect(throws: ScriptError.self) { try script.run("\nreturn countt") }
    #expect(error?.message.contains("global 'countt' is not declared") == true)
    #expect(error?.script == "module.lua")
    #expect(error?.line == 2)
  }

  @Test func writingAnUndeclaredGlobalRaisesWithItsName() throws {
    try SandboxScript().run(
      """
      raises("global 'count' is not declared; use 'local count'", function() count = 1 end)
      raises("use 'local function reset'", function() function reset() end end)
      same(rawget(_ENV, "count"), nil)
      """)
  }

  @Test func aNameThatIsNoStringIsShownToo() throws {
    try SandboxScript().run(
      "raises(\"global '12' is not declared\", function() return _ENV[12] end)")
  }

  @Test func aGlobalThatTheHostSetsIsReadLikeAnyOther() throws {
    let script = try SandboxScript()
    try script.environment.set("describe", to: 7)
    try script.run("same(describe, 7)")
  }

  @Test func whatGuardsTheGlobalsCanBeNeitherReadNorReplaced() throws {
    try SandboxScript().run(
      """
      same(getmetatable(_ENV), false)
      raises("protected metatable", setmetatable, _ENV, {})
      """)
  }

  @Test func writesToGlobalsAndLibrariesStayInTheirModuleRawsetIncluded() throws {
    let script = try SandboxScript()
    try script.run(
      """
      string.shout = function() end
      table.insert = nil
      rawset(math, "pi", 3)
      rawset(_ENV, "shared", 1)
      """)
    let other = try script.lua.makeEnvironment()
    try script.lua.evaluate(
      """
      assert(string.shout == nil and table.insert and math.pi > 3.1)
      assert(not pcall(function() return shared end))
      """, name: "other.lua", environment: other)
  }

  @Test func methodsOfStringsAreOutOfEveryScriptsReach() throws {
    try SandboxScript().run(
      """
      same(getmetatable(""), false)
      string.upper = function() return "poisoned" end
      same(("x"):upper(), "X")
      same(("").dump, nil)
      same("10" + 5, 15)
      for _, value in ipairs { 1, true, print } do same(getmetatable(value), nil) end
      """)
  }

  @Test func aFinaliserCannotBeSet() throws {
    try SandboxScript().run(
      """
      raises("'__gc'", setmetatable, {}, { __gc = function() end })
      local late = {}
      setmetatable({}, late)
      late.__gc = function() error("never") end
      same(getmetatable(setmetatable({}, { __name = "thing" })).__name, "thing")
      """)
  }

  @Test func tablesAreWeakWhereTheLimitsAllowIt() throws {
    let script = try SandboxScript()
    try script.run(
      """
      local weak = setmetatable({}, { __mode = "k" })
      for i = 1, 100 do weak[{}] = i end
      rawset(_ENV, "weak", weak)
      """)
    script.lua.collectGarbage()
    try script.run("same(next(weak), nil)")
  }

  @Test func elsewhereNoTableBecomesWeak() throws {
    let script = try SandboxScript()
    try script.lua.setLimits(LuaLimits(weakTables: false))
    try script.run(
      """
      raises("weak tables", setmetatable, {}, { __mode = "k" })
      local late, name = {}, "__" .. "mode"
      local kept = setmetatable({}, late)
      late.__mode = "k"
      rawset(late, name, "k")
      for i = 1, 100 do kept[{}] = { i } end
      rawset(_ENV, "kept", kept)
      """)
    script.lua.collectGarbage()
    try script.run("local n = 0 for _ in next, kept do n = n + 1 end same(n, 100)")
  }

  @Test func onlyTheCountOfCollectgarbageIsThere() throws {
    try SandboxScript().run(
      """
      assert(collectgarbage("count") > 0)
      for _, option in ipairs { "collect", "stop", "restart", "step", "generational", "isrunning" } do
        raises("not available", collectgarbage, option)
      end
      raises("not available", function() collectgarbage() end)
      """)
  }
}
