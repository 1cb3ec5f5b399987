import ScriptedStore
import Testing

/// What a lack of memory does to a store, wherever in an action it strikes.
@Suite struct AllocationTests {
  @Test func anActionThatAnyAllocationFailsInIsRolledBackWholeAndTheStoreGoesOn() throws {
    let scripts = try Scripts([
      "rows": """
      local Row = scripted.feature { name = "Row", state = { id = 0, tags = {} }, on = {
        tag = function(state, action)
          table.insert(state.tags, { name = action.name, length = #action.name })
        end,
      } }
      return scripted.feature { name = "Rows", state = { rows = { { id = 1, tags = {} } }, count = 0 }, on = {
        tagged = function(state) state.count = state.count + 1 end,
        ["rows[*].tag"] = function(state)
          state.count = state.count + 1
          state.last = { text = ("x"):rep(50) .. state.count }
            return effect.send("tagged")
        end,
      } }:forEach("rows", Row)
      """
    ])
    let store = try scripts.host.store("rows")
    let action = try Action(path: "rows[1].tag", payload: ["name": "new"])
    store.send(action)
    var failures = 0
    var wentThrough = false
    for successes in 0..<10_000 where !wentThrough {
      let before = store.state
      let errors = scripts.errors.count
      store.failAllocations(after: successes)
      store.send(action)
      store.failAllocations(after: nil)
      if scripts.errors.count == errors {
        wentThrough = true
      } else {
        failures += 1
        // Either nothing of the action is there, or it is whole and what its effect sent failed.
        let tags = try #require(before["rows"][0]["tags"].array).count
        let now = try #require(store.state["rows"][0]["tags"].array).count
        #expect(
          store.state == before
            || now == tags + 1 && store.state["count"].int == (before["count"].int ?? 0) + 1)
      }
    }
    #expect(wentThrough && failures > 5)
    let count = try #require(store.state["count"].int)
    store.send(action)
    #expect(store.state["count"].int == count + 2)
  }
}
