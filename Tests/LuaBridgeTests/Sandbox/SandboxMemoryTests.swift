import LuaBridge
import Testing

@Suite struct SandboxMemoryTests {
  /// Lets every allocation of `body` fail once, first to last, and returns how many there were.
  private func sweep(_ lua: LuaVM, _ body: () throws -> Void) -> Int {
    for successes in 0..<100_000 {
      lua.failAllocations(after: successes)
      defer { lua.failAllocations(after: nil) }
      do {
        try body()
        return successes
      } catch {
        continue
      }
    }
    return -1
  }

  @Test func anEnvironmentCanBeMadeAfterItsMakingFailedAtAnyAllocation() throws {
    let lua = try LuaVM()
    let failures = sweep(lua) { _ = try lua.makeEnvironment() }
    #expect(failures > 10)
    try lua.evaluate("assert(load('return 1')() == 1)")
  }

  @Test func theTableLibrarySurvivesAFailureAtAnyAllocation() throws {
    let script = try SandboxScript()
    let failures = sweep(script.lua) {
      try script.handle(
        """
        state.list = {}
        for i = 1, 12 do table.insert(state.list, { id = 13 - i }) end
        table.sort(state.list, function(a, b) return a.id < b.id end)
        table.move(state.list, 1, 11, 2)
        table.remove(state.list, 3)
        tostring(state.list)
        same(("%s"):format(table.concat({ 1, 2 }, ",")), "1,2")
        same(show(state.list), "#1 #1 #3 #4 #5 #6 #7 #8 #9 #10 #11")
        """)
    }
    #expect(failures > 50)
  }
}
