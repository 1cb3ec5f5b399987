import LuaBridge
import Testing

@Suite struct TypedCallTests {
  private let lua: LuaVM

  init() throws { lua = try LuaVM() }

  @Test func argumentsAndResultsAreSwiftValues() throws {
    let add = try lua.load("local a, b = ... return a + b", name: "add.lua")
    #expect(try add.call(1, 2, as: Int.self) == 3)
    #expect(try add.call(1.5, 2, as: Double.self) == 3.5)
    let sum = try lua.load(
      "local s = 0 for _, n in ipairs(...) do s = s + n end return s", name: "s")
    #expect(try sum.call([1, 2, 3], as: Int.self) == 6)
    let pair = try lua.load("return ..., { name = 'Ada' }", name: "pair")
    let (text, fields) = try pair.call("x", as: (String, [String: String]).self)
    #expect(text == "x" && fields == ["name": "Ada"])
    try lua.load("assert(select('#', ...) == 0)", name: "none").call(as: Void.self)
  }

  @Test func nothingIsNilAndResultsTooManyAreDropped() throws {
    let three = try lua.load("return 1, 2, 3", name: "three")
    #expect(try three.call(as: Int.self) == 1)
    #expect(try three.call(as: (Int, Int, Int, Int?).self) == (1, 2, 3, nil))
    let isNil = try lua.load("return ... == nil", name: "isNil")
    #expect(try isNil.call(Int?.none, as: Bool.self))
  }

  @Test func aResultOfAnotherTypeIsAnErrorThatSaysWhich() throws {
    let text = try lua.load("return 'x', { a = 'b' }", name: "text")
    #expect(
      try failure { _ = try text.call(as: Int.self) }.message
        == "bad result (integer expected, got string)")
    #expect(
      try failure { _ = try text.call(as: (String, [String: Int]).self) }.message
        == "bad result #2 (at a: integer expected, got string)")
    #expect(
      try failure { _ = try text.call(as: (String, LuaTable, Int).self) }.message
        == "bad result #3 (integer expected, got no value)")
    #expect(
      try failure { _ = try text.call(as: LuaFunction.self) }.message
        == "bad result (function expected, got string)")
    #expect(
      try failure { _ = try lua.evaluate("return { print }", as: [Int].self) }.message
        == "bad result (value[1]: a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the function by the name)"
    )
  }

  @Test func anArgumentThatCannotBeEncodedIsAnError() throws {
    let function = try lua.load("", name: "f")
    #expect(
      try failure { try function.call([Double.nan], as: Void.self) }.message.contains(
        "cannot be passed to Lua"))
  }

  @Test func whatTheFunctionRaisesIsThrown() throws {
    let error = try failure {
      _ = try lua.evaluate("local x = nil\nreturn x.y", name: "guest.lua", as: Int.self)
    }
    #expect(error.line == 2 && error.script == "guest.lua")
  }

  @Test func aValueIsDecoded() throws {
    let value = try lua.evaluate("return { 1, 2 }")[0]
    #expect(try value.decoded(as: [Int].self) == [1, 2])
    #expect(try LuaValue.nil.decoded(as: Int?.self) == nil)
    #expect(
      try failure { _ = try LuaValue.string("x").decoded(as: Int.self) }.message
        == "bad value (integer expected, got string)")
  }
}
