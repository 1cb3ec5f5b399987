import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Shared values that are stored: what is read, written, migrated and refused.
struct StoredValueTests {
  private static let app = """
    local settings = scripted.shared.fileStorage("settings.json", { theme = "light", size = 12 }, { interval = 0 })
    return scripted.feature {
      name = "App", state = {}, shared = { settings = settings, status = settings:status() },
      on = {
        bigger = function(state) state.settings.size = state.settings.size + 1 end,
        dark = function(state) state.settings.theme = "dark" end,
      },
    }
    """

  private func scripts(_ storage: any SharedStorage, app: String = Self.app) throws -> Scripts {
    try Scripts(["app": app]) { $0.shared = storage }
  }

  private func text(_ storage: MemoryStorage, _ name: String) -> String? {
    storage.read(name).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func nothingIsWrittenBeforeSomethingChanges() throws {
    let storage = MemoryStorage()
    let scripts = try scripts(storage)
    let store = try scripts.store()
    #expect(store.state["settings"]["size"] == 12)
    for _ in 1...2 { scripts.host.flush() }
    #expect(storage.read("settings.json") == nil)
    #expect(storage.read(".settings.json.journal") == nil)
    store.send("bigger")
    scripts.host.flush()
    #expect(
      text(storage, "settings.json") == "{\n  \"theme\": \"light\",\n  \"size\": 13\n}\n"
        || text(storage, "settings.json") == "{\n  \"size\": 13,\n  \"theme\": \"light\"\n}\n")
    #expect(storage.read(".settings.json.journal") == nil)
    #expect(storage.read(".settings.json.journal.old") == nil)
  }

  @Test func aNewDefaultCountsWhereNothingHasChanged() throws {
    let storage = MemoryStorage()
    for size in [12, 14] {
      let scripts = try scripts(
        storage, app: Self.app.replacing("size = 12", with: "size = \(size)"))
      let store = try scripts.store()
      #expect(store.state["settings"]["size"].int == size)
      scripts.host.close()
    }
  }

  @Test func anEmptyFileIsNoValue() throws {
    let storage = MemoryStorage()
    storage.replace("settings.json", with: [])
    let scripts = try scripts(storage)
    let store = try scripts.store()
    #expect(store.state["settings"]["size"] == 12)
    #expect(store.state["status"] == ["isLoading": false])
    store.send("bigger")
    scripts.host.flush()
    #expect(text(storage, "settings.json")?.contains("13") == true)
    #expect(storage.read("settings.json.broken-1") == nil)
  }

  @Test func thePastIsWrittenNowhere() throws {
    let storage = MemoryStorage()
    let scripts = try scripts(storage)
    let store = try scripts.store()
    let history = store.record()
    for _ in 1...3 { store.send("bigger") }
    scripts.host.flush()
    let file = storage.read("settings.json")
    try history.go(to: 1)
    #expect(store.state["settings"]["size"] == 13)
    scripts.host.flush()
    #expect(storage.read("settings.json") == file)
    #expect(storage.read(".settings.json.journal") == nil)
    // The next action goes on from the values of now.
    store.send("bigger")
    scripts.host.flush()
    #expect(text(storage, "settings.json")?.contains("16") == true)
  }

  @Test func whatWasStoredIsThereInTheNextHost() throws {
    let storage = MemoryStorage()
    do {
      let scripts = try scripts(storage)
      try scripts.store().send("bigger")
    }
    let store = try scripts(storage)
    #expect(try store.store().state["settings"]["size"] == 13)
  }

  /// A storage that stops writing files, as if the process were killed after its last action.
  private final class KilledStorage: SharedStorage {
    let memory = MemoryStorage()
    let isKilled = Atomic<Bool>(false)
    /// Whether it is killed right behind the next write of a file.
    let isKilledByWriting = Atomic<Bool>(false)

    private func requireLife() throws(SharedStorageError) {
      if isKilled.load(ordering: .sequentiallyConsistent) {
        throw SharedStorageError(code: "failed", message: "killed")
      }
    }

    func read(_ name: String) throws(SharedStorageError) -> [UInt8]? { memory.read(name) }
    func replace(_ name: String, with bytes: [UInt8]) throws(SharedStorageError) {
      try requireLife()
      memory.replace(name, with: bytes)
      if isKilledByWriting.load(ordering: .sequentiallyConsistent) {
        isKilled.store(true, ordering: .sequentiallyConsistent)
      }
    }
    func append(_ bytes: [UInt8], to name: String) throws(SharedStorageError) {
      memory.append(bytes, to: name)
    }
    func move(_ name: String, to other: String) throws(SharedStorageError) {
      memory.move(name, to: other)
    }
    func remove(_ name: String) throws(SharedStorageError) {
      try requireLife()
      memory.remove(name)
    }
  }

  @Test(arguments: [true, false])
  func theJournalHasWhatTheFileLacks(hasFile: Bool) throws {
    let storage = KilledStorage()
    do {
      let scripts = try scripts(storage)
      let store = try scripts.store()
      if hasFile {
        store.send("bigger")
        scripts.host.flush()
      }
      storage.isKilled.store(true, ordering: .sequentiallyConsistent)
      for _ in 0..<3 {
        store.send("bigger")
        scripts.host.flush()
      }
      store.send("dark")
    }
    // A line that was torn when the power failed.
    storage.memory.append(Array("\n0123 half a li".utf8), to: ".settings.json.journal")
    storage.isKilled.store(false, ordering: .sequentiallyConsistent)
    let scripts = try scripts(storage)
    let store = try scripts.store()
    #expect(store.state["settings"] == ["theme": "dark", "size": hasFile ? 16 : 15])
    scripts.host.flush()
    #expect(text(storage.memory, "settings.json")?.contains("dark") == true)
    #expect(storage.memory.read(".settings.json.journal") == nil)
    #expect(storage.memory.read(".settings.json.journal.old") == nil)
  }

  @Test func aKillBetweenTheNewFileAndTheEndOfTheJournalCountsNothingTwice() throws {
    let app = """
      local list = scripted.shared.fileStorage("list.json", {}, { interval = 0 })
      return scripted.feature {
        state = {}, shared = { list = list },
        on = { add = function(state) state.list[#state.list + 1] = #state.list + 1 end },
      }
      """
    let killed = KilledStorage()
    do {
      let scripts = try scripts(killed, app: app)
      let store = try scripts.store()
      store.send("add")
      scripts.host.flush()
      killed.isKilledByWriting.store(true, ordering: .sequentiallyConsistent)
      store.send("add")
      scripts.host.flush()
    }
    let storage = killed.memory
    // The file has both; the journal of the second is still there.
    #expect(text(storage, "list.json").map { try? Value(json: Array($0.utf8)) } == [1, 2])
    #expect(storage.read(".list.json.journal.old") != nil)
    let again = try scripts(storage, app: app)
    #expect(try again.store().state["list"] == [1, 2])
  }

  @Test(arguments: [
    ("{ \"theme\": ", "broken", "line 1"), ("[1] x", "broken", "line 1"),
    ("{\"a\":1,\"a\":2}", "broken", "duplicate"), ("\u{0}", "broken", "line 1"),
  ])
  func aBrokenFileIsKeptAndTold(content: String, code: String, reason: String) throws {
    let storage = MemoryStorage()
    storage.replace("settings.json", with: Array(content.utf8))
    let scripts = try scripts(storage)
    let store = try scripts.store()
    #expect(store.state["settings"]["size"] == 12)
    #expect(store.state["status"]["loadError"]["code"] == .string(code))
    #expect(store.state["status"]["loadError"]["message"].string?.contains(reason) == true)
    // The feature shows it.
    #expect(scripts.warnings.isEmpty)
    store.send("bigger")
    scripts.host.flush()
    #expect(text(storage, "settings.json.broken-1") == content)
    #expect(text(storage, "settings.json")?.contains("13") == true)
    store.send("bigger")
    #expect(store.state["status"] == ["isLoading": false])
  }

  @Test(arguments: ["[1, 2]", "\"text\"", "7", "null"])
  func aValueOfAnotherTypeThanTheDefaultIsInvalid(content: String) throws {
    let storage = MemoryStorage()
    storage.replace("settings.json", with: Array(content.utf8))
    let store = try scripts(storage).store()
    #expect(store.state["settings"]["size"] == 12)
    let failure = store.state["status"]["loadError"]
    #expect(failure["code"] == "invalid")
    #expect(failure["message"].string?.contains("the default of the key is of type object") == true)
  }

  @Test(arguments: [
    ("{}", "3", false), ("{}", "\"x\"", false), ("{}", "[1]", true), ("{}", "{\"a\":1}", true),
    ("{}", "null", false), ("1", "null", true),
    ("scripted.array {}", "true", false), ("scripted.array {}", "[1]", true),
    ("{ a = 1 }", "[]", true), ("1", "[]", false),
  ])
  func theDefaultOfATableThatMayBeAListOrAnObjectAcceptsTablesAndNothingElse(
    default: String, content: String, fits: Bool
  ) throws {
    let storage = MemoryStorage()
    storage.replace("rows.json", with: Array(content.utf8))
    let key = "scripted.shared.fileStorage(\"rows.json\", \(`default`))"
    let scripts = try scripts(
      storage, app: "return scripted.feature { state = {}, shared = { rows = \(key) } }")
    _ = try scripts.store()
    #expect(scripts.warnings.map(\.kind) == (fits ? [] : [.sharedStorage]))
  }

  @Test func aFailureThatNoFeatureShowsIsAWarningWithTheRemedy() throws {
    let storage = MemoryStorage()
    storage.replace("n.json", with: Array("{".utf8))
    let app = """
      return scripted.feature { state = {}, shared = { n = scripted.shared.fileStorage("n.json", 1) } }
      """
    let scripts = try scripts(storage, app: app)
    _ = try scripts.store()
    #expect(scripts.warnings.map(\.kind) == [.sharedStorage])
    let message = scripts.warnings.first?.message ?? ""
    #expect(message.contains("'n.json' cannot be read from n.json: line 1"))
    #expect(message.contains("repair it"))
    // Told once.
    _ = try scripts.store()
    #expect(scripts.warnings.count == 1)
  }

  private static func versioned(_ version: Int, _ migrate: String) -> String {
    """
    local settings = scripted.shared.fileStorage("settings.json", { size = 12 },
      { version = \(version), interval = 0, migrate = \(migrate) })
    return scripted.feature {
      state = {}, shared = { settings = settings, status = settings:status() },
      on = { bigger = function(state) state.settings.size = state.settings.size + 1 end },
    }
    """
  }

  @Test func anOlderVersionIsMigratedAndItsTextKept() throws {
    let storage = MemoryStorage()
    storage.replace("settings.json", with: Array("{\"fontSize\":20}".utf8))
    let scripts = try scripts(
      storage,
      app: Self.versioned(
        3, "function(value, from) value.size = value.fontSize + from; value.fontSize = nil end"))
    let store = try scripts.store()
    #expect(store.state["settings"] == ["size": 21])
    scripts.host.flush()
    #expect(text(storage, "settings.json.v1") == "{\"fontSize\":20}")
    let file = try Value(json: try #require(text(storage, "settings.json")))
    #expect(file == ["$version": 3, "$value": ["size": 21]])
  }

  @Test func aTextThatIsMigratedLaterIsKeptBesideTheFirst() throws {
    let storage = MemoryStorage()
    for size in [20, 30, 30] {
      storage.replace("settings.json", with: Array("{\"size\":\(size)}".utf8))
      let scripts = try scripts(
        storage, app: Self.versioned(2, "function(value) value.size = value.size + 1 end"))
      #expect(try scripts.store().state["settings"] == ["size": .integer(Int64(size + 1))])
      scripts.host.flush()
    }
    #expect(text(storage, "settings.json.v1") == "{\"size\":20}")
    #expect(text(storage, "settings.json.v1-1") == "{\"size\":30}")
  }

  @Test func aTextIsKeptBesideAnyNumberOfOthers() throws {
    let storage = MemoryStorage()
    func migrate(_ text: String) throws {
      storage.replace("settings.json", with: Array(text.utf8))
      let scripts = try scripts(storage, app: Self.versioned(2, "function() end"))
      try scripts.store().send("bigger")
      scripts.host.flush()
    }
    for name in ["v1"] + (1...1000).flatMap({ ["v1-\($0)", "broken-\($0)"] }) {
      storage.replace("settings.json.\(name)", with: Array("older".utf8))
    }
    try migrate("{\"size\":20}")
    #expect(text(storage, "settings.json.v1-1001") == "{\"size\":20}")
    try migrate("{")
    #expect(text(storage, "settings.json.broken-1001") == "{")
  }

  @Test(arguments: [
    ("{\"$version\":9,\"$value\":{}}", "nil", "newer"),
    ("{\"size\":1}", "function() error('cannot') end", "migration"),
    ("{\"size\":1}", "function() return print end", "migration"),
    ("{\"size\":1}", "function() return 'text' end", "migration"),
    ("{\"size\":1}", "nil", "migration"),
  ])
  func aFileThatCannotBeUsedIsNeverWritten(content: String, migrate: String, code: String) throws {
    let storage = MemoryStorage()
    storage.replace("settings.json", with: Array(content.utf8))
    let scripts = try scripts(storage, app: Self.versioned(2, migrate))
    let store = try scripts.store()
    #expect(store.state["status"]["loadError"]["code"] == .string(code))
    store.send("bigger")
    #expect(store.state["settings"]["size"] == 13)
    scripts.host.flush()
    #expect(text(storage, "settings.json") == content)
    #expect(store.state["status"]["saveError"]["code"] == .string(code))
  }

  private static let positive = """
    local n = scripted.shared.fileStorage("n.json", 1, {
      interval = 0, check = function(value) assert(value > 0, "it must be positive") end,
    })
    return scripted.feature {
      state = {}, shared = { n = n, status = n:status() }, on = { set = function(state) state.n = 2 end },
    }
    """

  @Test func aValueThatCheckRefusesIsInvalid() throws {
    let storage = MemoryStorage()
    storage.replace("n.json", with: Array("-5".utf8))
    let scripts = try scripts(storage, app: Self.positive)
    let store = try scripts.store()
    #expect(store.state["n"] == 1)
    #expect(store.state["status"]["loadError"]["code"] == "invalid")
    #expect(
      store.state["status"]["loadError"]["message"].string?.contains("it must be positive") == true)
    store.send("set")
    scripts.host.flush()
    #expect(text(storage, "n.json.broken-1") == "-5")
    #expect(text(storage, "n.json") == "2\n")
  }

  @Test(arguments: ["-5", "\"text\""])
  func aTextThatWasRefusedStaysSoWhenItIsReadAgain(content: String) async throws {
    let storage = MemoryStorage()
    storage.replace("n.json", with: Array(content.utf8))
    let scripts = try scripts(storage, app: Self.positive)
    let store = try scripts.store()
    await #expect(throws: SharedStorageError.self) {
      try await scripts.host.shared("n.json", kind: .fileStorage).load()
    }
    #expect(store.state["n"] == 1)
    #expect(store.state["status"]["loadError"]["code"] == "invalid")
    store.send("set")
    scripts.host.flush()
    #expect(text(storage, "n.json.broken-1") == content)
    #expect(text(storage, "n.json") == "2\n")
  }

  @Test func aFieldOfAppStorageThatWasRefusedStaysSoAndIsNoFailureOfOtherKeys() async throws {
    let storage = MemoryStorage()
    storage.replace("app-storage.json", with: Array("{\"n\":\"text\",\"other\":5}".utf8))
    let app = """
      local n, other = scripted.shared.appStorage("n", 1), scripted.shared.appStorage("other", 0)
      return scripted.feature {
        state = {}, shared = { n = n, other = other, one = n:status(), two = other:status() },
      }
      """
    let scripts = try scripts(storage, app: app)
    let store = try scripts.store()
    try await scripts.host.shared("other", kind: .appStorage).load()
    await #expect(throws: SharedStorageError.self) {
      try await scripts.host.shared("n", kind: .appStorage).load()
    }
    #expect(store.state["n"] == 1)
    #expect(store.state["other"] == 5)
    #expect(store.state["one"]["loadError"]["code"] == "invalid")
    #expect(store.state["two"] == ["isLoading": false])
  }

  @Test func allKeysOfAppStorageAreInOneFileAndForeignOnesStay() throws {
    let storage = MemoryStorage()
    storage.replace("app-storage.json", with: Array("{\"other\":[1],\"seen\":true}".utf8))
    let app = """
      local shared = scripted.shared
      return scripted.feature {
        state = {}, shared = { seen = shared.appStorage("seen", false), count = shared.appStorage("count", 0) },
        on = { inc = function(state) state.count = state.count + 1 end, forget = function(state) state.seen = nil end },
      }
      """
    let scripts = try scripts(storage, app: app)
    let store = try scripts.store()
    #expect(store.state == ["seen": true, "count": 0])
    store.send("inc")
    scripts.host.flush()
    let file = try Value(json: try #require(text(storage, "app-storage.json")))
    #expect(file == ["other": [1], "seen": true, "count": 1])
    store.send("forget")
    scripts.host.flush()
    let then = try Value(json: try #require(text(storage, "app-storage.json")))
    #expect(then == ["other": [1], "count": 1])
  }

  @Test(arguments: ["$version", "$value", "a.b", "#1", "app-storage.json"])
  func aKeyOfAppStorageMayHaveAnyName(name: String) throws {
    let storage = MemoryStorage()
    let app = """
      local shared = scripted.shared
      return scripted.feature {
        state = {}, shared = { mine = shared.appStorage("\(name)", 0), other = shared.appStorage("other", 0) },
        on = {
          inc = function(state)
            state.mine = state.mine + 3
            state.other = state.other + 1
          end,
        },
      }
      """
    for start in [0, 1, 2] {
      let scripts = try scripts(storage, app: app)
      let store = try scripts.store()
      #expect(store.state == ["mine": .integer(3 * Int64(start)), "other": .integer(Int64(start))])
      store.send("inc")
      scripts.host.close()
    }
  }

  /// To Swift a colon or a slash and a combining character behind it are one character; to scripts and files they are not.
  @Test(arguments: [
    ("appStorage", "\u{301}x", "app-storage.json"),
    ("fileStorage", "\u{301}x.json", "\u{301}x.json"),
    ("fileStorage", "a/\u{301}b.json", "a/\u{301}b.json"),
  ])
  func aNameMayBeginWithACombiningCharacter(kind: String, name: String, file: String) throws {
    let storage = MemoryStorage()
    let app = """
      local n = scripted.shared.\(kind)("\(name)", 0)
      return scripted.feature {
        state = {}, shared = { n = n, status = n:status() },
        on = { up = function(state) state.n = state.n + 1 end },
      }
      """
    for start in 0...1 {
      let scripts = try scripts(storage, app: app)
      let store = try scripts.store()
      #expect(store.state == ["n": .integer(Int64(start)), "status": ["isLoading": false]])
      store.send("up")
      scripts.host.flush()
      #expect(storage.read(file) != nil)
      scripts.host.close()
    }
  }

  /// A storage that records the names to which something was appended.
  private final class RecordingStorage: SharedStorage {
    let memory = MemoryStorage()
    let appended = Recorder<String>()

    func read(_ name: String) -> [UInt8]? { memory.read(name) }
    func replace(_ name: String, with bytes: [UInt8]) { memory.replace(name, with: bytes) }
    func append(_ bytes: [UInt8], to name: String) {
      appended.record(name)
      memory.append(bytes, to: name)
    }
    func move(_ name: String, to other: String) { memory.move(name, to: other) }
    func remove(_ name: String) { memory.remove(name) }
  }

  @Test(arguments: [
    ("b.json", ".b.json.journal"), ("a/b.json", "a/.b.json.journal"),
    ("a/\u{301}b.json", "a/.\u{301}b.json.journal"),
  ])
  func theJournalIsNextToTheFile(name: String, journal: String) throws {
    let storage = RecordingStorage()
    let app = """
      return scripted.feature {
        state = {}, shared = { n = scripted.shared.fileStorage("\(name)", 0) },
        on = { up = function(state) state.n = state.n + 1 end },
      }
      """
    let scripts = try scripts(storage, app: app)
    try scripts.store().send("up")
    #expect(Set(storage.appended.all) == [journal])
  }

  /// Values that could be taken for what the storage writes beside a value of a later version.
  @Test(
    arguments: [
      ["$version": 1, "$value": ["n": 5]], ["$version": 2, "$value": ["n": 5]],
      ["$version": 2, "$value": ["$version": 3, "$value": 4]], ["$version": 7], ["$value": 7],
      ["$version": 2, "$value": 1, "n": 1], ["$version": "2", "$value": 1],
      ["$version": 0, "$value": 1], ["$version": 2.0, "$value": 1],
      ["n": ["$version": 2, "$value": 1]],
      ["$version": 2, "$value": .null],
    ] as [Value], [1, 3])
  func aValueIsReadAsItWasWritten(value: Value, version: Int) throws {
    let storage = MemoryStorage()
    let app = """
      local data = scripted.shared.fileStorage("data.json", {}, { version = \(version), interval = 0 })
      return scripted.feature {
        state = {}, shared = { data = data, status = data:status() },
        on = { set = function(state, action) state.data = action.value end },
      }
      """
    do {
      let scripts = try scripts(storage, app: app)
      try scripts.store().send("set", ["value": value])
      scripts.host.close()
    }
    let state = try scripts(storage, app: app).store().state
    #expect(state["data"] == value)
    #expect(state["status"] == ["isLoading": false])
    #expect(storage.read("data.json.broken-1") == nil)
  }

  /// What versions of the library have written that took each object with `$version` for one of its own.
  @Test(
    arguments: [
      ("{ \"$version\": 2, \"$value\": { \"n\": 5 } }", 2, ["n": 5]),
      ("{ \"$version\": 1, \"$value\": { \"n\": 5 } }", 1, ["n": 5]),
      ("{ \"n\": 5 }", 1, ["n": 5]), ("{ \"$version\": 7, \"n\": 5 }", 1, ["$version": 7, "n": 5]),
    ] as [(String, Int, Value)])
  func anOldFileIsRead(text: String, version: Int, value: Value) throws {
    let storage = MemoryStorage()
    storage.replace("data.json", with: Array(text.utf8))
    let app = """
      local data = scripted.shared.fileStorage("data.json", {}, { version = \(version) })
      return scripted.feature { state = {}, shared = { data = data, status = data:status() } }
      """
    let state = try scripts(storage, app: app).store().state
    #expect(state["data"] == value)
    #expect(state["status"] == ["isLoading": false])
  }

  /// A storage on a disk that is full for a while.
  private final class FullStorage: SharedStorage {
    let memory = MemoryStorage()
    let isFull = Atomic<Bool>(true)

    private func check() throws(SharedStorageError) {
      guard !isFull.load(ordering: .sequentiallyConsistent) else {
        throw SharedStorageError(code: "full", message: "No space left on device")
      }
    }

    func read(_ name: String) throws(SharedStorageError) -> [UInt8]? { memory.read(name) }
    func replace(_ name: String, with bytes: [UInt8]) throws(SharedStorageError) {
      try check()
      memory.replace(name, with: bytes)
    }
    func append(_ bytes: [UInt8], to name: String) throws(SharedStorageError) {
      try check()
      memory.append(bytes, to: name)
    }
    func move(_ name: String, to other: String) throws(SharedStorageError) {
      memory.move(name, to: other)
    }
    func remove(_ name: String) throws(SharedStorageError) { memory.remove(name) }
  }

  @Test func aFullDiskIsTheStatusUntilThereIsRoomAgain() throws {
    let storage = FullStorage()
    let scripts = try scripts(storage)
    let store = try scripts.store()
    store.send("bigger")
    scripts.host.flush()
    #expect(store.state["settings"]["size"] == 13)
    #expect(store.state["status"]["saveError"]["code"] == "full")
    storage.isFull.store(false, ordering: .sequentiallyConsistent)
    scripts.host.flush()
    #expect(store.state["status"].object?["saveError"] == nil)
    #expect(text(storage.memory, "settings.json")?.contains("13") == true)
  }

  @Test(arguments: [
    ("'/etc/passwd', 1", "relative path"), ("'../x', 1", "begins with a dot"),
    ("'a/../x', 1", "begins with a dot"),
    ("'a//b', 1", "empty"),
    ("'.hidden', 1", "begins with a dot"), ("'a\\\\b', 1", "relative path"),
    ("'a\\0b', 1", "relative path"),
    ("'s.json.v1', 1", "an old version of another file"), ("'S.JSON.V12', 1", "an old version"),
    ("'s.json.v1-1', 1", "an old version of another file"),
    ("'s.json.broken-1', 1", "could not be read"), ("'s.json.conflict-20', 1", "another program"),
    ("'app.db-wal', 1", "the log of a database, so one could overwrite the other"),
    ("'App.db-SHM', 1", "the log of a database"),
    ("'app.db-journal', 1", "the journal of a database"),
    ("'s.json.v1/a.json', 1", "an old version"),
    ("'app.db-wal/a.json', 1", "the log of a database"),
    ("'x.json', 1, { verion = 2 }", "did you mean 'version'?"),
    ("'x.json', 1, { version = 0 }", "integer of 1 or more"),
    ("'x.json', 1, { durability = 'always' }", "\"power\" or \"exit\""),
    ("'x.json', 1, { interval = -1 }", "seconds"),
  ])
  func aKeyThatCannotBeStoredIsRefused(arguments: String, reason: String) throws {
    let app =
      "return scripted.feature { state = {}, shared = { n = scripted.shared.fileStorage(\(arguments)) } }"
    let scripts = try scripts(MemoryStorage(), app: app)
    let error = #expect(throws: ScriptError.self) { _ = try scripts.store() }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "none")")
  }

  @Test func withoutAPlaceForStoredValuesTheStoreIsRefusedWithTheOption() throws {
    let scripts = try Scripts(app: Self.app)
    let error = #expect(throws: ScriptError.self) { _ = try scripts.store() }
    #expect(error?.message.contains("Configuration.shared") == true)
  }

  @Test func anEffectThatAsksFirstReadsTheFile() throws {
    let storage = MemoryStorage()
    storage.replace("n.json", with: Array("5".utf8))
    let scripts = try Scripts([
      "keys": "return { n = scripted.shared.fileStorage(\"n.json\", 0, { interval = 0 }) }",
      "asking": """
      return scripted.feature {
        state = {},
        on = {
          ask = function() return effect.run(function(send) send("saw", { n = require("keys").n:get() }) end) end,
          saw = function(state, action) state.n = action.n end,
        },
      }
      """,
      "sharing": "return scripted.feature { state = {}, shared = { n = require(\"keys\").n } }",
    ]) { $0.shared = storage }
    let asking = try scripts.host.store("asking")
    asking.send("ask")
    #expect(asking.state["n"] == 5)
    let sharing = try scripts.host.store("sharing")
    #expect(sharing.state["n"] == 5)
  }

  @Test func aFirstValueThatAStoreIsGivenIsNotWritten() throws {
    let storage = MemoryStorage()
    let scripts = try scripts(storage)
    let store = try scripts.store(state: ["settings": ["theme": "blue", "size": 3]])
    #expect(store.state["settings"] == ["theme": "blue", "size": 3])
    scripts.host.flush()
    #expect(storage.read("settings.json") == nil)
    store.send("bigger")
    scripts.host.flush()
    let file = try Value(json: try #require(text(storage, "settings.json")))
    #expect(file == ["theme": "blue", "size": 4])
    // A value that is stored is not replaced.
    let other = try self.scripts(storage).store(state: ["settings": ["theme": "no", "size": 0]])
    #expect(other.state["settings"]["size"] == 4)
  }

  @Test func aStoredValueThatIsFirstMetInAnActionIsRefused() throws {
    let scripts = try scripts(
      MemoryStorage(),
      app: """
        local function make()
          return scripted.feature { state = {}, shared = { n = scripted.shared.fileStorage("n.json", 0) } }
        end
        scripted.feature { state = {}, shared = { m = scripted.shared.inMemory("m", 0) } }
        return scripted.feature {
          state = {}, on = { open = function(state) state.child = {} end },
        }:ifLet("child", make)
        """)
    let store = try scripts.store()
    store.send("open")
    #expect(scripts.errors.first?.message.contains("share the key in a feature around") == true)
    #expect(store.state == [:])
  }

  @Test func aReloadWithANewVersionMigratesTheValueWithTheStores() async throws {
    let storage = MemoryStorage()
    let scripts = try scripts(storage, app: Self.versioned(1, "function() end"))
    let stores = [try scripts.store(), try scripts.store()]
    stores[0].send("bigger")
    scripts.host.flush()
    try scripts.write(
      "app", Self.versioned(2, "function(value, from) value.size = value.size * 10 + from end"))
    let heard = Recorder<Value?>()
    let observation = scripts.host.shared("settings.json", kind: .fileStorage)
      .observe { heard.record($0) }
    _ = try await scripts.host.reload()
    #expect(stores.map(\.state["settings"]) == [["size": 131], ["size": 131]])
    while heard.count == 0 { await Task.yield() }
    #expect(heard.all == [["size": 131]])
    observation.cancel()
    stores[1].send("bigger")
    scripts.host.flush()
    #expect(text(storage, "settings.json.v1")?.contains("13") == true)
    let file = try Value(json: try #require(text(storage, "settings.json")))
    #expect(file == ["$version": 2, "$value": ["size": 132]])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  /// One worker migrates the value while another one is not ready yet. What comes in between is migrated again, and that
  /// `migrate` may use other shared values.
  @Test func aValueThatChangesDuringTheReloadIsMigratedAgain() async throws {
    func app(_ version: Int, _ migrate: String) -> String {
      """
      local seen = scripted.shared.inMemory("seen", 0)
      local settings = scripted.shared.fileStorage("settings.json", { size = 12 },
        { version = \(version), interval = 0, migrate = function(value, from) \(migrate) end })
      return scripted.feature {
        state = {}, shared = { settings = settings }, dependencies = { "gate" },
        on = { wait = function(_, _, deps) deps.gate() end },
      }
      """
    }
    let gate = Gate()
    var dependencies = Dependencies()
    dependencies.register(
      "gate",
      live: .function { () throws -> Int in
        gate.wait()
        return 0
      })
    let storage = MemoryStorage()
    let scripts = try Scripts(["app": app(1, "")], workers: 2, dependencies: dependencies) {
      $0.shared = storage
      // The handler waits for the test.
      $0.limits = Limits(time: .seconds(600))
    }
    let stores = [try scripts.store(), try scripts.store()]
    let waiting = Task { await onOwnThread { _ = stores[1].send("wait") } }
    await gate.arrival()
    // No effect runs when the value is migrated for the first time, so `get` raises then.
    try scripts.write(
      "app", app(2, "pcall(function() seen:get() end) value.size = value.size * 10 + from"))
    let reload = Task { try await scripts.host.reload() }
    let settings = scripts.host.shared("settings.json", kind: .fileStorage)
    for size in 13...112 {
      try settings.update { $0 = ["size": .integer(Int64(size))] }
      // Meanwhile the first worker migrates one of the values.
      try await Task.sleep(for: .milliseconds(1))
    }
    gate.open()
    _ = try await reload.value
    await waiting.value
    #expect(stores.map(\.state["settings"]) == [["size": 1121], ["size": 1121]])
    scripts.host.flush()
    let file = try Value(json: try #require(text(storage, "settings.json")))
    #expect(file == ["$version": 2, "$value": ["size": 1121]])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  @Test(arguments: [
    (3, "function() error(\"no way\") end", "cannot be migrated: "),
    (3, "function() return \"text\" end", "cannot be migrated: "),
    (1, "function() end", "has version 2 in the running program and 1 in the new scripts"),
  ])
  func aMigrationThatFailsRefusesTheReload(version: Int, migrate: String, reason: String)
    async throws
  {
    let storage = MemoryStorage()
    let scripts = try scripts(storage, app: Self.versioned(2, "function() end"))
    let store = try scripts.store()
    store.send("bigger")
    try scripts.write("app", Self.versioned(version, migrate))
    await #expect {
      _ = try await scripts.host.reload()
    } throws: { error in
      "\(error)".contains(reason)
    }
    // The old code goes on.
    store.send("bigger")
    #expect(store.state["settings"] == ["size": 14])
    scripts.host.flush()
    let file = try Value(json: try #require(text(storage, "settings.json")))
    #expect(file == ["$version": 2, "$value": ["size": 14]])
  }
}
