import LuaBridge
import ScriptValue
import Testing

@Suite struct NodeReaderTests {
  private let lua: LuaVM
  private let kinds = NodeKinds([("column", []), ("text", [])], presentations: [], actions: [])

  init() throws { lua = try LuaVM() }

  /// The node (+1) that a view returns for a state, read against that of the run before.
  private func node(of view: Handler, _ state: Value, reusing old: Slot = .null) throws -> Slot {
    let state = state.ownedSlot()
    defer { state.release() }
    let arguments = ViewArguments(state: state, environment: .empty(.pinnedObject))
    var node = Slot.null
    _ = try lua.recordingReads(of: arguments, owner: 0, among: []) { () throws(ScriptError) in
      var output = try lua.runView(view, on: arguments, kinds: kinds, limit: 10, reusing: old)
      node = output.takeNode()
    }
    return node
  }

  @Test func aNodeThatEqualsTheOneBeforeIsThatNode() throws {
    let view = Handler(
      try lua.load(
        """
        local state = ...
        return { kind = "column", { kind = "text", text = "Milk" }, { kind = "text", text = state.title } }
        """, name: "view.lua"))
    let first = try node(of: view, ["title": "Tea"])
    let same = try node(of: view, ["title": "Tea"], reusing: first)
    let other = try node(of: view, ["title": "Jam"], reusing: first)
    defer { for node in [first, same, other] { node.release() } }
    #expect(same.isIdentical(to: first))
    #expect(!other.isIdentical(to: first))
    let (before, after) = (Value(borrowing: first), Value(borrowing: other))
    #expect(after["children"][0].isIdentical(to: before["children"][0]))
    #expect(after["children"][1] == ["kind": "text", "text": "Jam"])
  }

  /// What the row function captures is looked through, and here it leads to the same functions billions of times.
  @Test func functionsThatCaptureManyOthersAreStopped() throws {
    let names = (1...180).map { "a\($0)" }.joined(separator: ", ")
    let values = Array(repeating: "f", count: 180).joined(separator: ", ")
    let view = Handler(
      try lua.load(
        """
        local function wrap(f)
          local \(names) = \(values)
          return function() return \(names) end
        end
        local row = function() end
        for _ = 1, 5 do row = wrap(row) end
        return { kind = "forEach", row = row }
        """, name: "view.lua"))
    try lua.setLimits(LuaLimits(time: .milliseconds(50)))
    #expect(try failure { try node(of: view, ["n": 1]).release() }.kind == .time)
  }
}
