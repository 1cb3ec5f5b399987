import LuaBridge
import Testing

@Suite struct PatternTests {
  @Test func theExamplesOfTheManualHold() throws {
    try SandboxScript().run(
      """
      same(("hello world from Lua"):gsub("(%w+)", "%1 %1", 1), "hello hello world from Lua")
      same((("hello world"):gsub("%w+", "%0 %0")), "hello hello world world")
      same((("hello world from Lua"):gsub("(%w+)%s*(%w+)", "%2 %1")), "world hello Lua from")
      same((("THE (quick) fox"):find("%((%a+)%)")), 5)
      same(select(3, ("THE (quick) fox"):find("%((%a+)%)")), "quick")
      same(("THE (quick) fox"):gsub("%f[%a]%a+", "x"), "x (x) x")
      same(("f(a(b)c)d"):match("%b()"), "(a(b)c)")
      local from, to = ("flaaap"):match("()aa()")
      same(from, 3)
      same(to, 5)
      same(("\\0a\\0b"):find("%z", 2), 3)
      same(("x = \\"a\\""):match("([\\"']).-%1"), "\\"")
      local pairs = {}
      for key, value in ("from=world, to=Lua"):gmatch("(%w+)=(%w+)") do pairs[key] = value end
      same(pairs.from .. pairs.to, "worldLua")
      """)
  }

  @Test func aMistakeIsToldWithTheLineOnceMatchingComesToIt() throws {
    try SandboxScript().run(
      """
      same(raises("malformed pattern", function() return ("a"):find("a[") end),
        "module.lua:1: malformed pattern (missing ']')")
      same(("b"):find("a["), nil)
      raises("bad argument #2 to 'find' (number expected, got string)", function() ("a"):find("a", "x") end)
      raises("bad argument #3 to 'gsub' (string/function/table expected, got nil)", function() string.gsub("a", "a", nil) end)
      raises("invalid replacement value (a table)", string.gsub, "a", "a", function() return {} end)
      """)
  }

  @Test func aReplacementMayMatchWithTheSamePatternMeanwhile() throws {
    try SandboxScript().run(
      """
      local function double(text, depth)
        return (text:gsub("(%w)(%w?)", function(a, b)
          for i = 1, 200 do same(("x" .. i):match("^x" .. i .. "$"), "x" .. i) end
          return depth > 0 and double(a .. b, depth - 1) .. a .. b or "."
        end))
      end
      same(double("abc d", 2), ".abab.cc .dd")
      local words = {}
      for a in ("a b c"):gmatch("%w") do
        for b in ("1 2"):gmatch("%w") do words[#words + 1] = a .. b end
      end
      same(table.concat(words, " "), "a1 a2 b1 b2 c1 c2")
      """)
  }

  @Test func longPatternsAndVeryManyWorkAsTheFirstOnesDo() throws {
    try SandboxScript().run(
      """
      for round = 1, 3 do
        for length = 1, 300, 7 do
          local text = ("ab"):rep(length)
          same(text:find("^" .. text .. "$"), 1)
          same(("x" .. text):match("(" .. text .. ")"), text)
          same(#text:gsub("[ab]" .. ("a?b?"):rep(40), "%%", 1) <= #text, true)
        end
      end
      """)
  }

  @Test func anIteratorGoesOnInItsSubjectWhateverElseMatchesInBetween() throws {
    try SandboxScript().run(
      """
      local step = ("a1b2c3"):gmatch("%a()")
      for i = 1, 3 do
        same(step(), i * 2)
        for j = 1, 100 do same(("k" .. j):find("%a" .. j), 1) end
      end
      same(step(), nil)
      same(step(), nil)
      """)
  }

  @Test func aStateTableGivesReplacementsWithPositionsAsKeysToo() throws {
    try SandboxScript().handle(
      """
      state.names = { a = "Ada", inner = {} }
      state.list = { "one", "two" }
      same(("$a $b"):gsub("%$(%w+)", state.names), "Ada $b")
      same(("xy"):gsub("()", state.list, 2), "onextwoy")
      raises("invalid replacement value (a table)", string.gsub, "inner", "%w+", state.names)
      """)
  }
}
