import LuaBridge
import Testing

/// Scripts whose stack would have to be larger than memory allows. Since 5.4.5 Lua has offsets in place of pointers while it makes a
/// stack larger, so that nobody may look at the frames then.
@Suite struct StackLimitTests {
  @Test(arguments: [
    ("unpack", "return table.unpack({}, 1, 900000)"),
    (
      "unpack beside a table",
      "local t = {} for i = 1, 3e5 do t[i] = i end return table.unpack({}, 1, 900000)"
    ),
    ("unpack in pcall", "while true do pcall(table.unpack, {}, 1, 900000) end"),
    (
      "select",
      "local function f(...) return select('#', ...) end return f(table.unpack({}, 1, 9e5))"
    ),
    ("results", "return (function(...) return ... end)(table.unpack({}, 1, 9e5))"),
    ("recursion", "local function f(a) return 1 + f({ a }) end return f()"),
    (
      "recursion beside a table",
      "local t = {} for i = 1, 2e5 do t[i] = i end local function f() return 1 + f() end return f()"
    ),
    (
      "varargs",
      "local function f(...) return f(1, 2, 3, 4, 5, 6, 7, 8, 9, ...) + 1 end return f()"
    ),
    (
      "a handler of xpcall",
      "return xpcall(table.unpack, function() return table.unpack({}, 1, 9e5) end, {}, 1, 9e5), error('x', 0)"
    ),
  ])
  func aStackThatWouldBeTooLargeIsRefused(what: String, source: String) throws {
    for limits in [
      LuaLimits(time: .seconds(20), memory: 4 << 20),
      LuaLimits(time: .seconds(20), memory: 10 << 20),
      LuaLimits(time: .seconds(20), memory: 64 << 20, memoryPerTurn: 3 << 20),
    ] {
      let script = try SandboxScript()
      try script.lua.setLimits(limits)
      for body in [source, "local c <close> = setmetatable({}, { __close = print }) " + source] {
        let error = try failure { try script.run("\n" + body) }
        #expect(error.kind == .memory, "\(error)")
        #expect(error.message.hasPrefix("not enough memory: "), "\(error)")
        #expect(script.lua.memory.peak <= limits.memory!)
        #expect(try script.run("return 7").first?.integer == 7)
      }
    }
  }

  @Test func whatWantsAStackThatIsTooLargeHasItsPlace() throws {
    let script = try SandboxScript()
    try script.lua.setLimits(LuaLimits(time: .seconds(20), memory: 4 << 20))
    let error = try failure { try script.run("\nreturn (table.unpack({}, 1, 900000))") }
    #expect(error.script == "module.lua")
    #expect(error.line == 2)
    #expect(error.traceback?.contains("module.lua:2:") == true, "\(error.traceback ?? "")")
  }
}
