import LuaBridge
import Testing

@Suite struct HostGlobalsTests {
  private let lua: LuaVM

  init() throws { lua = try LuaVM() }

  @Test func scriptsThatAreLoadedLaterSeeThem() throws {
    let before = try lua.makeEnvironment()
    try lua.setGlobal("answer", to: 42)
    #expect(try lua.evaluate("return answer", as: Int.self) == 42)
    #expect(try lua.globals["answer"].int == 42)
    let error = try failure { try lua.evaluate("return answer", environment: before) }
    #expect(error.message.contains("global 'answer' is not declared"))
    try lua.setGlobal("answer", to: Int?.none)
    #expect(throws: ScriptError.self) { try lua.evaluate("return answer") }
  }

  @Test func aScriptThatChangesOneChangesItsOwn() throws {
    try lua.setGlobal("answer", to: 42)
    try lua.evaluate("answer = 1")
    #expect(try lua.evaluate("return answer", as: Int.self) == 42)
  }

  @Test func aTableAmongThemIsShared() throws {
    try lua.setGlobal("shared", to: lua.makeTable())
    try lua.evaluate("shared.count = 1")
    #expect(try lua.evaluate("return shared.count", as: Int.self) == 1)
  }

  @Test func oneReplacesAFunctionOfTheSandbox() throws {
    var printed: [String] = []
    try lua.setGlobal("print", to: lua.function("print") { (text: String) in printed.append(text) })
    try lua.evaluate("print('hello')")
    #expect(printed == ["hello"])
  }

  @Test func anEnvironmentMayLetScriptsDeclareGlobals() throws {
    let strict = try lua.makeEnvironment()
    #expect(
      try failure { try lua.evaluate("x = 1", environment: strict) }.message.contains(
        "global 'x' is not declared"))
    let open = try lua.makeEnvironment(declaringGlobals: true)
    try lua.evaluate("x = 1", environment: open)
    #expect(try lua.evaluate("return x + _G.x", environment: open, as: Int.self) == 2)
    #expect(throws: ScriptError.self) { try lua.evaluate("return y", environment: open) }
  }
}
