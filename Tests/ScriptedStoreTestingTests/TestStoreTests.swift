import ScriptedStoreTesting
import Testing

/// The repository's examples.
let scripts = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/scripts"

@Suite struct TestStoreTests {
  @Test func `a test says what each action makes of the state`() async throws {
    let store = try TestStore("counter", root: scripts)
    await store.send("increment") { $0["count"] = 1 }
    await store.send("increment") { $0["count"] = 2 }
    #expect(store.state["count"] == 2)
  }
}
