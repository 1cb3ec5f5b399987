import LuaBridge
import Testing

@Suite struct NullTests {
  @Test func nullIsTrueEqualToItselfAndSaysItsName() throws {
    try SandboxScript().run(
      """
      assert(null and null == null and null ~= nil)
      same(tostring(null), "null")
      same(("%s"):format(null), "null")
      same(type(null), "userdata")
      """)
  }

  @Test func mistakingNullForATableNumberOrStringSaysThatItIsNull() throws {
    try SandboxScript().run(
      """
      raises("ask scripted.isNull(value) first", function() for _ in pairs(null) do end end)
      raises("ask scripted.isNull(value) first", function() for _ in ipairs(null) do end end)
      raises("attempt to index null (field 'title')", function() return null.title end)
      raises("attempt to index null", function() null.title = 1 end)
      raises("arithmetic on null", function() return null + 1 end)
      raises("arithmetic on null", function() return 1 - null end)
      raises("compare null", function() return null < 1 end)
      raises("concatenate null", function() return "a" .. null end)
      raises("length of null", function() return #null end)
      raises("call null", function() null() end)
      """)
  }

  @Test func whatNullDoesCannotBeChanged() throws {
    try SandboxScript().run(
      """
      same(getmetatable(null), false)
      raises("table expected", setmetatable, null, {})
      """)
  }
}
