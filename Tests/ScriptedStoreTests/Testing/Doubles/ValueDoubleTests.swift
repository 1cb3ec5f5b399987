import LuaBridge
import ScriptedStore
import Testing

/// UUIDs, dates, random numbers, and what must not be called.
@Suite struct ValueDoubleTests {
  private func app(
    _ on: String = "go = function() end,", _ overrides: [String: String] = [:]
  ) throws -> DoubleApp {
    try DoubleApp(on, doubles: [], overrides: overrides)
  }

  @Test func incrementingUUIDsAreThoseOfTheirNumbers() throws {
    let app = try app(
      "go = function(state, _, deps) state.ids = { deps.uuid(), deps.uuid() } end,",
      ["uuid": "test.incrementingUUID()"])
    try app.send("go")
    #expect(
      try app.test(
        "return { test.uuid(0), test.uuid(1), test.uuid(255), test.uuid(math.maxinteger) }")
        == [
          "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001",
          "00000000-0000-0000-0000-0000000000FF", "00000000-0000-0000-7FFF-FFFFFFFFFFFF",
        ])
    #expect(try app.test("return { test.uuid(0), test.uuid(1) }") == app.store.state["ids"])
    #expect(
      try app.test("local next = test.incrementingUUID() next() return next() == test.uuid(1)")
        == true)
  }

  @Test func aConstantDateStandsStill() throws {
    let app = try app(
      "go = function(state, _, deps) state.at = deps.date.now() end,",
      ["date": "test.constantDate(12.5)"]
    )
    try app.send("go")
    #expect(app.store.state["at"] == 12.5)
  }

  @Test func aSeedGivesTheNumbersThatItGivesInSwift() throws {
    let draw =
      "state.drawn = { deps.random.integer(1, 1000), deps.random.number(), deps.random.integer(1, 6) }"
    let app = try app(
      "go = function(state, _, deps) \(draw) end,", ["random": "test.seededRandom(7)"])
    try app.send("go")
    let swift = try Scripts(
      reading: ["random"], draw, dependencies: ["random": .random(seed: 7)])
    let store = try swift.store()
    store.send("go")
    #expect(app.store.state["drawn"] == store.state["drawn"])
    #expect(
      app.failure("test.seededRandom(1).integer(2, 1)")
        == "random.integer(2, 1): the interval is empty")
    #expect(
      app.failure("test.seededRandom(1).integer('x', 1)")?.hasPrefix(
        "bad argument #1 'a' to 'random.integer'")
        == true)
  }

  @Test func whatIsUnimplementedRaisesWhereItIsCalled() throws {
    let app = try DoubleApp(
      """
      handler = function(_, _, deps) deps.source.fetch(1) end,
      effect = function() return effect.run(function(_, deps) deps.source.fetch(1) end) end,
      """, doubles: [("fetch", "test.unimplemented('source.fetch')")],
      overrides: ["source": "{ fetch = fetch }"],
      dependencies: Dependencies(["source": .client(["fetch": .function { 0 }])]), context: .test)
    let override =
      "Override it in the test: dependencies = { source = { fetch = function(…) … end } }"
    try app.send("handler")
    #expect(
      app.scripts.errors.first?.message == "unimplemented: App called source.fetch(). \(override)")
    #expect(app.scripts.errors.first?.line == 5)
    #expect(
      app.problems
        == "unimplemented: App called source.fetch() (app.lua:5). \(override)")
    try app.send("effect")
    #expect(
      app.problems
        == "unimplemented: App called source.fetch() (app.lua:6). \(override)")
    #expect(
      app.failure("fetch()") == "unimplemented: the test called source.fetch(). \(override)")
  }

  @Test(arguments: [
    "test.uuid(-1)", "test.uuid('1')", "test.uuid(1.5)", "test.uuid()", "test.constantDate('now')",
    "test.constantDate(0/0)", "test.constantDate()", "test.seededRandom(1.5)",
    "test.seededRandom()",
    "test.unimplemented()", "test.unimplemented('')",
  ])
  func misuseIsRefusedAtTheLineOfTheTest(_ statement: String) throws {
    let error = try #require(scriptError { try app().test("\n" + statement) })
    #expect(error.message.hasPrefix("bad argument #1 to 'test."))
    #expect(error.line == 2)
  }

  @Test func onlyTestsHaveThem() throws {
    let scripts = try Scripts(["app": "return require 'scripted.test'"])
    #expect(
      scriptError { _ = try scripts.store() }?.message.hasPrefix(
        "scripted.test is there for tests only")
        == true)
  }
}
