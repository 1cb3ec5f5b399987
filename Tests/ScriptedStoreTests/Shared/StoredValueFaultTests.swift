import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// What becomes of stored values when single operations of the storage fail, or happen at the same time as
/// actions.
struct StoredValueFaultTests {
  /// A storage in memory, in front of whose operations a test does something, or throws.
  private final class HookedStorage: SharedStorage {
    typealias Hook =
      @Sendable (_ operation: Operation, _ name: String) throws(SharedStorageError) -> Void
    enum Operation { case read, replace, append, synchronize, move, remove }

    let memory = MemoryStorage()
    let hook = Mutex<Hook?>(nil)

    /// Lets all operations of a kind throw from now on.
    func fail(_ failing: Operation) {
      hook.withLock { hook in
        hook = { (operation, _) throws(SharedStorageError) in
          if operation == failing { throw HookedStorage.failure }
        }
      }
    }

    private func call(_ operation: Operation, _ name: String) throws(SharedStorageError) {
      let hook = hook.withLock { $0 }
      try hook?(operation, name)
    }

    func read(_ name: String) throws(SharedStorageError) -> [UInt8]? {
      try call(.read, name)
      return memory.read(name)
    }
    func replace(_ name: String, with bytes: [UInt8]) throws(SharedStorageError) {
      try call(.replace, name)
      memory.replace(name, with: bytes)
    }
    func append(_ bytes: [UInt8], to name: String) throws(SharedStorageError) {
      try call(.append, name)
      memory.append(bytes, to: name)
    }
    func synchronize(_ name: String) throws(SharedStorageError) { try call(.synchronize, name) }
    func move(_ name: String, to other: String) throws(SharedStorageError) {
      try call(.move, name)
      memory.move(name, to: other)
    }
    func remove(_ name: String) throws(SharedStorageError) {
      try call(.remove, name)
      memory.remove(name)
    }

    /// From now on nothing changes any more, as after a kill.
    func kill() {
      hook.withLock { hook in
        hook = { (operation, _) throws(SharedStorageError) in
          if operation != .read { throw HookedStorage.failure }
        }
      }
    }

    static let failure = SharedStorageError(code: "failed", message: "Input/output error")

    func json(_ name: String) throws -> Value? { try memory.read(name).map { try Value(json: $0) } }
  }

  /// A list to which the same change twice adds two elements.
  private static let list = """
    local list = scripted.shared.fileStorage("list.json", { 0 }, { interval = 60 })
    return scripted.feature {
      state = {}, shared = { list = list, status = list:status() },
      on = { add = function(state) table.insert(state.list, 1, #state.list) end },
    }
    """

  private func scripts(_ storage: any SharedStorage, _ app: String = Self.list) throws -> Scripts {
    try Scripts(["app": app]) { $0.shared = storage }
  }

  private func stored(_ storage: HookedStorage) throws -> Value {
    storage.hook.withLock { $0 = nil }
    return try scripts(storage).store().state["list"]
  }

  @Test func aChangeDuringAWriteOutlivesAKillInTheNextWrite() throws {
    let storage = HookedStorage()
    do {
      let scripts = try scripts(storage)
      let store = try scripts.store()
      storage.hook.withLock { hook in
        hook = { (operation, _) throws(SharedStorageError) in
          guard operation == .replace else { return }
          storage.hook.withLock { hook in
            hook = { (operation, _) throws(SharedStorageError) in
              guard operation == .replace else { return }
              storage.kill()
              throw HookedStorage.failure
            }
          }
          _ = store.send("add")
        }
      }
      store.send("add")
      // The first change may have been written by itself.
      for _ in 1...2 { scripts.host.flush() }
    }
    #expect(try storage.json("list.json") == [1, 0])
    #expect(try stored(storage) == [2, 1, 0])
  }

  @Test func aChangeThatTheJournalLacksCountsOnce() throws {
    let storage = HookedStorage()
    do {
      let scripts = try scripts(storage)
      let store = try scripts.store()
      store.send("add")
      scripts.host.flush()
      storage.fail(.append)
      store.send("add")
      scripts.host.flush()
      #expect(try storage.json("list.json") == [2, 1, 0])
      #expect(store.state["status"].object?["saveError"] == nil)
      storage.hook.withLock { $0 = nil }
      store.send("add")
      storage.kill()
    }
    #expect(try stored(storage) == [3, 2, 1, 0])
  }

  /// Its line is in the journal, so the next change is a line of its own.
  @Test func aChangeThatCannotBeSynchronizedCountsOnce() throws {
    let storage = HookedStorage()
    do {
      let app = Self.list.replacing(
        "interval = 60", with: "interval = 60, durability = \"power\"")
      let scripts = try scripts(storage, app)
      let store = try scripts.store()
      store.send("add")
      scripts.host.flush()
      storage.fail(.synchronize)
      store.send("add")
      storage.hook.withLock { $0 = nil }
      store.send("add")
      storage.kill()
    }
    #expect(try stored(storage) == [3, 2, 1, 0])
  }

  @Test(arguments: [".list.json.journal", ".list.json.journal.old"])
  func aJournalThatCannotBeRemovedCountsOnce(journal: String) throws {
    let storage = HookedStorage()
    do {
      let scripts = try scripts(storage)
      let store = try scripts.store()
      storage.hook.withLock { hook in
        hook = { (operation, name) throws(SharedStorageError) in
          if operation == .remove, name == journal { throw HookedStorage.failure }
        }
      }
      for _ in 1...3 {
        store.send("add")
        scripts.host.flush()
        #expect(store.state["status"]["saveError"]["code"] == "failed")
      }
      storage.kill()
    }
    #expect(try stored(storage) == [3, 2, 1, 0])
  }

  @Test func aFileThatCouldNotBeReadIsReadBeforeItIsWritten() throws {
    let storage = HookedStorage()
    storage.memory.replace("list.json", with: Array("[7]".utf8))
    storage.hook.withLock { hook in
      hook = { (operation, name) throws(SharedStorageError) in
        if operation == .read, name == "list.json" { throw HookedStorage.failure }
      }
    }
    let scripts = try scripts(storage)
    let store = try scripts.store()
    #expect(store.state["status"]["loadError"]["code"] == "failed")
    scripts.host.flush()
    storage.hook.withLock { $0 = nil }
    scripts.host.flush()
    #expect(store.state == ["list": [7], "status": ["isLoading": false]])
    store.send("add")
    scripts.host.flush()
    #expect(try storage.json("list.json") == [1, 7])
  }

  @Test(.timeLimit(.minutes(1)))
  func aChangeDoesNotWaitForTheNextTryAfterAFailure() async throws {
    let storage = HookedStorage()
    let tries = Mutex(0)
    let scripts = try scripts(
      storage, Self.list.replacing("interval = 60", with: "interval = 0"))
    let store = try scripts.store()
    storage.hook.withLock { hook in
      hook = { (operation, _) throws(SharedStorageError) in
        guard operation == .replace else { return }
        tries.withLock { $0 += 1 }
        throw HookedStorage.failure
      }
    }
    // By themselves the tries would take 1 + 2 + 4 + … seconds.
    for number in 1...8 {
      store.send("add")
      while tries.withLock({ $0 }) < number { await Task.yield() }
    }
    storage.hook.withLock { $0 = nil }
  }

  /// The state chooses the key of a value, and the key of which the status is shown.
  private static let chosen = """
    local shared = scripted.shared
    local function key(id) return shared.fileStorage(id .. ".json", 0, { interval = 0 }) end
    return scripted.feature {
      state = {},
      shared = {
        value = function(state) return state.id and key(state.id) end,
        status = function(state) return state.shown and key(state.shown):status() end,
      },
      on = {
        open = function(state, action) state.id = action.id state.shown = action.shown end,
        write = function(state) state.value = state.value + 1 end,
      },
    }
    """

  @Test func theFailuresOfAKeyWhoseStatusWasShownBeforeItWasForgottenAreTold() throws {
    let storage = HookedStorage()
    let scripts = try scripts(storage, Self.chosen)
    let store = try scripts.store()
    try store.send("open", ["id": "a", "shown": "a"])
    for id in 0..<200 { try store.send("open", ["id": .string("k\(id)")]) }
    storage.fail(.replace)
    try store.send("open", ["id": "a"])
    store.send("write")
    scripts.host.flush()
    try store.send("open", ["id": "a"])
    #expect(scripts.warnings.map(\.kind) == [.sharedStorage])
    #expect(scripts.warnings.first?.message.contains("cannot be saved to a.json") == true)
  }

  private static let settings = """
    local shared = scripted.shared
    return scripted.feature {
      state = {}, shared = { a = shared.appStorage("a", 0), NEXT },
      on = { inc = function(state) state.a = state.a + 1 end },
    }
    """

  @Test func aFirstValueLeavesTheChangesOfOtherKeysToBeWritten() throws {
    let storage = HookedStorage()
    let next = Self.settings.replacing("NEXT", with: "b = shared.appStorage('b', 0)")
    let scripts = try Scripts([
      "app": Self.settings.replacing("NEXT", with: ""), "next": next,
    ]) { $0.shared = storage }
    let store = try scripts.store()
    store.send("inc")
    scripts.host.flush()
    store.send("inc")
    let other = try scripts.host.store("next", state: ["b": 5])
    #expect(other.state == ["a": 2, "b": 5])
    scripts.host.flush()
    #expect(try storage.json("app-storage.json")?["a"] == 2)
  }

  @Test func anAppStorageThatIsNoObjectIsKept() throws {
    let storage = HookedStorage()
    storage.memory.replace("app-storage.json", with: Array("[1]".utf8))
    let scripts = try scripts(storage, Self.settings.replacing("NEXT", with: ""))
    let store = try scripts.store()
    #expect(scripts.warnings.first?.message.contains("it is no object (invalid)") == true)
    store.send("inc")
    scripts.host.flush()
    #expect(try storage.json("app-storage.json") == ["a": 1])
    #expect(try storage.json("app-storage.json.broken-1") == [1])
  }
}
