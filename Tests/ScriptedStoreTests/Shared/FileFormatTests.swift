import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Stored values whose files have a format of their own, by `encode` and `decode`.
struct FileFormatTests {
  /// A list of words, a line each in the file.
  private static let app = """
    local words = scripted.shared.fileStorage("words.txt", { "first" }, {
      interval = 0, durability = DURABILITY,
      encode = function(words)
        for _, word in ipairs(words) do
          if word == "raise" then error("a word cannot be written") end
          if word == "table" then return {} end
          if word == "nothing" then return nil end
          if word == "loop" then while true do end end
          if word == "bytes" then return "\\xff" end
        end
        return table.concat(words, "\\n")
      end,
      decode = function(text)
        if text:find("!", 1, true) then error("a mark is no word") end
        if text == "nothing" then return nil end
        if text == "function" then return print end
        if text == "loop" then while true do end end
        if text == "number" then return 7 end
        local words = scripted.array {}
        for word in text:gmatch("[^\\n]+") do words[#words + 1] = word end
        return words
      end,
    })
    return scripted.feature {
      name = "App", state = { log = {} }, shared = { words = words, status = words:status() },
      on = {
        add = function(state, action) state.words[#state.words + 1] = action.word end,
        drop = function(state) state.words[#state.words] = nil end,
        clear = function(state) state.words = nil end,
        task = function(_, action)
          return effect.run(function(send)
            send("done", { result = effect.result(function() words[action.what](words) end) })
          end)
        end,
        done = function(state, action) table.insert(state.log, action.result) end,
      },
    }
    """

  /// The same file as JSON.
  private static let plain = """
    return scripted.feature {
      name = "App", state = { log = {} }, shared = { words = scripted.shared.fileStorage("words.txt", { "first" }) },
      on = { add = function(state, action) state.words[#state.words + 1] = action.word end },
    }
    """

  private func scripts(
    _ storage: any SharedStorage, durability: String = "kill", workers: Int = 1,
    app: String = Self.app
  ) throws -> Scripts {
    let app = app.replacing("DURABILITY", with: "'\(durability)'")
    return try Scripts(["app": app], workers: workers) {
      $0.shared = storage
      $0.limits = Limits(time: .milliseconds(200), loadTime: .milliseconds(200))
    }
  }

  private func text(_ storage: MemoryStorage, _ name: String) -> String? {
    storage.read(name).map { String(decoding: $0, as: UTF8.self) }
  }

  private func add(_ word: String, to store: Store) throws {
    try store.send("add", ["word": .string(word)])
  }

  /// Waits until a condition holds, without a limit of its own. What a file has changed, a store takes over when its state is read
  /// and no other thread is in the worker, as the one that writes files.
  private func until(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  @Test(arguments: ["kill", "exit", "power"])
  func theFileHasTheTextThatEncodeMakes(durability: String) throws {
    let storage = MemoryStorage()
    do {
      let scripts = try scripts(storage, durability: durability)
      let store = try scripts.store()
      scripts.host.flush()
      #expect(storage.read("words.txt") == nil)
      try add("second", to: store)
      scripts.host.flush()
      #expect(text(storage, "words.txt") == "first\nsecond")
      #expect(storage.read(".words.txt.journal") == nil)
      try add("third", to: store)
    }
    // Written when the host was released.
    #expect(text(storage, "words.txt") == "first\nsecond\nthird")
    let again = try scripts(storage, durability: durability)
    let store = try again.store()
    #expect(store.state["words"] == ["first", "second", "third"])
    store.send("clear")
    again.host.flush()
    #expect(storage.read("words.txt") == nil)
  }

  @Test func itIsWrittenWithoutAFlush() async throws {
    let storage = MemoryStorage()
    let scripts = try scripts(storage)
    try add("second", to: try scripts.store())
    await until { text(storage, "words.txt") == "first\nsecond" }
  }

  @Test func anEmptyTextIsDecodedToo() throws {
    let storage = MemoryStorage()
    storage.replace("words.txt", with: [])
    #expect(try scripts(storage).store().state["words"] == [])
  }

  @Test func theJournalHasChangesOfTheDecodedValue() throws {
    let storage = KilledStorage()
    do {
      let scripts = try scripts(storage)
      let store = try scripts.store()
      try add("second", to: store)
      scripts.host.flush()
      storage.isKilled.store(true, ordering: .sequentiallyConsistent)
      try add("third", to: store)
      try add("fourth", to: store)
    }
    #expect(text(storage.memory, "words.txt") == "first\nsecond")
    storage.isKilled.store(false, ordering: .sequentiallyConsistent)
    let scripts = try scripts(storage)
    #expect(try scripts.store().state["words"] == ["first", "second", "third", "fourth"])
    scripts.host.flush()
    #expect(text(storage.memory, "words.txt") == "first\nsecond\nthird\nfourth")
    #expect(storage.memory.read(".words.txt.journal") == nil)
  }

  @Test(arguments: [
    ("raise", "a word cannot be written"), ("table", "encode returned a table"),
    ("nothing", "encode returned nil"), ("loop", "longer than 0.2 s"), ("bytes", "UTF-8"),
  ])
  func whatEncodeCannotWriteStaysInTheJournal(word: String, reason: String) async throws {
    let storage = MemoryStorage()
    do {
      let scripts = try scripts(storage)
      let store = try scripts.store()
      try add("second", to: store)
      scripts.host.flush()
      try add(word, to: store)
      scripts.host.flush()
      #expect(text(storage, "words.txt") == "first\nsecond")
      #expect(store.state["words"] == ["first", "second", .string(word)])
      await until { store.state["status"]["saveError"]["code"] == "encode" }
      let failure = store.state["status"]["saveError"]
      #expect(failure["path"] == "words.txt")
      let message = failure["message"].string ?? ""
      #expect(message.contains(reason), "\(message)")
      await scripts.host.close()
    }
    let scripts = try scripts(storage)
    let store = try scripts.store()
    #expect(store.state["words"] == ["first", "second", .string(word)])
    store.send("drop")
    scripts.host.flush()
    await until { store.state["status"] == ["isLoading": false] }
    #expect(text(storage, "words.txt") == "first\nsecond")
    #expect(storage.read(".words.txt.journal") == nil)
  }

  @Test(arguments: [
    ("one!", "decode", "a mark is no word"), ("nothing", "decode", "decode returned nil"),
    ("function", "decode", "which is no value of state"),
    ("\u{0}\u{1}", "", ""), ("number", "invalid", "of type"),
  ])
  func aTextThatDecodeCannotReadIsKept(content: String, code: String, reason: String) async throws {
    let storage = MemoryStorage()
    storage.replace("words.txt", with: Array(content.utf8))
    let scripts = try scripts(storage)
    let store = try scripts.store()
    guard !code.isEmpty else {
      #expect(store.state["words"] == [.string(content)])
      return
    }
    #expect(store.state["words"] == ["first"])
    let failure = store.state["status"]["loadError"]
    #expect(failure["code"] == .string(code))
    let message = failure["message"].string ?? ""
    #expect(message.contains(reason), "\(message)")
    try add("second", to: store)
    scripts.host.flush()
    #expect(text(storage, "words.txt.broken-1") == content)
    #expect(text(storage, "words.txt") == "first\nsecond")
    await until { store.state["status"] == ["isLoading": false] }
  }

  @Test func aDecodeThatDoesNotEndRefusesTheStoreAndLeavesTheFile() throws {
    let storage = MemoryStorage()
    storage.replace("words.txt", with: Array("loop".utf8))
    let scripts = try scripts(storage)
    let message = scriptError { _ = try scripts.store() }?.message ?? ""
    #expect(message.contains("longer than 0.2 s"), "\(message)")
    scripts.host.flush()
    #expect(text(storage, "words.txt") == "loop")
  }

  @Test func aTextThatIsNotUTF8IsKept() throws {
    let storage = MemoryStorage()
    storage.replace("words.txt", with: [0xff, 0x41])
    let scripts = try scripts(storage)
    let store = try scripts.store()
    #expect(store.state["status"]["loadError"]["code"] == "decode")
    #expect(store.state["status"]["loadError"]["message"].string?.contains("UTF-8") == true)
    try add("second", to: store)
    scripts.host.flush()
    #expect(storage.read("words.txt.broken-1") == [0xff, 0x41])
  }

  @Test func aFailureThatNoFeatureShowsIsAWarningWithTheRemedy() async throws {
    let storage = MemoryStorage()
    storage.replace("words.txt", with: Array("one!".utf8))
    let app = Self.app.replacing(", status = words:status()", with: "")
    let scripts = try scripts(storage, app: app)
    let store = try scripts.store()
    let message = scripts.warnings.first?.message ?? ""
    #expect(message.contains("cannot be read from words.txt"), "\(message)")
    #expect(message.contains("(decode)") && message.contains("repair it"), "\(message)")
    try add("raise", to: store)
    scripts.host.flush()
    await until { scripts.warnings.count > 1 }
    #expect(scripts.warnings.last?.message.contains("(encode)") == true)
  }

  /// What another program writes is decoded in the worker, while no action runs.
  @Test func whatAnotherProgramWritesIsDecodedAndMerged() async throws {
    let storage = OtherPrograms()
    let scripts = try scripts(storage, durability: "exit")
    let store = try scripts.store()
    try add("second", to: store)
    scripts.host.flush()
    storage.write("zero\nfirst\nsecond", to: "words.txt")
    scripts.host.flush()
    await until { store.state["words"] == ["zero", "first", "second"] }
    #expect(text(storage.memory, "words.txt") == "zero\nfirst\nsecond")
    storage.write("one!", to: "words.txt")
    scripts.host.flush()
    await until { store.state["words"] == ["zero", "first", "second"] }
    await until { store.state["status"]["loadError"]["code"] == "decode" }
    try add("third", to: store)
    scripts.host.flush()
    #expect(text(storage.memory, "words.txt.broken-1") == "one!")
    #expect(text(storage.memory, "words.txt") == "zero\nfirst\nsecond\nthird")
    storage.remove("words.txt")
    storage.note("words.txt")
    scripts.host.flush()
    await until { store.state["words"] == ["first"] }
  }

  @Test func bothSidesOfAConflictAreThereInTheirFormat() async throws {
    let storage = OtherPrograms()
    let scripts = try scripts(storage, durability: "exit")
    let store = try scripts.store()
    try add("second", to: store)
    scripts.host.flush()
    storage.isKilled.store(true, ordering: .sequentiallyConsistent)
    try add("ours", to: store)
    scripts.host.flush()
    storage.isKilled.store(false, ordering: .sequentiallyConsistent)
    storage.write("first\ntheirs\nthird", to: "words.txt")
    scripts.host.flush()
    #expect(text(storage.memory, "words.txt.conflict-1") == "first\ntheirs\nthird")
    await until { store.state["words"] == ["first", "second", "ours"] }
  }

  /// Two programs that go on so have one at each write, while no action can change the value.
  @Test func aConflictDoesNotReadAllBeforeIt() throws {
    let storage = OtherPrograms()
    let scripts = try scripts(storage, durability: "exit")
    let store = try scripts.store()
    try add("second", to: store)
    scripts.host.flush()
    for number in 1...20 {
      storage.isKilled.store(true, ordering: .sequentiallyConsistent)
      try add("ours \(number)", to: store)
      scripts.host.flush()
      storage.isKilled.store(false, ordering: .sequentiallyConsistent)
      storage.write("first\ntheirs \(number)", to: "words.txt")
      scripts.host.flush()
    }
    for number in 1...20 {
      #expect(text(storage.memory, "words.txt.conflict-\(number)") == "first\ntheirs \(number)")
    }
    #expect(storage.conflictReads.load(ordering: .sequentiallyConsistent) < 60)
  }

  @Test func anEffectLoadsAndSaves() async throws {
    let storage = OtherPrograms()
    let scripts = try scripts(storage)
    let store = try scripts.store()
    try add("second", to: store)
    try await store.send("task", ["what": "save"]).finish()
    #expect(text(storage.memory, "words.txt") == "first\nsecond")
    storage.write("other", to: "words.txt")
    try await store.send("task", ["what": "load"]).finish()
    #expect(store.state["words"] == ["other"])
    try add("raise", to: store)
    try await store.send("task", ["what": "save"]).finish()
    #expect(store.state["log"][2]["failure"]["code"] == "encode")
    let words = scripts.host.shared("words.txt", kind: .fileStorage)
    let failure = await #expect(throws: SharedStorageError.self) { try await words.save() }
    #expect(failure?.code == "encode")
  }

  /// Threads that change values, flush and make stores, in handlers too, do not wait for each other.
  @Test func nobodyWaitsForEver() async throws {
    let storage = MemoryStorage()
    let scripts = try scripts(storage, workers: 2)
    let stores = [try scripts.store(), try scripts.store()]
    let made = Recorder<Int>()
    let words = scripts.host.shared("words.txt", kind: .fileStorage)
    let observation = words.observe { [host = scripts.host] value in
      if let store = try? host.store("app") { made.record(store.state["words"].array?.count ?? 0) }
      host.flush()
    }
    await withTaskGroup(of: Void.self) { group in
      for store in stores {
        group.addTask {
          for number in 0..<50 { _ = try? store.send("add", ["word": "word \(number)"]) }
        }
      }
      group.addTask { [host = scripts.host] in for _ in 0..<50 { host.flush() } }
      group.addTask { for _ in 0..<20 { _ = try? await words.save() } }
    }
    observation.cancel()
    // A thread that is writing the file may have to run the last actions yet.
    await until { words.value?.array?.count == 101 }
    scripts.host.flush()
    #expect(text(storage, "words.txt")?.split(separator: "\n").count == 101)
    #expect(made.count > 0)
  }

  @Test func aReloadTakesTheNewFunctions() throws {
    let storage = MemoryStorage()
    let scripts = try scripts(storage)
    let store = try scripts.store()
    try add("second", to: store)
    scripts.host.flush()
    try scripts.write(
      "app",
      Self.app.replacing("DURABILITY", with: "'kill'")
        .replacing("table.concat(words, \"\\n\")", with: "table.concat(words, \"\\n\\n\")"))
    try scripts.host.reload()
    try add("third", to: store)
    scripts.host.flush()
    #expect(text(storage, "words.txt") == "first\n\nsecond\n\nthird")
  }

  @Test func aReloadThatTakesTheFormatAwayIsRefused() async throws {
    let scripts = try scripts(MemoryStorage())
    let store = try scripts.store()
    try scripts.write("app", Self.plain)
    let message = scripts.refusal()?.description ?? ""
    #expect(message.contains("start the program again"), "\(message)")
    try add("second", to: store)
    scripts.host.flush()
    await until { store.state["words"] == ["first", "second"] }
  }

  @Test(arguments: [
    ("app", "plain", "has no `encode` and `decode`"), ("plain", "app", "has `encode` and `decode`"),
  ])
  func twoKeysOfAFileNeedTheSameFormat(first: String, second: String, reason: String) throws {
    let app = Self.app.replacing("DURABILITY", with: "'kill'")
    let scripts = try Scripts(["app": app, "plain": Self.plain]) { $0.shared = MemoryStorage() }
    _ = try scripts.host.store(first)
    let message = scriptError { _ = try scripts.host.store(second) }?.message ?? ""
    #expect(message.contains("\(reason), other than where it was declared first"), "\(message)")
  }

  /// The last change before a reload that drops the key is in the journal.
  @Test func whatNobodyCanEncodeAnyMoreIsInTheJournal() throws {
    let storage = KilledStorage()
    do {
      let scripts = try scripts(storage)
      let store = try scripts.store()
      storage.isKilled.store(true, ordering: .sequentiallyConsistent)
      try add("second", to: store)
      try scripts.write("app", "return scripted.feature { name = 'App', state = {}, on = {} }")
      try scripts.host.reload()
      storage.isKilled.store(false, ordering: .sequentiallyConsistent)
      scripts.host.flush()
      let words = scripts.host.shared("words.txt", kind: .fileStorage)
      #expect(words.status?["saveError"]["code"] == "closed")
    }
    #expect(storage.memory.read("words.txt") == nil)
    #expect(try scripts(storage).store().state["words"] == ["first", "second"])
  }

  @Test(arguments: [
    ("fileStorage('a', 1, { encode = tostring })", "has the option 'encode' without 'decode'"),
    ("fileStorage('a', 1, { decode = tonumber })", "has the option 'decode' without 'encode'"),
    (
      "fileStorage('a', 1, { encode = tostring, decode = tonumber, version = 2 })",
      "leave 'version' out"
    ),
    (
      "fileStorage('a', 1, { encode = tostring, decode = tonumber, migrate = print })",
      "leave 'migrate' out"
    ),
    ("fileStorage('a', 1, { encode = 1, decode = 2 })", "must be a function"),
    (
      "appStorage('a', 1, { encode = tostring, decode = tonumber })",
      "only the file of a shared.fileStorage key"
    ),
    ("database('a', {}, { decode = tonumber })", "only the file of a shared.fileStorage key"),
    ("inMemory('a', 1, { encode = tostring })", "one of shared.fileStorage"),
    (
      "custom { name = 'a', default = 1, load = print, encode = tostring }",
      "let 'load' and 'save' convert the value"
    ),
  ])
  func aMistakeIsRefused(key: String, message: String) throws {
    let error = scriptError {
      _ = try scripts(MemoryStorage(), app: "return scripted.shared.\(key)").store()
    }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "none")")
  }
}

/// A storage that stops writing files, as if the process were killed after its last action.
private final class KilledStorage: SharedStorage {
  let memory = MemoryStorage()
  let isKilled = Atomic<Bool>(false)

  func read(_ name: String) throws(SharedStorageError) -> [UInt8]? { memory.read(name) }
  func replace(_ name: String, with bytes: [UInt8]) throws(SharedStorageError) {
    try requireLife()
    memory.replace(name, with: bytes)
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
  private func requireLife() throws(SharedStorageError) {
    if isKilled.load(ordering: .sequentiallyConsistent) {
      throw SharedStorageError(code: "failed", message: "killed")
    }
  }
}

/// A storage whose files another program changes.
private final class OtherPrograms: SharedStorage {
  let memory = MemoryStorage()
  let isKilled = Atomic<Bool>(false)
  /// How often a text was read, or looked for, that a conflict has left.
  let conflictReads = Atomic<Int>(0)
  private let changed = Mutex<Set<String>>([])

  /// Writes as the other program.
  func write(_ text: String, to name: String) {
    memory.replace(name, with: Array(text.utf8))
    note(name)
  }

  func note(_ name: String) { _ = changed.withLock { $0.insert(name) } }

  func read(_ name: String) -> [UInt8]? {
    if name.contains(".conflict-") { conflictReads.add(1, ordering: .sequentiallyConsistent) }
    _ = changed.withLock { $0.remove(name) }
    return memory.read(name)
  }
  func replace(_ name: String, with bytes: [UInt8]) throws(SharedStorageError) {
    if isKilled.load(ordering: .sequentiallyConsistent) {
      throw SharedStorageError(code: "failed", message: "killed")
    }
    memory.replace(name, with: bytes)
  }
  func append(_ bytes: [UInt8], to name: String) { memory.append(bytes, to: name) }
  func move(_ name: String, to other: String) { memory.move(name, to: other) }
  func remove(_ name: String) { memory.remove(name) }
  func mayHaveChanged(_ name: String) -> Bool { changed.withLock { $0.contains(name) } }
}
