import ScriptedStore
import Testing

/// The lines that operators of a chain tell. Lua 5.4.0 to 5.4.5 give all calls of a chain the line
/// on which it begins.
@Suite struct OperatorLinesTests {
  static let child = """
    local Child = scripted.feature { name = "Child", state = { id = 1 }, on = { up = function() end } }

    """

  @Test func eachOperatorOfAChainHasItsOwnLineInATree() throws {
    let scripts = try Scripts(
      app: Self.child + """
        local App
        App = scripted.feature {
          state = { tree = "" },
          on = { draw = function(state) state.tree = App.tree() end },
        }
          :scope("child", Child)
          :forEach("rows",
            Child:onChange("id", function() end))
          :ifLet("sheet", Child):onChange("tree", function() end)
          :stack("path", {
            child = Child,
          })
        return App
        """)
    let store = try scripts.store(state: ["tree": "", "rows": [], "path": []])
    store.send("draw")
    let tree = "\(store.state["tree"])"
    for line in [7, 8, 9, 10, 11] {
      #expect(tree.contains("app.lua:\(line)"), "\(line): \(tree)")
    }
  }

  @Test(arguments: [
    ("A\n  :scope(\"a\", C)\n  :forEach(\"b\", 7)", 5, "bad argument #2 to 'forEach'"),
    ("A\n  :scope(\"a\", C)\n  :ifLet(\"\", C)", 5, "the key of 'ifLet'"),
    (
      "A\n  :scope(\"a\", C)\n  :scope(\"b\", C, { action = \"a\" })", 5,
      "scope at app.lua:4 and scope at app.lua:5"
    ),
    (
      "A\n  :scope(\"a\", A\n    :scope(\"b\", C))\n  :forEach(\"c\", 7)", 6,
      "bad argument #2 to 'forEach'"
    ),
    ("A\n  :scope(\"a\", A\n    :scope(\"b\", 7))", 5, "bad argument #2 to 'scope'"),
    (
      "(function()\n  local scope = A.scope\n  scope(A, \"a\", C)\n  return scope(A, \"a\", 7)\nend)()",
      6, "bad argument #2"
    ),
    ("A\n  :scope(\"a\", C)\n  :scop(\"b\", C)", 5, "did you mean 'scope'"),
  ]) func anErrorTellsTheLineOfItsOperator(_ made: String, _ line: Int, _ message: String) throws {
    let scripts = try Scripts(
      app: """
        local A, C = scripted.feature { name = "A" }, scripted.feature { name = "C" }

        return \(made)
        """)
    let error = try #require(scriptError { _ = try scripts.store(state: [:]) })
    #expect(error.message.contains(message), "\(error)")
    #expect(error.script == "app.lua" && error.line == line, "\(error)")
  }

  /// A lookup that no call follows leaves its line behind. It must not reach a later call.
  @Test func aLookupWithoutACallChangesNoLaterLine() throws {
    let scripts = try Scripts(
      app: """
        local A, C = scripted.feature { name = "A" }, scripted.feature { name = "C" }
        for _ = 1, 1000 do local _ = A.scope end
        pcall(function() return A:scope("a", error("no")) end)
        return A
          :scope("a", 7)
        """)
    let error = try #require(scriptError { _ = try scripts.store(state: [:]) })
    #expect(error.script == "app.lua" && error.line == 5, "\(error)")
  }

  @Test func aWarningTellsTheLineOfItsOperator() throws {
    let scripts = try Scripts(
      app: Self.child + """
        return scripted.feature { state = { rows = {} } }
          :scope("child", Child)
          :forEach("rows", Child)
        """)
    let store = try scripts.store(state: ["rows": []])
    store.send("rows[3].up")
    #expect(scripts.warnings.map(\.origin) == ["forEach at app.lua:4"])
  }
}
