import LuaBridge
import Testing

@Suite struct HostFunctionTests {
  private let lua: LuaVM
  private let environment: LuaTable

  init() throws {
    lua = try LuaVM()
    environment = try lua.makeEnvironment()
  }

  private func define(
    _ name: String, tablesAsValues: Bool = false, _ body: @escaping HostBody
  ) throws {
    let function = try lua.makeFunction(name, tablesAsValues: tablesAsValues, body)
    try environment.set(.string(name), to: .function(function))
  }

  @discardableResult
  private func run(_ source: String) throws -> [LuaValue] {
    try lua.evaluate(source, name: "guest.lua", environment: environment)
  }

  @Test func argumentsGoInAndResultsComeOut() throws {
    try define("swap") { .values([$0[1], $0[0], .integer(Int64($0.count))]) }
    #expect(try run("local a, b, n = swap('x', 2) return a, b, n").map(\.integer) == [2, nil, 2])
    try define("none") { _ in .values([]) }
    #expect(try run("return select('#', none())").first?.integer == 0)
    try define("count") { .values([.integer(Int64($0.count))]) }
    #expect(try run("return count(nil, nil, nil)").first?.integer == 3)
  }

  @Test func tablesComeAsTheDeclarationSays() throws {
    var seen: [String] = []
    try define("byReference") { arguments in
      seen.append(arguments[0].table == nil ? "no" : "table")
      try arguments[0].table?.set("touched", to: true)
      return .values([])
    }
    try define("byValue", tablesAsValues: true) { arguments in
      seen.append(arguments[0].state.map(\.description) ?? "no")
      return .values([arguments[0]])
    }
    #expect(
      try run("local t = {} byReference(t) return t.touched").first.map(\.typeName) == "boolean")
    let copy = try run(
      "local t = { 1, { x = 2 } } local u = byValue(t) u[2].x = 3 return t[2].x, u[2].x")
    #expect(copy.map(\.integer) == [2, 3])
    #expect(seen.count == 2 && seen[0] == "table")
    let error = try failure { try run("byValue({ f = print })") }
    #expect(
      error.message
        == "byValue.f: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name"
    )
    #expect(error.line == 1)
  }

  @Test func whatItComputesByCallingBackIsNotMixedWithItsResults() throws {
    try define("apply") { [unowned lua] arguments in
      let function = try #require(arguments[0].function)
      let results = try function.call([10, "ignored", .value([1, 2, 3])])
      let table = try lua.makeTable()
      try table.set("key", to: "kept")
      _ = try table.get("key")
      return .values(results)
    }
    let results = try run("return apply(function(n) return n + 1, 'second' end)")
    #expect(results.count == 2)
    #expect(results[0].integer == 11)
    #expect(results[1].text == "second")
  }

  @Test func aBodyGetsTheVMThatCallsIt() throws {
    let count = try lua.makeFunction("count") { lua, arguments in
      let table = try lua.makeTable()
      try table.set("count", to: arguments.count)
      return .values([.table(table)])
    }
    try environment.set("count", to: .function(count))
    #expect(try run("return count('a', 'b').count").map(\.integer) == [2])
  }

  @Test func callbacksNestAndEndlessOnesAreStopped() throws {
    try define("apply") { .values(try #require($0[0].function).call(Array($0.dropFirst()))) }
    let sum = try run(
      "local function sum(n) if n == 0 then return 0 end return n + apply(sum, n - 1) end return sum(20)"
    )
    #expect(sum.first?.integer == 210)
    let error = try failure { try run("local function f() apply(f) end f()") }
    #expect(error.message.contains("overflow"))
    #expect(try run("return apply(function() return 5 end)").first?.integer == 5)
  }

  @Test func aScriptCatchesWhatItThrowsWithThePositionOfTheCall() throws {
    struct Refusal: Error {}
    try define("refuse") { _ in throw Refusal() }
    let results = try run("local ok, message = pcall(function() \nrefuse() end) return ok, message")
    #expect(results[1].text == "guest.lua:2: Refusal()")
    try define("refuseWith") { _ in throw ScriptError("bad", value: ["code": 4]) }
    #expect(try run("return select(2, pcall(refuseWith)).code").first?.integer == 4)
  }

  @Test func anObjectGoesIntoAScriptAndComesBackAsItself() throws {
    let tally = Tally()
    let object = Boxed(tally)
    try define("give") { _ in .values([.object(object)]) }
    var back: AnyObject?
    try define("take") { arguments in
      if case .object(let object) = arguments[0] { back = object }
      return .values([])
    }
    try run("local o = give() assert(type(o) == 'userdata') take(o)")
    #expect(back === object)
    let error = try failure { try run("local t = give() return t.x") }
    #expect(error.message.contains("attempt to index"))
    #expect(try failure { try run("return { give() }") }.message.contains("cannot be stored"))
  }

  @Test func tablesThatAFunctionWasGivenAreNotKept() throws {
    try define("take") { _ in .values([]) }
    lua.collectGarbage()
    let before = lua.memory.used
    try run("for i = 1, 20000 do take({ i }, function() return i end) end")
    lua.collectGarbage()
    #expect(lua.memory.peak < before + 1_000_000)
  }

  @Test func anObjectThatOnlyAScriptHoldsLivesAsLongAsThat() throws {
    let tally = Tally()
    try define("make") { _ in .values([.object(Boxed(tally)), "and", .object(Boxed(tally))]) }
    try environment.set("keep", to: false)
    try run("local a, text, b = make() assert(text == 'and') keep = { a, b }")
    lua.collectGarbage()
    #expect(tally.living == 2)
    try run("keep = false")
    lua.collectGarbage()
    #expect(tally.living == 0)
  }

  @Test func aFunctionIsReleasedWithItsLastReference() throws {
    let tally = Tally()
    do {
      let object = Boxed(tally)
      let function = try lua.makeFunction("held") { _ in
        .values([.integer(Int64(object.tally.living))])
      }
      try environment.set("held", to: .function(function))
    }
    #expect(try run("return held()").first?.integer == 1)
    try environment.set("held", to: nil)
    lua.collectGarbage()
    lua.collectGarbage()
    #expect(tally.living == 0)
  }

  @Test func aVMReleasesItsFunctionsAndObjectsWhenItGoes() throws {
    let tally = Tally()
    do {
      let lua = try LuaVM()
      let environment = try lua.makeEnvironment()
      let object = Boxed(tally)
      try environment.set("object", to: .object(object))
      let hold = try lua.makeFunction("hold") { _ in .values([.object(object)]) }
      try environment.set("hold", to: .function(hold))
      try lua.evaluate("local o = hold()", environment: environment)
    }
    #expect(tally.living == 0)
  }

  @Test func oneThatWaitsOutsideOfACoroutineIsAnError() throws {
    try define("wait") { _ in .yield([]) }
    let error = try failure { try run("wait()") }
    #expect(error.message == "wait cannot wait here")
    #expect(error.line == 1)
  }

  @Test func manyResultsFitTooManyAreAnError() throws {
    try define("many") { arguments in
      .values((0..<(arguments[0].integer ?? 0)).map { .integer($0) })
    }
    #expect(try run("return select('#', many(50000))").first?.integer == 50_000)
    #expect(throws: ScriptError.self) { try run("return select('#', many(2000000))") }
    #expect(try run("return many(1)").first?.integer == 0)
  }
}
