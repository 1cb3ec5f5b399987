import LuaBridge
import ScriptedStore
import Testing

@Suite struct ScriptDependencyTests {
  private func result(
    _ declaration: String, _ read: String, context: DependencyContext = .live
  ) throws -> Value {
    try Scripts(
      reading: ["mine"], "state.result = \(read)", context: context, before: declaration
    ).go()
  }

  @Test func itsMembersAreFunctionsAndValues() throws {
    let declaration = """
      scripted.dependency { name = "mine", live = {
        double = function(x) return 2 * x end, base = "here", options = { a = 1 },
        nested = { f = function() return "nested" end },
      } }
      """
    #expect(
      try result(
        declaration,
        "{ deps.mine.double(4), deps.mine.base, deps.mine.options, deps.mine.nested.f() }")
        == [8, "here", ["a": 1], "nested"])
  }

  @Test func itIsMadeOfDepsOnFirstUseAndOnce() throws {
    let scripts = try Scripts(
      reading: ["mine", "count"],
      "state.result = { deps.mine.number, deps.mine.number, deps.count.next() }",
      before: """
        local n = 0
        scripted.dependency { name = "count", live = { next = function() n = n + 1; return n end } }
        scripted.dependency { name = "mine", live = function(deps) return { number = deps.count.next(), f = print } end }
        """)
    #expect(try scripts.go() == [1, 1, 2])
    #expect(try scripts.go() == [1, 1, 3])
  }

  @Test func aFunctionIsMadeByAFunction() throws {
    #expect(
      try result(
        "scripted.dependency { name = 'mine', live = function() return function(x) return x + 1 end end }",
        "deps.mine(2)") == 3)
  }

  @Test func oneMayBeAnother() throws {
    #expect(
      try result(
        """
        scripted.dependency { name = "other", live = { f = function() return 1 end, g = function() return 2 end } }
        local mine = scripted.dependency { name = "mine", live = function(deps) return deps.other end }
        assert(mine == "mine")
        """, "{ deps.mine.f(), deps.mine.g() }") == [1, 2])
  }

  @Test func previewAndTestHaveValuesOfTheirOwn() throws {
    let declaration = """
      scripted.dependency {
        name = "mine", live = { f = function() return "live" end },
        preview = { f = function() return "preview" end }, test = function() return { f = function() return "test" end } end,
      }
      """
    #expect(try result(declaration, "deps.mine.f()") == "live")
    #expect(try result(declaration, "deps.mine.f()", context: .preview) == "preview")
    #expect(try result(declaration, "deps.mine.f()", context: .test) == "test")
  }

  @Test func aPreviewWithoutAValueIsLive() throws {
    #expect(
      try result(
        "scripted.dependency { name = 'mine', live = { f = function() return 1 end } }",
        "deps.mine.f()", context: .preview) == 1)
  }

  @Test func aTestWithoutAValueRaisesWhenItIsCalled() throws {
    let scripts = try Scripts(
      reading: ["numberFact", "uuid", "other"],
      """
      local fetch, base = deps.numberFact.fetch, deps.numberFact.base
      if action.call == "fetch" then fetch(1) elseif action.call == "uuid" then deps.uuid()
      elseif action.call == "nested" then deps.other.a.b() end
      state.result = base
      """, context: .test,
      before: """
        scripted.dependency { name = "numberFact", live = { fetch = print, base = "url" } }
        scripted.dependency { name = "other", live = function(deps) return { a = { b = deps.uuid } } end }
        """)
    #expect(try scripts.go() == "url")
    #expect(
      try scripts.goFails(["call": "fetch"])
        == "unimplemented: App called deps.numberFact.fetch(). Override it in the test: "
        + "dependencies = { numberFact = { fetch = function(…) … end } }")
    #expect(
      try scripts.goFails(["call": "uuid"])
        == "unimplemented: App called deps.uuid(). Override it in the test: "
        + "dependencies = { uuid = test.incrementingUUID() }")
    #expect(
      try scripts.goFails(["call": "nested"])?.hasSuffix(
        "dependencies = { other = { a = { b = function(…) … end } } }") == true)
  }

  @Test func anOverrideIsAllThatATestNeedsWhereTheRestCannotBeMade() throws {
    let scripts = try Scripts(
      reading: ["mine"], "state.result = deps.mine.f()", context: .test,
      before:
        "scripted.dependency { name = 'mine', live = function(deps) return { id = deps.uuid() } end }",
      operators: ":dependency('mine', { f = function() return 'stub' end })")
    #expect(try scripts.go() == "stub")
  }

  @Test(
    arguments: [
      ("{ name = 'mine', live = 1 }, 0", nil),
      (
        "{ name = 'uuid', live = 1 }",
        "the host has a dependency 'uuid' already; override that with :dependency(\"uuid\", …)"
      ),
      (
        "{ name = 'clock', live = 1 }",
        "the host has a dependency 'clock' already; override that with :dependency(\"clock\", …)"
      ),
      ("{ name = 'mine' }", "the dependency 'mine' needs a live value"),
      ("{ live = 1 }", "the field 'name' of scripted.dependency must be a string, not nil"),
      (
        "{ name = 'mine', live = 1, tset = 2 }",
        "scripted.dependency has no field 'tset'; did you mean 'test'?"
      ),
      ("'mine'", "bad argument #1 to 'scripted.dependency' (table expected, got string)"),
    ] as [(String, String?)])
  func theDeclarationIsChecked(_ arguments: String, _ message: String?) throws {
    let scripts = try Scripts(
      app: "scripted.dependency(\(arguments)); return scripted.feature {}")
    #expect(scriptError { _ = try scripts.store() }?.message == message)
  }

  @Test func twoOfOneNameAreRefusedWithBothLines() throws {
    let scripts = try Scripts([
      "other": "scripted.dependency { name = 'mine', live = 1 }",
      "app": """
      require "other"

      scripted.dependency { name = "mine", live = 2 }
      """,
      "loop": "for i = 1, 2 do scripted.dependency { name = 'looped', live = i } end",
    ])
    #expect(
      scriptError { _ = try scripts.store() }?.message
        == "the dependency 'mine' is declared twice: at other.lua:1 and at app.lua:3")
    #expect(
      scriptError { _ = try scripts.host.store("loop") }?.message
        == "the dependency 'looped' is declared twice: at loop.lua:1 and at loop.lua:1")
  }

  @Test func aModuleThatFailedCanBeLoadedAgain() throws {
    let scripts = try Scripts(
      app: "scripted.dependency { name = 'mine', live = 1 }; error('broken')")
    for _ in 1...2 {
      #expect(scriptError { _ = try scripts.store() }?.message == "broken")
    }
  }

  @Test(
    arguments: [
      ("function(deps) return deps.mine end", "these dependencies need each other: mine → mine"),
      ("function() end", "the dependency 'mine' cannot be nil"),
      ("function() error('broken') end", "broken"),
      ("{ f = print, [1] = 2, g = 0/0 }", nil),
    ] as [(String, String?)])
  func whatCannotBeMadeRaisesWhereItIsRead(_ live: String, _ message: String?) throws {
    let scripts = try Scripts(
      reading: ["mine"], "local _ = deps.mine",
      before: "scripted.dependency { name = 'mine', live = \(live) }")
    let error = try scripts.goFails()
    if let message { #expect(error == message) } else { #expect(error != nil) }
  }

  @Test func aTableThatContainsItselfIsRefused() throws {
    let scripts = try Scripts(
      reading: ["mine"], "local _ = deps.mine",
      before: "local t = { f = print }; t.t = t; scripted.dependency { name = 'mine', live = t }")
    #expect(try scripts.goFails()?.hasSuffix("is nested too deeply, or contains itself") == true)
  }

  @Test func somethingThatCanBeCalledIsAFunction() throws {
    #expect(
      try result(
        """
        local spy = setmetatable({ calls = 0 }, { __call = function(self, x) self.calls = self.calls + x; return self.calls end })
        scripted.dependency { name = "mine", live = { f = spy } }
        """, "{ deps.mine.f(2), deps.mine.f(3) }") == [2, 5])
  }

  @Test func aScriptCanBeTheHostsDependency() throws {
    let folder = try TemporaryFolder([
      "stub.lua": "local deps = ...; return function(n) return n .. deps.base .. _VERSION end"
    ])
    let scripts = try Scripts(
      reading: ["numberFact"],
      "state.result = { deps.numberFact.fetch(3), deps.numberFact.other() }",
      dependencies: [
        "base": .value("!"),
        "numberFact": .client([
          "fetch": .script(file: folder.path + "/stub.lua"), "other": .function { "other" },
        ]),
      ])
    #expect(try scripts.go() == ["3!Lua 5.4", "other"])
  }
}
