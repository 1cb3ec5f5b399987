import LuaBridge
import Testing

@Suite struct NullTests {
  @Test func `null is true, equal to itself and says its name`() throws {
    try SandboxScript().run(
      """
      assert(null and null == null and null ~= nil)
      same(tostring(null), "null")
      same(("%s"):format(null), "null")
      same(type(null), "userdata")
      """)
  }

  @Test func `mistaking null for a table, number or string says that it is null`() throws {
    try SandboxScript().run(
      """
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

  @Test func `what null does cannot be changed`() throws {
    try SandboxScript().run(
      """
      same(getmetatable(null), false)
      raises("table expected", setmetatable, null, {})
      """)
  }
}
