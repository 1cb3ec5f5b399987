import LuaBridge
import Testing

/// Host objects whose `deinit` calls the VM that held them.
@Suite struct ReleasedObjectTests {
  /// Calls the VM when it goes, in ways that use all that values pass through.
  // Proof: a test uses it on one thread.
  private final class Meddler: @unchecked Sendable {
    weak var lua: LuaVM?
    let tally: Tally

    init(_ lua: LuaVM, _ tally: Tally) {
      self.lua = lua
      self.tally = tally
    }

    deinit {
      tally.living += 1
      _ = try? lua?.evaluate("return 'meddled', { 'with' }, function() end, 4, 5, 6, 7, 8")
      _ = try? lua?.evaluate("error { 'meddled' }")
      _ = try? lua?.load("return ...", name: "meddler").call(["some", "text", 3, .value([1, 2])])
    }
  }

  /// How many meddlers are gone.
  private let gone = Tally()
  private let lua: LuaVM
  private let environment: LuaTable

  init() throws {
    let (lua, gone) = (try LuaVM(), gone)
    (self.lua, environment) = (lua, try lua.makeEnvironment())
    try define("make") { [unowned lua] _ in .values([.object(Meddler(lua, gone))]) }
    try define("collect") { [unowned lua] _ in
      lua.collectGarbage()
      return .values(["collected"])
    }
  }

  private func define(_ name: String, _ body: @escaping HostBody) throws {
    try environment.set(.string(name), to: .function(try lua.makeFunction(name, body)))
  }

  private func load(_ source: String) throws -> LuaFunction {
    try lua.load(source, name: "script", environment: environment)
  }

  @Test func resultsAreReadBeforeAnObjectThatTheScriptDroppedGoes() throws {
    let script = try load(
      """
      make()
      local list = {}
      for i = 1, 20000 do list[i] = { i } end
      return "one", 2, { 3 }, ("four"):rep(20)
      """)
    for _ in 0..<5 {
      let results = try script.call(tablesAsValues: true)
      #expect(results.map(\.text) == ["one", nil, nil, String(repeating: "four", count: 20)])
      #expect(results[1].integer == 2)
      #expect(results[2].state == [3])
    }
    lua.collectGarbage()
    #expect(gone.living == 5)
  }

  @Test func anErrorIsReadBeforeAnObjectThatTheScriptDroppedGoes() throws {
    let script = try load("make() for i = 1, 20000 do local t = { i } end error { code = 'outer' }")
    for _ in 0..<5 {
      #expect(try failure { try script.call() }.value == ["code": "outer"])
    }
    lua.collectGarbage()
    #expect(gone.living == 5)
  }

  @Test func resultsOnTheirWayToAScriptAreWholeThoughGarbageIsCollectedMeanwhile()
    throws
  {
    let texts = (0..<40).map { "text number \($0)" }
    try define("give") { _ in .values(texts.map { .string($0) } + [.value(["a": [1, 2, 3]])]) }
    try define("take") { arguments in
      #expect(arguments.prefix(40).map(\.text) == texts)
      return .values([])
    }
    try load(
      """
      for i = 1, 3000 do
        make()
        local results = { give() }
        assert(#results == 41 and results[1] == "text number 0" and results[40] == "text number 39")
        assert(#results[41].a == 3 and results[41].a[3] == 3)
        take(give())
      end
      """
    ).call()
    lua.collectGarbage()
    #expect(gone.living == 3000)
  }

  @Test func whatAFunctionHandsOverIsPushedBeforeAnObjectOfTheCallBeforeGoes()
    throws
  {
    try load("make() assert(collect() == 'collected') make() assert(collect() == 'collected')")
      .call()
    lua.collectGarbage()
    #expect(gone.living == 2)
  }

  @Test func anErrorThatAFunctionThrowsIsRaisedBeforeWhatItHoldsGoes() throws {
    struct Refusal: Error, CustomStringConvertible {
      let meddler: Meddler
      var description: String { "refused" }
    }
    let gone = gone
    try define("value") { [unowned lua] _ in
      var error = try #require(throws: ScriptError.self) { try lua.evaluate("error { 'refused' }") }
      error.cause = Refusal(meddler: Meddler(lua, gone))
      throw error
    }
    try define("text") { [unowned lua] _ in throw Refusal(meddler: Meddler(lua, gone)) }
    try load(
      """
      for i = 1, 10 do
        local ok, raised = pcall(value)
        assert(not ok and raised[1] == "refused")
        ok, raised = pcall(text)
        assert(not ok and raised:find("refused$"))
      end
      """
    ).call()
  }

  @Test func anErrorIsRaisedAsItIsThoughTheOneBeforeGoesMeanwhile() throws {
    struct Refusal: Error, CustomStringConvertible {
      let meddler: Meddler
      let description: String
    }
    var count = 0
    try define("text") { [unowned lua, gone] _ in
      count += 1
      throw Refusal(meddler: Meddler(lua, gone), description: "refused \(count)")
    }
    try define("placed") { _ in throw ScriptError("refused there", script: "a.lua", line: 3) }
    try load(
      """
      for i = 1, 10 do
        local ok, raised = pcall(text)
        assert(not ok and raised:find("refused " .. i .. "$"), raised)
      end
      local ok, raised = pcall(placed)
      assert(not ok and raised == "a.lua:3: refused there", raised)
      """
    ).call()
    let error = try failure { try load("pcall(text) text()").call() }
    #expect(error.message == "refused 12")
    #expect(error.cause is Refusal)
  }

  @Test func manyObjectsGoOneAfterTheOtherNotInsideEachOther() throws {
    try load("for i = 1, 20000 do make() end").call()
    lua.collectGarbage()
    lua.collectGarbage()
    #expect(gone.living == 20000)
  }

  @Test func anObjectOfAVMThatIsClosedMayStillCallIt() throws {
    try environment.set("object", to: false)
    try load("object = make()").call()
    var message: String?
    final class Late {
      let body: () -> Void
      init(_ body: @escaping () -> Void) { self.body = body }
      deinit { body() }
    }
    let lua = lua
    try environment.set(
      "late",
      to: .object(
        Late { [unowned lua] in
          do { try lua.evaluate("return 1") } catch { message = "\(error)" }
        }))
    lua.close()
    #expect(message?.contains("this VM is closed") == true)
    #expect(gone.living == 1)
  }

  @Test func resultsAreWholeWhenTheTurnThatMadeThemEndsInWantOfMemory() throws {
    // The reference to the table that comes last makes Lua's registry grow, which needs more than there is: its array has
    // a power of two of places, of 16 bytes each, and doubles.
    var references: [LuaTable] = []
    var growth = 0
    while growth < 60_000 {
      let before = lua.memory.used
      references.append(try lua.makeTable())
      growth = lua.memory.used - before
    }
    for _ in 0..<growth / 16 - 8 { references.append(try lua.makeTable()) }
    let text = String(repeating: "text", count: 9 << 20)
    let identity = try lua.load("return ..., {}", name: "identity")
    for _ in 0..<16 {
      lua.collectGarbage()
      let most = lua.memory.used + text.utf8.count + (16 << 10)
      try lua.setLimits(LuaLimits(memory: most / 7 * 8))
      let results = try identity.call([.string(text)])
      #expect(results.first?.text == text)
      references.append(try #require(results[1].table))
    }
  }
}
