import LuaBridge
import Testing

@Suite struct PatternStepsTests {
  private func script(steps: Int) throws -> SandboxScript {
    let script = try SandboxScript()
    try script.lua.setLimits(LuaLimits(patternSteps: steps))
    return script
  }

  /// Each of these keeps stock Lua busy for hours.
  @Test(arguments: [
    #"return (("a"):rep(40) .. "c"):find(("a*"):rep(20) .. "b")"#,
    #"return ('"'):rep(1000):match(('(".-"'):rep(8) .. "b")"#,
    #"return ("a"):rep(3000):gsub((".-"):rep(6) .. "b", "x")"#,
    #"for _ in ("a"):rep(1000):gmatch(("a?"):rep(40) .. "b") do end"#,
    #"return ("x"):rep(100000):gsub("()x*y", function() end)"#,
    #"return ("("):rep(1000000):find("%b()")"#,
    #"return ("a"):rep(20000):find("^(a*)(a*)%1%2b")"#,
  ])
  func matchingThatTakesTooManyStepsIsStopped(source: String) throws {
    let script = try script(steps: 1_000_000)
    let error = try failure { try script.run(source) }
    #expect(error.message.contains("more than 1000000 steps"))
    #expect(error.line == 1)
    #expect(try script.run("return 1 + 1").first?.int == 2)
  }

  @Test func noPcallSwallowsTheStop() throws {
    let script = try script(steps: 100_000)
    let error = try failure {
      try script.run(
        """
        local function attack() return (("a"):rep(40)):find(("a*"):rep(20) .. "b") end
        while true do
          pcall(attack)
          xpcall(attack, function() while true do end end)
        end
        """)
    }
    #expect(error.message.contains("more than 100000 steps"))
    #expect(try script.run("return ('abc'):match('b')").first?.string == "b")
  }

  @Test func stepsAreCountedForEachCallAndForAllReplacementsOfOne() throws {
    let script = try script(steps: 20_000)
    try script.run(
      """
      local text = ("word "):rep(500)
      for i = 1, 100 do same(select(2, text:gsub("%w+", "x")), 500) end
      local count = 0
      for _ in text:gmatch("%w+") do count = count + 1 end
      same(count, 500)
      """)
    let error = try failure { try script.run("return ('word '):rep(50000):gsub('%w+', 'x')") }
    #expect(error.message.contains("steps"))
  }

  @Test func theNumberOfStepsDoesNotDifferFromRunToRun() throws {
    func fits(_ steps: Int) throws -> Bool {
      let script = try script(steps: steps)
      do {
        try script.run("return ('a'):rep(200):find('a*a*b')")
        return true
      } catch {
        return false
      }
    }
    var low = 1
    var high = 10_000_000
    while high - low > 1 {
      let middle = (low + high) / 2
      if try fits(middle) { high = middle } else { low = middle }
    }
    for _ in 0..<5 {
      #expect(try fits(high))
      #expect(try !fits(low))
    }
  }

  @Test func aPlainTextIsFoundInTimeThatGrowsWithTheTextAlone() throws {
    let script = try script(steps: 10_000_000)
    try script.run(
      """
      local text, part = ("a"):rep(1000000), ("a"):rep(400000)
      same(text:find(part .. "b", 1, true), nil)
      same((text .. "b"):find(part .. "b", 1, true), 600001)
      """)
  }

  @Test func withoutANumberOfStepsThereIsNoEndToThem() throws {
    try SandboxScript().run("same((('a'):rep(25) .. 'c'):find(('a*'):rep(6) .. 'b'), nil)")
  }
}
