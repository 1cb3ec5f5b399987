import Dispatch
import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Keys that are made while the program runs: they are forgotten when nobody uses them, if nothing is lost by it.
struct ForgottenKeyTests {
  /// A field that shows the value of one key after another.
  private static func app(_ key: String) -> String {
    """
    local shared = scripted.shared
    local function key(id) return \(key) end
    return scripted.feature {
      name = "App", state = { read = {} },
      shared = { value = function(state) return state.id and key(state.id) end },
      on = {
        open = function(state, action) state.id = action.id end,
        write = function(state, action) state.value = action.value end,
        add = function(state) state.value = state.value + 1 end,
        read = function(state, action)
          return effect.run(function(send) send("got", { value = key(action.id):get() }) end)
        end,
        got = function(state, action) state.got = action.value end,
        follow = function(state, action)
          return effect.run(function(send)
            for value in key(action.id):values() do send("got", { value = value }) end
          end)
        end,
      },
    }
    """
  }

  private static let file = app(#"shared.fileStorage(id .. ".json", 0, { interval = 0 })"#)
  private static let memory = app("shared.inMemory(id, 0)")

  /// So few that keys which are not forgotten would be refused.
  private static let limit = 200

  private func scripts(
    _ app: String, _ storage: MemoryStorage = MemoryStorage(), workers: Int = 1,
    memory: Int? = nil, dependencies: Dependencies = Dependencies()
  ) throws -> Scripts {
    try Scripts(["app": app], workers: workers, dependencies: dependencies) {
      $0.shared = storage
      $0.database = MemoryDatabase()
      $0.limits.sharedKeys = Self.limit
      $0.limits.memory = memory
    }
  }

  /// Opens keys one after the other, and writes a value to each.
  private func use(_ ids: Range<Int>, _ store: Store, _ host: ScriptHost) throws {
    for id in ids {
      try store.send("open", ["id": .string("k\(id)")])
      try store.send("write", ["value": .integer(Int64(id + 1))])
      if id % 50 == 0 { host.flush() }
    }
    host.flush()
  }

  @Test func tenThousandStoredKeysComeAndGo() throws {
    let storage = MemoryStorage()
    // So little that scripts which kept all keys would be stopped.
    let scripts = try scripts(Self.file, storage, memory: 2 << 20)
    let store = try scripts.store()
    try use(0..<10_000, store, scripts.host)
    #expect(scripts.host.sharedValues(shownBy: store).count < Self.limit)
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
    for id in [0, 1, 4_999, 9_998] {
      #expect(try Value(json: storage.read("k\(id).json") ?? []) == .integer(Int64(id + 1)))
      try store.send("open", ["id": .string("k\(id)")])
      #expect(store.state["value"] == .integer(Int64(id + 1)))
    }
  }

  @Test func aKeyThatIsShownAgainReadsItsFileAgain() throws {
    let storage = MemoryStorage()
    let scripts = try scripts(Self.file, storage)
    let store = try scripts.store()
    try use(0..<Self.limit, store, scripts.host)
    // A known key would not see this, because this storage tells of no changes.
    storage.replace("k0.json", with: Array("17".utf8))
    try store.send("open", ["id": "k0"])
    #expect(store.state["value"] == 17)
    try store.send("write", ["value": 18])
    scripts.host.flush()
    #expect(try Value(json: storage.read("k0.json") ?? []) == 18)
  }

  @Test(arguments: [
    "shared.appStorage(id, 0)",
    #"shared.database(id, {}, { id = "id" })"#,
    #"shared.fileStorage(id .. ".txt", 0, { interval = 0, encode = tostring, decode = tonumber })"#,
  ])
  func keysOfOtherStoragesComeAndGo(key: String) async throws {
    let scripts = try scripts(Self.app(key))
    let store = try scripts.store()
    let value = { (id: Int) -> Value in
      key.contains("database") ? [["id": .integer(Int64(id))]] : .integer(Int64(id + 1))
    }
    for round in 0..<2 {
      for id in 0..<500 {
        // Another thread may be inside the worker, to write a file with a format.
        try await store.send("open", ["id": .string("k\(id)")]).finish()
        if round == 1 { #expect(store.state["value"] == value(id)) }
        try await store.send("write", ["value": value(id)]).finish()
        if id % 50 == 0 { scripts.host.flush() }
      }
    }
    scripts.host.flush()
    #expect(scripts.host.sharedValues(shownBy: store).count < Self.limit)
    #expect(scripts.warnings.map(\.message) == [])
    #expect(scripts.errors.isEmpty)
  }

  @Test func anOwnValueInMemoryStays() throws {
    let scripts = try scripts(Self.memory)
    let store = try scripts.store()
    for id in 0..<1000 {
      try store.send("open", ["id": .string("k\(id)")])
      if id < 50 { try store.send("write", ["value": .integer(Int64(id + 1))]) }
    }
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
    for id in [0, 49, 50, 999] {
      try store.send("open", ["id": .string("k\(id)")])
      #expect(store.state["value"] == .integer(id < 50 ? Int64(id + 1) : 0))
    }
  }

  @Test func effectsLetKeysGoAsWell() throws {
    let storage = MemoryStorage()
    let scripts = try scripts(Self.file, storage)
    let store = try scripts.store()
    for id in 0..<1000 {
      storage.replace("k\(id).json", with: Array("\(id)".utf8))
      try store.send("read", ["id": .string("k\(id)")])
      #expect(store.state["got"] == .integer(Int64(id)))
    }
    #expect(scripts.warnings.isEmpty)
    #expect(scripts.host.sharedValues(shownBy: store).count < Self.limit)
  }

  @Test func whatAnEffectOrAHandleUsesStays() throws {
    let scripts = try scripts(Self.file)
    let store = try scripts.store()
    try store.send("follow", ["id": "followed"])
    try store.send("open", ["id": "held"])
    let (followed, held) = (
      scripts.host.shared("followed.json", kind: .fileStorage),
      scripts.host.shared("held.json", kind: .fileStorage)
    )
    let seen = Recorder<Value?>()
    let observation = scripts.host.shared("held.json", kind: .fileStorage).observe {
      seen.record($0)
    }
    defer { observation.cancel() }
    try use(0..<Self.limit, store, scripts.host)
    try followed.update { $0 = 3 }
    #expect(store.state["got"] == 3)
    try held.update { $0 = 4 }
    #expect(held.value == 4)
    #expect(seen.all == [4])
  }

  /// Values that a dependency stores by name.
  private final class Service: Sendable {
    let values = Mutex<[String: Value]>([:])

    var dependencies: Dependencies {
      var dependencies = Dependencies()
      let api: [String: Dependency] = [
        "load": .function { [self] (name: String) -> Value? in values.withLock { $0[name] } },
        "save": .function { [self] (name: String, value: Value) in
          values.withLock { $0[name] = value }
        },
      ]
      dependencies.register("api", live: .client(api))
      return dependencies
    }
  }

  @Test func customKeysComeAndGoWithTheirKeepers() throws {
    let service = Service()
    let key = """
      shared.custom {
        name = id, default = 0, dependencies = { "api" },
        load = function(deps) return deps.api.load(id) end,
        save = function(value, deps) deps.api.save(id, value) end,
      }
      """
    let scripts = try scripts(Self.app(key), dependencies: service.dependencies)
    let store = try scripts.store()
    for round in 0..<2 {
      for id in 0..<500 {
        try store.send("open", ["id": .string("k\(id)")])
        if round == 1 { #expect(store.state["value"] == .integer(Int64(id + 1))) }
        try store.send("write", ["value": .integer(Int64(id + 1))])
      }
    }
    #expect(service.values.withLock { $0.count } == 500)
    #expect(scripts.host.sharedValues(shownBy: store).count < Self.limit)
    #expect(scripts.warnings.isEmpty && scripts.errors.isEmpty)
  }

  @Test func aKeyThatIsRefusedLeavesTheOldOne() throws {
    let app = """
      local shared = scripted.shared
      return scripted.feature {
        name = "App", state = { kind = "number" },
        shared = {
          fixed = shared.inMemory("text", "a"),
          value = function(state) return shared.inMemory(state.kind, 1) end,
        },
        on = {
          choose = function(state, action) state.kind = action.kind end,
          add = function(state) state.value = state.value + 1 end,
        },
      }
      """
    let scripts = try scripts(app)
    let store = try scripts.store()
    try store.send("choose", ["kind": "text"])
    #expect(
      scripts.warnings.first?.message.contains("the field shows the value that it had") == true)
    store.send("add")
    #expect(store.state["value"] == 2)
    #expect(scripts.errors.isEmpty)
  }

  /// Threads show, change and let go of the same keys, so that a key is forgotten while another thread shows it.
  @Test func noChangeIsLostWhenThreadsForgetKeys() async throws {
    let storage = MemoryStorage()
    let scripts = try Scripts(["app": Self.file], workers: 4) { $0.shared = storage }
    let stores = try (0..<8).map { _ in try scripts.store() }
    let (rounds, keys) = (300, 150)
    DispatchQueue.concurrentPerform(iterations: stores.count) { index in
      for _ in 0..<rounds {
        _ = try? stores[index].send("open", ["id": .string("k\(Int.random(in: 0..<keys))")])
        _ = stores[index].send("add")
      }
    }
    // The last actions may wait for another thread inside the worker.
    for store in stores { try await store.send("open", ["id": "k0"]).finish() }
    scripts.host.flush()
    #expect(scripts.warnings.map(\.message) == [])
    #expect(scripts.errors.map(\.message) == [])
    let sum = try (0..<keys).reduce(0) { sum, key in
      guard let text = storage.read("k\(key).json") else { return sum }
      return sum + (try Value(json: text).int ?? 0)
    }
    #expect(sum == Int64(rounds * stores.count))
  }
}
