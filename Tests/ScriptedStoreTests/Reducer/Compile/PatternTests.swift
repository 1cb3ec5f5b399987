import LuaBridge
import ScriptedStore
import Testing

/// Which of a feature's `on` handlers an action reaches, and what that gets.
struct PatternTests {
  /// A feature whose handlers note their pattern; then what was sent.
  private func chosen(_ patterns: [String], _ actions: Value...) throws -> [String] {
    let handlers = patterns.map {
      "[\(Value.string($0).json())] = note(\(Value.string($0).json()))"
    }
    let scripts = try Scripts(
      app: """
        local function note(pattern)
          return function(state, action, deps, ids)
            local words = {}
            for i, id in ipairs(ids) do words[i] = tostring(id) end
            table.insert(state.log, pattern .. " " .. action.type .. " (" .. table.concat(words, ",") .. ")")
          end
        end
        return scripted.feature { state = { log = {} }, on = { \(handlers.joined(separator: ", ")) } }
        """)
    let store = try scripts.store()
    for action in actions { try store.send(action) }
    #expect(scripts.errors.isEmpty, "\(scripts.errors)")
    return store.log
  }

  private func path(_ path: String, _ payload: Value? = nil) throws -> Value {
    try Action(path: path, payload: payload).value
  }

  @Test func theMostSegmentsWin() throws {
    #expect(
      try chosen(["a", "a.b", "a.b.c"], path("a.b.c"), path("a.b.d"), path("a.x"), path("a"))
        == ["a.b.c c ()", "a.b b ()", "a a ()", "a a ()"])
  }

  @Test func bracketsAreNoSegments() throws {
    // A pattern with one segment more wins over one with brackets.
    #expect(
      try chosen(["rows[1]", "rows.go"], path("rows[1].go"), path("rows[1].x"))
        == ["rows.go go ()", "rows[1] rows ()"])
  }

  @Test func aLiteralIDWinsOverAnyAndAnyOverNone() throws {
    let patterns = ["rows[1].go", "rows[*].go", "rows.go"]
    #expect(
      try chosen(patterns, path("rows[1].go"), path("rows[2].go"))
        == ["rows[1].go go ()", "rows[*].go go (2)"])
    #expect(try chosen(["rows.go", "rows[1].go"], path("rows[2].go")) == ["rows.go go ()"])
    #expect(
      try chosen(["rows[*]", "rows"], path("rows[2].go"), path("rows.go"))
        == ["rows[*] rows (2)", "rows rows ()"])
  }

  @Test func moreSegmentsWinOverALiteralID() throws {
    #expect(
      try chosen(["rows[1]", "rows[*].go"], path("rows[1].go")) == ["rows[*].go go (1)"])
    #expect(
      try chosen(["a[1].b", "a.b.c"], path("a[1].b.c"), path("a[1].b.d"))
        == ["a.b.c c ()", "a[1].b b ()"])
  }

  @Test func idsOfEveryBracketAreHandedOver() throws {
    #expect(
      try chosen(["a[*].b[*].c"], path("a[1].b[\"x\"].c"), path("a[-5].b[x y].c"))
        == ["a[*].b[*].c c (1,x)", "a[*].b[*].c c (-5,x y)"])
    #expect(
      try chosen(["a[*].b[2].c", "a[*].b[*].c"], path("a[1].b[2].c"), path("a[1].b[3].c"))
        == ["a[*].b[2].c c (1)", "a[*].b[*].c c (1,3)"])
  }

  @Test func idsAreEqualAsInLua() throws {
    let go: Value = ["type": "rows", "id": 1.0, "action": ["type": "go"]]
    #expect(try chosen(["rows[1].go", "rows[*].go"], go) == ["rows[1].go go ()"])
    let text: Value = ["type": "rows", "id": "1", "action": ["type": "go"]]
    #expect(try chosen(["rows[1].go", "rows[\"1\"].go"], text) == ["rows[\"1\"].go go ()"])
  }

  @Test func aNestedTypeWinsOverAPayloadKey() throws {
    let both: Value = ["type": "a", "b": 1, "action": ["type": "b", "c": 1]]
    #expect(try chosen(["a.b"], both) == ["a.b b ()"])
    #expect(try chosen(["a.b"], ["type": "a", "b": 1]) == ["a.b a ()"])
    // The same length: through the nested type first.
    let two: Value = ["type": "a", "k": ["x": 1], "action": ["type": "n", "y": 1]]
    #expect(try chosen(["a.k.x", "a.n.y"], two) == ["a.n.y n ()"])
    #expect(try chosen(["a.k.x", "a.n"], two) == ["a.k.x a ()"])
  }

  @Test func payloadKeysMatchAndDoNotCountAsTypes() throws {
    let success: Value = ["type": "response", "result": ["success": 3]]
    let failure: Value = ["type": "response", "result": ["failure": ["message": "no"]]]
    #expect(
      try chosen(
        ["response.result.success", "response.result.failure", "response"], success, failure,
        ["type": "response"], ["type": "response", "result": 5])
        == [
          "response.result.success response ()", "response.result.failure response ()",
          "response response ()", "response response ()",
        ])
    let child: Value = ["type": "rows", "id": 4, "action": success]
    #expect(
      try chosen(["rows[*].response.result.success"], child)
        == ["rows[*].response.result.success response (4)"])
  }

  @Test func aPayloadKeyThatHoldsNullIsThere() throws {
    #expect(
      try chosen(["a.b", "a"], ["type": "a", "b": nil], ["type": "a"]) == ["a.b a ()", "a a ()"])
  }

  @Test(arguments: [0, 1, 100])
  func ofPayloadKeysThatMatchAlikeTheFirstInThePayloadCounts(_ others: Int) throws {
    let patterns = ["a", "a.b", "a.c", "a.d.x", "a.e.x", "a.f[*]"]
    func action(_ keys: [String]) -> Value {
      var object: Value.Object = ["type": "a"]
      for number in 0..<others { object["other\(number)"] = .integer(Int64(number)) }
      for key in keys { object[key] = ["x": 1, "id": 2] }
      return .object(object)
    }
    #expect(
      try chosen(
        patterns, action(["b", "c"]), action(["c", "b"]), action(["b", "d", "e"]),
        action(["c", "e", "d"]), action(["f"]))
        == ["a.b a ()", "a.c a ()", "a.d.x a ()", "a.e.x a ()", "a a ()"])
  }

  @Test func aLongerPatternBelowAKeyWinsOverOneThatWasFoundBefore() throws {
    let nested: Value = ["type": "a", "k": ["x": ["y": 1]], "action": ["type": "n", "m": 1]]
    #expect(try chosen(["a.n", "a.n.m", "a.k.x.y"], nested) == ["a.k.x.y a ()"])
    #expect(try chosen(["a.n.m", "a.k.x"], nested) == ["a.n.m n ()"])
    let binding: Value = ["type": "binding", "key": "user.name", "user": 1]
    #expect(
      try chosen(["binding.user", "binding.user.name"], binding) == ["binding.user.name binding ()"]
    )
  }

  @Test func whatIsInAPayloadIsNoNestedType() throws {
    // Neither a field `action` in a payload's table, nor a `type` there.
    let action: Value = ["type": "a", "b": ["action": ["type": "c"]]]
    #expect(try chosen(["a.b.c", "a"], action) == ["a a ()"])
    let binding: Value = ["type": "a", "b": ["type": "binding", "key": "c"]]
    #expect(try chosen(["a.b.c", "a"], binding) == ["a a ()"])
  }

  @Test func aBindingPatternMatchesTheKeyAndWhatIsBelowIt() throws {
    #expect(
      try chosen(
        ["binding.user", "binding.user.name", "binding"], path("binding.user.name", "x"),
        path("binding.user.age", 3), path("binding.user", [:]), path("binding.username", "x"))
        == [
          "binding.user.name binding ()", "binding.user binding ()", "binding.user binding ()",
          "binding binding ()",
        ])
    #expect(
      try chosen(["rows[*].binding.user"], path("rows[3].binding.user.name", "x"))
        == ["rows[*].binding.user binding (3)"])
  }

  @Test func aPatternWithQuotedIDs() throws {
    #expect(
      try chosen(["rows[\"a.b]\"].go"], path("rows[\"a.b]\"].go"), path("rows[x].go"))
        == ["rows[\"a.b]\"].go go ()"])
  }

  @Test func manyPatternsOfOneType() throws {
    let patterns = (0..<200).map { "rows[\($0)].go" }
    #expect(
      try chosen(patterns, path("rows[0].go"), path("rows[199].go"), path("rows[200].go"))
        == ["rows[0].go go ()", "rows[199].go go ()"])
  }

  @Test func manyIDsAreEqualAsInLuaAndPatternsReachAnyDepth() throws {
    let deep = "a[*].b.c[*].d[7].e"
    let patterns = (0..<20).flatMap { ["rows[\($0)].go", "rows[id\($0)].go"] } + [deep, "a[1].b"]
    #expect(
      try chosen(
        patterns, ["type": "rows", "id": 7.0, "action": ["type": "go"]], path("rows[id19].go"),
        path("rows[\"7\"].go"), path("a[1].b.c[x].d[7].e"), path("a[1].b.c[x].d[8].e"))
        == [
          "rows[7].go go ()", "rows[id19].go go ()", "\(deep) e (1,x)", "a[1].b b ()",
        ])
  }

  // MARK: Patterns on children

  private static let child = """
    local Child = scripted.feature {
      name = "Child", state = { n = 0 }, actions = { "delegate.saved" },
      on = { increment = function(state) state.n = state.n + 1 end },
    }

    """

  @Test(arguments: [
    ("child.incremet", "incremet", "increment"), ("child.delegate.savd", "savd", "saved"),
    ("child.delegate.saved", "", ""), ("child.delegate", "", ""),
    ("rows[*].incremen", "incremen", "increment"), ("rows.Increment", "Increment", "increment"),
    ("rows[3].zzzzzz", "zzzzzz", ""), ("mid.child.incremet", "incremet", "increment"),
    ("mid.chidl.increment", "chidl", "child"),
  ]) func aPatternThatNoChildKnowsRaisesWithTheNearestName(
    _ pattern: String, _ unknown: String, _ nearest: String
  ) throws {
    let scripts = try Scripts(
      app: Self.child + """
        local Mid = scripted.feature { name = "Mid", on = {} }:scope("child", Child)
        return scripted.feature {
          name = "App",
          on = {
            ["\(pattern)"] = function() end,
          },
        }:scope("child", Child):forEach("rows", Child):scope("mid", Mid)
        """)
    let error = scriptError { _ = try scripts.store() }
    guard unknown != "" else {
      #expect(error == nil)
      return
    }
    #expect(
      error?.message.hasPrefix(
        "the pattern \"\(pattern)\" of App names \"\(unknown)\", which no reducer there handles")
        == true, "\(String(describing: error))")
    let remedy =
      nearest != ""
      ? "did you mean \"\(nearest)\"?"
      : "; Child has delegate, increment. An action that only a parent handles is listed in the child's `actions`"
    #expect(error?.message.hasSuffix(remedy) == true, "\(String(describing: error))")
    #expect(error?.script == "app.lua" && error?.line == 9, "\(String(describing: error))")
  }

  @Test func aGroupThatTheChildListsAsAWholeKnowsAllNames() throws {
    let scripts = try Scripts(
      app: """
        local Child = scripted.feature { name = "Child", actions = { "delegate" }, on = {} }
        return scripted.feature { name = "App", on = { ["child.delegate.any"] = function() end } }
          :scope("child", Child)
        """)
    #expect(scriptError { _ = try scripts.store() } == nil)
  }

  @Test func aPatternIsCheckedWhereverTheOperatorStandsInACombine() throws {
    for order in ["Pattern, Operator", "Operator, Pattern"] {
      let scripts = try Scripts(
        app: Self.child + """
          local Pattern = scripted.feature { name = "App", on = { ["child.incremet"] = function() end } }
          local Operator = scripted.scope("child", Child)
          return scripted.combine { \(order) }
          """)
      let error = scriptError { _ = try scripts.host.store("app", state: ["child": ["n": 0]]) }
      #expect(error?.message.contains("names \"incremet\"") == true, "\(order)")
    }
  }

  @Test func aPatternOnALazyChildRaisesWhenThatIsFirstUsed() throws {
    let scripts = try Scripts(
      app: Self.child + """
        return scripted.feature {
          name = "App",
          state = { child = { n = 0 }, other = 0 },
          on = { ["child.incremet"] = function() end, up = function(state) state.other = 1 end },
        }:scope("child", function() return Child end)
        """)
    guard let store = try? scripts.store() else { return }
    store.send("up")
    #expect(store.state["other"] == 1)
    store.send("child.increment")
    #expect(scripts.errors.first?.message.contains("names \"incremet\"") == true)
    #expect(store.state["child"] == ["n": 0])
  }

  @Test func theChildsHandlerRunsBeforeTheParentsPattern() throws {
    let scripts = try Scripts(
      app: Self.child + """
        return scripted.feature {
          state = { rows = { { id = 1, n = 5 } }, seen = 0 },
          on = {
            ["rows[*].increment"] = function(state, action, deps, ids)
              state.seen = list.find(state.rows, ids[1]).n
            end,
          },
        }:forEach("rows", Child)
        """)
    let store = try scripts.store()
    store.send("rows[1].increment")
    #expect(store.state["seen"] == 6)
  }
}
