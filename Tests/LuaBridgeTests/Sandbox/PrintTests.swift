import LuaBridge
import Testing

@Suite struct PrintTests {
  @Test func printWritesToStandardErrorWithoutAddresses() async throws {
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      let script = try SandboxScript()
      try script.run("print('to whom', 1, 2.0, nil, {}, null)")
    }
    let printed = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(printed.contains("to whom\t1\t2.0\tnil\t{}\tnull\n"))
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    #expect(!output.contains("to whom"))
  }

  @Test func printShowsAValueOfStateAsLuaTextAndOtherTablesByTheirNumbers() throws {
    let script = try SandboxScript()
    script.lua.collectOutput()
    try script.run(
      """
      print({ 1, { b = 2 } }, { 1, a = 2 }, { f = print }, setmetatable({}, { __name = "money" }))
      print(setmetatable({}, { __tostring = function() return "me" end }))
      local deep = {}
      deep.deep = deep
      print(deep)
      local long = {}
      for i = 1, 3 do long[i] = string.rep("x", 40) end
      print(long)
      """)
    let x = String(repeating: "x", count: 40)
    #expect(
      script.lua.takeOutput() == [
        "{ 1, { b = 2 } }\ttable: 1\ttable: 2\tmoney: 3", "me", "table: 4", "{",
        "  \"\(x)\",", "  \"\(x)\",", "  \"\(x)\",", "}",
      ])
  }

  @Test func aValueWithATypeNameOfItsOwnCanStandBetweenLongTexts() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let script = try SandboxScript()
      try script.run(
        """
        local named = setmetatable({}, { __name = "money" })
        local long = string.rep("x", 5000)
        print(long, named, long .. long, named, long .. long .. long)
        assert(string.format("%s|%s", named, "y"):find("^money: %d+|y$"))
        assert(not pcall(string.format, "%s %s", named))
        """)
    }
    let long = String(repeating: "x", count: 5000)
    let printed = String(decoding: result.standardErrorContent, as: UTF8.self)
    let words = [long, "money: 1", long + long, "money: 1", long + long + long]
    #expect(printed.contains(words.joined(separator: "\t") + "\n"))
  }
}
