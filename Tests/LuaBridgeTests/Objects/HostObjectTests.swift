import LuaBridge
import Testing

private class Counter {
  var value = 0
  let name: String
  var other: Counter?

  init(_ name: String) { self.name = name }
}

private final class Clock {}
private final class LoudCounter: Counter {}

private let counters = LuaClass<Counter>("Counter")
  .method("add") { (counter, n: Int) in counter.value += n }
  .method("sum") { (counter, other: LuaObject<Counter>, more: [Int]) in
    counter.value + other.object.value + more.reduce(0, +)
  }
  .method("map") { (counter, _: LuaVM, body: LuaFunction) in
    try body.call(counter.value, as: Int.self)
  }
  .method("me") { (counter) in LuaObject(counter) }
  .field("value", \.value)
  .field("double") {
    2 * $0.value
  } set: {
    $0.value = $1 / 2
  }
  .readOnly("name", \.name)
  .readOnly("other") { $0.other.map { LuaObject($0) } }

@Suite struct HostObjectTests {
  private let lua: LuaVM
  private let counter = Counter("first")

  init() throws {
    lua = try LuaVM()
    try lua.register(counters)
    try lua.setGlobal("counter", to: LuaObject(counter))
  }

  private func message(_ source: String) throws -> String {
    try failure { _ = try lua.evaluate(source, name: "guest.lua", as: LuaValue?.self) }.message
  }

  @Test func methodsAreCalledWithAColon() throws {
    try lua.evaluate("counter:add(2) counter:add(3)")
    #expect(counter.value == 5)
    #expect(try lua.evaluate("return counter:sum(counter, { 1, 2 })", as: Int.self) == 13)
    #expect(try lua.evaluate("return counter:map(function(n) return n + 1 end)", as: Int.self) == 6)
  }

  @Test func fieldsAreReadAndWritten() throws {
    #expect(try lua.evaluate("counter.value = 4 return counter.value", as: Int.self) == 4)
    #expect(try lua.evaluate("counter.double = 10 return counter.value", as: Int.self) == 5)
    #expect(
      try lua.evaluate("return counter.name, counter.other", as: (String, LuaValue).self).0
        == "first")
    #expect(counter.value == 5)
  }

  @Test func aFieldThatIsNotThereIsAnErrorWithTheNearestName() throws {
    #expect(
      try message("return counter.valeu") == "Counter has no field 'valeu'; did you mean 'value'?")
    #expect(try message("counter:ad(1)") == "Counter has no field 'ad'; did you mean 'add'?")
    #expect(
      try message("counter.valeu = 1") == "Counter has no field 'valeu'; did you mean 'value'?")
    #expect(
      try message("return counter.unheardOf")
        == "Counter has no field 'unheardOf'; it has add, double, map, me, name, other, sum, value")
    #expect(try message("return counter[1]") == "Counter has no field [1]")
    let error = try failure { try lua.evaluate("\nreturn counter.valeu", name: "guest.lua") }
    #expect(error.script == "guest.lua" && error.line == 2)
  }

  @Test func whatCannotBeChangedIsRefused() throws {
    #expect(try message("counter.name = 'x'") == "'name' of Counter cannot be changed")
    #expect(try message("counter.add = print") == "'add' of Counter cannot be changed")
    #expect(
      try message("counter.value = 'x'")
        == "bad value of field 'value' of Counter (integer expected, got string)")
    #expect(
      try message("counter.value = nil")
        == "bad value of field 'value' of Counter (integer expected, got no value)")
  }

  @Test func aMethodWithoutItsObjectIsAnErrorThatSaysWhatToWrite() throws {
    let expected =
      "'add' of Counter needs a Counter in front, got number; call it with a colon, as object:add(…)"
    #expect(try message("counter.add(1)") == expected)
    #expect(try message("counter.add()").contains("got no value"))
    #expect(try message("counter.add({}, {}, print)").contains("got table"))
    try lua.setGlobal("clock", to: LuaObject(Clock()))
    #expect(try message("counter.add(clock, 1)").contains("got userdata"))
    #expect(
      try message("counter:add('x')")
        == "bad argument #1 to 'Counter:add' (integer expected, got string)")
    #expect(
      try message("counter:sum(clock, {})")
        == "bad argument #1 to 'Counter:sum' (Counter expected, got userdata)")
  }

  @Test func anObjectIsOneUserdataWhichGoesByIdentity() throws {
    let isSame = try lua.evaluate(
      """
      local t = { [counter] = 'here' }
      return counter == counter:me(), t[counter:me()], type(counter)
      """, as: (Bool, String, String).self)
    #expect(isSame == (true, "here", "userdata"))
    try lua.setGlobal("second", to: LuaObject(Counter("second")))
    #expect(try lua.evaluate("return counter ~= second", as: Bool.self))
  }

  @Test func anObjectComesBackAsItself() throws {
    let back = try lua.evaluate("return counter", as: LuaObject<Counter>.self)
    #expect(back.object === counter)
    #expect(try lua.evaluate("return counter")[0].object(as: Counter.self) === counter)
    #expect(
      try failure { try lua.evaluate("return { counter }") }.message
        == "result[1]: a userdata cannot be stored in state")
  }

  @Test func tostringHasTheNameOrWhatTheClassSays() throws {
    #expect(
      try lua.evaluate("return tostring(counter)", as: String.self).hasPrefix("Counter: "))
    try lua.register(
      LuaClass<Clock>("Clock").description { _ in "a clock" })
    try lua.setGlobal("clock", to: LuaObject(Clock()))
    #expect(try lua.evaluate("return tostring(clock)", as: String.self) == "a clock")
  }

  @Test func aSubclassHasTheMembersOfItsClass() throws {
    try lua.setGlobal("loud", to: LuaObject(LoudCounter("loud")))
    #expect(try lua.evaluate("loud:add(2) return loud.value", as: Int.self) == 2)
  }

  @Test func scriptsReachNeitherTheMetatableNorTheFinalizer() throws {
    #expect(try lua.evaluate("return getmetatable(counter)", as: Bool.self) == false)
    #expect(try message("setmetatable(counter, {})").contains("setmetatable"))
    #expect(try message("return counter.__gc").contains("has no field '__gc'"))
    #expect(try message("return counter.__index").contains("has no field '__index'"))
    #expect(try message("rawset(counter, 'x', 1)").contains("table expected"))
    #expect(try message("for _ in pairs(counter) do end").contains("table expected"))
    #expect(try message("return #counter").contains("attempt to get length"))
  }

  @Test func anObjectLivesAsLongAsLuaOrTheHostHoldsIt() throws {
    let tally = Tally()
    try lua.register(LuaClass<Boxed>("Boxed").readOnly("living", { $0.tally.living }))
    let keep = try lua.makeTable()
    try keep.set("object", to: LuaObject(Boxed(tally)))
    try lua.setGlobal("keep", to: keep)
    lua.collectGarbage()
    #expect(try lua.evaluate("return keep.object.living", as: Int.self) == 1)
    try lua.evaluate("keep.object = nil")
    lua.collectGarbage()
    #expect(tally.living == 0)
    try keep.set("object", to: LuaObject(Boxed(tally)))
    #expect(try lua.evaluate("return keep.object.living", as: Int.self) == 1)
  }

  @Test func manyObjectsComeAndGo() throws {
    let tally = Tally()
    try lua.register(LuaClass<Boxed>("Boxed").readOnly("living", { $0.tally.living }))
    try lua.setGlobal("make", to: lua.function("make") { LuaObject(Boxed(tally)) })
    try lua.evaluate("local t = {} for i = 1, 20000 do t[i % 100 + 1] = make() end")
    #expect(tally.living < 20_000)
    lua.collectGarbage()
    #expect(tally.living == 0)
  }

  @Test func theLimitOnKeysIsNotAboutObjectsOfTheHost() throws {
    let lua = try LuaVM(limits: LuaLimits(tableKeys: 100))
    let tally = Tally()
    try lua.register(LuaClass<Boxed>("Boxed"))
    try lua.setGlobal("make", to: lua.function("make") { LuaObject(Boxed(tally)) })
    try lua.evaluate("local t = {} for i = 1, 1000 do t[i] = make() end")
    lua.collectGarbage()
    #expect(tally.living == 0)
  }

  @Test func aLackOfMemoryAtAnyPointIsAnErrorAndLosesNoObject() throws {
    let tally = Tally()
    for successes in 0..<300 {
      let lua = try LuaVM()
      lua.failAllocations(after: successes)
      do {
        try lua.register(LuaClass<Boxed>("Boxed").readOnly("living", { $0.tally.living }))
        try lua.setGlobal("object", to: LuaObject(Boxed(tally)))
        _ = try lua.evaluate("return object.living", as: Int.self)
      } catch {
        #expect(error.kind == .memory)
      }
    }
    #expect(tally.living == 0)
  }

  @Test func aClassThatIsRegisteredAgainReplacesTheFormerOne() throws {
    try lua.register(LuaClass<Counter>("Tally").readOnly("total", \.value))
    try lua.setGlobal("fresh", to: LuaObject(Counter("fresh")))
    #expect(try lua.evaluate("return fresh.total", as: Int.self) == 0)
    #expect(try lua.evaluate("return counter.value", as: Int.self) == 0)
  }

  @Test func errorsOfMembersAreErrorsInLua() throws {
    struct Refusal: Error {}
    try lua.register(
      LuaClass<Clock>("Clock")
        .method("fail") { (_) -> Int in throw Refusal() }
        .field(
          "time", get: { _ -> Int in throw Refusal() }, set: { (_, _: Int) in throw Refusal() }))
    try lua.setGlobal("clock", to: LuaObject(Clock()))
    #expect(try message("clock:fail()") == "Refusal()")
    #expect(try message("return clock.time") == "Refusal()")
    #expect(try message("clock.time = 1") == "Refusal()")
    let error = try failure { try lua.evaluate("clock:fail()") }
    #expect(error.cause is Refusal)
  }

  @Test func anObjectOfAClassThatTheVMDoesNotKnowIsOpaque() throws {
    try lua.setGlobal("clock", to: LuaObject(Clock()))
    #expect(try message("return clock.time").contains("attempt to index"))
    #expect(try lua.evaluate("return type(clock)", as: String.self) == "userdata")
  }
}
