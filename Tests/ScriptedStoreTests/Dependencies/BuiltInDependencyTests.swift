import Foundation
import LuaBridge
import ScriptedStore
import Testing

@Suite struct BuiltInDependencyTests {
  private func result(
    _ read: String, of names: [String], _ dependencies: [String: Dependency] = [:]
  ) throws -> Value {
    try Scripts(reading: names, "state.result = \(read)", dependencies: dependencies).go()
  }

  @Test func theDateIsInSecondsSince1970() throws {
    let before = Date().timeIntervalSince1970
    let now = try #require(try result("deps.date.now()", of: ["date"]).double)
    #expect(now >= before - 1 && now <= Date().timeIntervalSince1970 + 1)
    #expect(
      try result("deps.date.now()", of: ["date"], ["date": .constantDate(12.5)]) == 12.5)
  }

  @Test func uuidsAreInUpperCaseAndDiffer() throws {
    let made = try result("{ deps.uuid(), deps.uuid() }", of: ["uuid"])
    let first = try #require(made[0].string)
    #expect(UUID(uuidString: first)?.uuidString == first)
    #expect(made[0] != made[1])
  }

  @Test func incrementingUUIDsCount() throws {
    let made = try result(
      "(function() local last for i = 1, 17 do last = deps.uuid() end return { last, deps.uuid() } end)()",
      of: ["uuid"], ["uuid": .incrementingUUID()])
    #expect(
      made == ["00000000-0000-0000-0000-000000000010", "00000000-0000-0000-0000-000000000011"])
    #expect(
      try result("deps.uuid()", of: ["uuid"], ["uuid": .incrementingUUID()])
        == "00000000-0000-0000-0000-000000000000")
  }

  @Test func randomNumbersAreInTheirIntervals() throws {
    let read = """
      (function()
        local least, most = 9, 0
        for i = 1, 200 do
          local n, x = deps.random.integer(1, 6), deps.random.number()
          assert(math.type(n) == "integer" and n >= 1 and n <= 6 and x >= 0 and x < 1)
          least, most = math.min(least, n), math.max(most, n)
        end
        return { least, most, deps.random.integer(3, 3), deps.random.integer(math.mininteger, math.maxinteger) ~= nil }
      end)()
      """
    #expect(
      try result(read, of: ["random"], ["random": .random(seed: 1)]) == [1, 6, 3, true])
  }

  @Test func aSeedDecidesTheNumbers() throws {
    let read = "{ deps.random.integer(1, 1000000), deps.random.number() }"
    func numbers(_ seed: UInt64) throws -> Value {
      try result(read, of: ["random"], ["random": .random(seed: seed)])
    }
    #expect(try numbers(7) == numbers(7))
    #expect(try numbers(7) != numbers(8))
  }

  @Test func anEmptyIntervalIsRefused() throws {
    let scripts = try Scripts(reading: ["random"], "deps.random.integer(2, 1)")
    #expect(try scripts.goFails() == "random.integer(2, 1): the interval is empty")
  }

  @Test func aBuiltInOneCanBeReplaced() throws {
    #expect(try result("deps.uuid()", of: ["uuid"], ["uuid": .function { "mine" }]) == "mine")
    #expect(Dependencies(["mine": .value(1)]).names == ["date", "log", "mine", "random", "uuid"])
  }

  @Test func whatDiffersFromRunToRunHasNoTestValue() throws {
    for (call, override) in [
      ("uuid()", "uuid = test.incrementingUUID()"), ("date.now()", "date = test.constantDate(0)"),
      ("random.number()", "random = test.seededRandom(0)"), ("clock.now()", "clock = test.clock()"),
      ("clock.timer(1)", "clock = test.clock()"),
    ] {
      let name = String(call.prefix { $0.isLetter })
      let function = String(call.prefix { $0 != "(" })
      let scripts = try Scripts(reading: [name], "deps.\(call)", context: .test)
      #expect(
        try scripts.goFails()
          == "unimplemented: App called deps.\(function)(). Override it in the test: dependencies = { \(override) }"
      )
    }
  }
}
