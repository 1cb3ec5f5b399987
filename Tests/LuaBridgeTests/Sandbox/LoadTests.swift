import LuaBridge
import Testing

@Suite struct LoadTests {
  @Test func loadRunsTextInTheGlobalsOfTheModuleThatCallsIt() throws {
    try SandboxScript().run(
      """
      same(load("return 1 + 1")(), 2)
      raises("global 'nowhere' is not declared", assert(load("return nowhere")))
      rawset(_ENV, "mine", 5)
      same(load("return mine")(), 5)
      """)
  }

  @Test func loadTakesPiecesFromAFunction() throws {
    try SandboxScript().run(
      """
      local pieces = { "return ", "4", "2" }
      local at = 0
      same(load(function() at = at + 1; return pieces[at] end)(), 42)
      """)
  }

  @Test func loadReturnsNilAndAMessageForTextThatDoesNotCompile() throws {
    try SandboxScript().run(
      """
      local f, message = load("return +", "=formula")
      same(f, nil)
      assert(message:find("formula:1:", 1, true), message)
      """)
  }

  @Test func loadTakesATableOrADraftForGlobals() throws {
    let script = try SandboxScript()
    try script.run("same(load('x = 1 return x', 'n', 't', {})(), 1)")
    try script.handle(
      """
      state.a = 1
      load("b = a + 1", "n", "t", state)()
      same(state.b, 2)
      """)
    try script.run("raises('table expected', load, 'return 1', 'n', 't', 3)")
  }

  @Test func bytecodeIsRefused() throws {
    try SandboxScript().run(
      """
      same(load("\\27Lua"), nil)
      same(load("return 1", "n", "b"), nil)
      same(load(function() return "\\27Lua" end, "n", "bt"), nil)
      same(string.dump, nil)
      """)
  }
}
