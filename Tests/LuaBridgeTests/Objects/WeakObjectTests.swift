import LuaBridge
import Testing

@Suite struct WeakObjectTests {
  private let lua: LuaVM
  private let tally = Tally()

  init() throws {
    lua = try LuaVM()
    try lua.register(
      LuaClass<Boxed>("Boxed", holding: .weak)
        .readOnly("living", { $0.tally.living })
        .method("touch") { (_) in })
  }

  private func message(_ source: String) throws -> String {
    try failure { try lua.evaluate(source, name: "guest.lua") }.message
  }

  @Test func scriptsDoNotKeepItAliveAndItsUseIsThenAnError() throws {
    var object: Boxed? = Boxed(tally)
    try lua.setGlobal("object", to: LuaObject(try #require(object)))
    try lua.setGlobal("take", to: lua.function("take") { (_: LuaValue) in })
    #expect(try lua.evaluate("object:touch() return object.living", as: Int.self) == 1)
    object = nil
    lua.collectGarbage()
    #expect(tally.living == 0)
    let gone = "this Boxed is gone; the host has released it"
    #expect(try message("return object.living") == gone)
    #expect(try message("object:touch()") == gone)
    #expect(try message("take(object)") == gone)
    #expect(try message("take({}, object, {})") == gone)
    #expect(try failure { _ = try lua.evaluate("return object") }.message == gone)
    #expect(try lua.evaluate("return pcall(object.touch, object)", as: Bool.self) == false)
    #expect(try lua.evaluate("return type(object)", as: String.self) == "userdata")
    #expect(try lua.evaluate("return tostring(object)", as: String.self).hasPrefix("Boxed: "))
  }

  @Test func aFunctionBehindOneThatIsGoneIsReleasedOnce() throws {
    var object: Boxed? = Boxed(tally)
    try lua.setGlobal("object", to: LuaObject(try #require(object)))
    try lua.setGlobal("add", to: lua.function("add") { (a: Int, b: Int) in a + b })
    object = nil
    lua.collectGarbage()
    #expect(try message("add(object, print)") == "this Boxed is gone; the host has released it")
    try expectNewReferencesDiffer(in: lua)
  }

  @Test func itIsOneUserdataAsLongAsLuaHoldsIt() throws {
    let object = Boxed(tally)
    try lua.setGlobal("first", to: LuaObject(object))
    try lua.setGlobal("second", to: LuaObject(object))
    #expect(try lua.evaluate("return first == second", as: Bool.self))
    lua.collectGarbage()
    try lua.setGlobal("third", to: LuaObject(object))
    #expect(try lua.evaluate("return first == third", as: Bool.self))
    #expect(try lua.evaluate("return first", as: LuaObject<Boxed>.self).object === object)
  }

  @Test func anObjectAtTheAddressOfOneThatIsGoneIsAnotherOne() throws {
    try lua.setGlobal("same", to: lua.function("same") { (a: LuaTable) in try a.count })
    let kept = try lua.makeTable()
    try lua.setGlobal("kept", to: kept)
    for index in 1...200 {
      // Each is released at once, so that the next one often gets its address.
      try kept.set(.integer(Int64(index)), to: LuaObject(Boxed(tally)))
    }
    #expect(tally.living == 0)
    let object = Boxed(tally)
    try lua.setGlobal("object", to: LuaObject(object))
    let check = "for i = 1, 200 do assert(kept[i] ~= object) end return object.living"
    #expect(try lua.evaluate(check, as: Int.self) == 1)
  }

  @Test func theVMGoesBeforeItsObjects() throws {
    let object = Boxed(tally)
    do {
      let other = try LuaVM()
      try other.register(LuaClass<Boxed>("Boxed", holding: .weak).method("touch") { (_) in })
      try other.setGlobal("object", to: LuaObject(object))
      try other.evaluate("object:touch()")
    }
    #expect(tally.living == 1)
    try lua.setGlobal("object", to: LuaObject(object))
    #expect(try lua.evaluate("return object.living", as: Int.self) == 1)
  }
}
