import LuaBridge
import ScriptedStore
import Testing

/// What a change of a stored value outlives when `send` returns.
struct DurabilityTests {
  /// Records what changes it.
  private final class LoggedStorage: SharedStorage {
    private let memory = MemoryStorage()
    let calls = Recorder<String>()

    func read(_ name: String) -> [UInt8]? { memory.read(name) }
    func replace(_ name: String, with bytes: [UInt8]) {
      calls.record("replace \(name)")
      memory.replace(name, with: bytes)
    }
    func move(_ name: String, to other: String) {
      calls.record("move \(name)")
      memory.move(name, to: other)
    }
    func remove(_ name: String) {
      calls.record("remove \(name)")
      memory.remove(name)
    }

    func append(_ bytes: [UInt8], to name: String) {
      calls.record("append \(name)")
      memory.append(bytes, to: name)
    }

    func synchronize(_ name: String) { calls.record("synchronize \(name)") }
  }

  private func calls(durability: String) throws -> [String] {
    let storage = LoggedStorage()
    let app = """
      local n = scripted.shared.fileStorage("n.json", 0, { durability = "\(durability)", interval = 1000 })
      return scripted.feature {
        state = {}, shared = { n = n }, on = { inc = function(state) state.n = state.n + 1 end },
      }
      """
    let scripts = try Scripts(["app": app]) { $0.shared = storage }
    let store = try scripts.store()
    // The first change is written at once, so the next ones go to the journal alone.
    store.send("inc")
    scripts.host.flush()
    storage.calls.clear()
    store.send("inc")
    return storage.calls.all
  }

  @Test func aPowerFailureIsWaitedForOnlyWhereTheKeySaysSo() throws {
    #expect(try calls(durability: "kill") == ["append .n.json.journal"])
    #expect(
      try calls(durability: "power")
        == ["append .n.json.journal", "synchronize .n.json.journal"])
    #expect(try calls(durability: "exit") == [])
  }

  /// Else a start would have to read a journal of any length.
  @Test func aLongJournalIsNotKeptForTheInterval() async throws {
    let storage = MemoryStorage()
    let app = """
      local text = scripted.shared.fileStorage("text.json", "", { interval = 86400 })
      return scripted.feature {
        state = {}, shared = { text = text },
        on = { set = function(state, action) state.text = ("x"):rep(1 << 20) .. action.n end },
      }
      """
    let scripts = try Scripts(["app": app]) { $0.shared = storage }
    let store = try scripts.store()
    try store.send("set", ["n": 0])
    scripts.host.flush()
    for n in 1...9 { try store.send("set", ["n": .integer(Int64(n))]) }
    // The text ends with the number, a quote and a line feed.
    while storage.read("text.json")?.dropLast(2).last ?? 0 < UInt8(ascii: "4") {
      await Task.yield()
    }
    while storage.read(".text.json.journal.old") != nil { await Task.yield() }
    #expect((storage.read(".text.json.journal")?.count ?? 0) < 6 << 20)
  }

  @Test func changesOfOtherValuesTouchNoFile() async throws {
    let storage = LoggedStorage()
    let app = """
      local n = scripted.shared.fileStorage("n.json", 0, { interval = 0 })
      return scripted.feature {
        state = {}, shared = { n = n, other = scripted.shared.inMemory("other", 0) },
        on = {
          inc = function(state) state.n = state.n + 1 end,
          other = function(state) state.other = state.other + 1 end,
        },
      }
      """
    let scripts = try Scripts(["app": app]) { $0.shared = storage }
    let store = try scripts.store()
    store.send("inc")
    scripts.host.flush()
    storage.calls.clear()
    for _ in 0..<100 {
      store.send("other")
      // The thread that writes files would have its turn here.
      try await Task.sleep(for: .microseconds(100))
    }
    #expect(store.state["other"] == 100)
    #expect(storage.calls.all == [])
  }

  @Test func anUnknownDurabilityIsRefusedWithTheKnownOnes() throws {
    let scripts = try Scripts(
      app: """
        local n = scripted.shared.fileStorage("n.json", 0, { durability = "always" })
        return scripted.feature { state = {}, shared = { n = n } }
        """)
    let error = #expect(throws: ScriptError.self) { try scripts.store() }
    #expect(
      error.map { "\($0)" }?.contains(
        "must be \"kill\", \"power\" or \"exit\", not \"always\"") == true)
  }
}
