import Testing

/// `test.storage`: stored values in tests of scripts.
struct StoredValueSpecTests {
  private static let app = """
    local settings = scripted.shared.fileStorage("settings.json", { size = 12 }, {
      version = 2, migrate = function(value) return { size = value } end,
    })
    return scripted.feature {
      state = {}, shared = { settings = settings, status = settings:status() },
      on = {
        bigger = function(state) state.settings.size = state.settings.size + 1 end,
        save = function() return effect.run(function() settings:save() end) end,
      },
    }
    """

  private static let bigger = """
    local storage = test.storage
    local function bigger(store, size)
      store:send("bigger", function(state) state.settings.size = size end)
    end
    -- Of two changes the second one is not written yet.
    local function half()
      storage { clock = test.clock() }
      local store = make()
      bigger(store, 13)
      bigger(store, 14)
      return store
    end
    """

  private func spec(_ body: String) async throws -> Spec {
    try await Spec(body, before: Self.bigger, app: Self.app)
  }

  @Test(arguments: [
    "bigger(make(), 13); assert.matches('\"size\": 13', storage.read('settings.json'), 1, true)",
    "bigger(make(), 13); assert.same({ 'settings.json' }, storage.names())",
    "storage.write('settings.json', '20'); assert.equal(20, make().state.settings.size); assert.equal('20', storage.read('settings.json.v1'))",
    "assert.is_nil(storage.read('settings.json')); assert.same({}, storage.names())",
    // Another program.
    """
    local store = make()
    storage.write('settings.json', '{ "$version": 2, "$value": { "size": 1 } }')
    store:receive("shared", function(state) state.settings.size = 1 end)
    storage.remove('settings.json')
    store:receive("shared", function(state) state.settings.size = 12 end)
    """,
    "storage.write('settings.json', '{'); assert.equal('broken', make().state.status.loadError.code)",
    // What the test sets is in the file.
    """
    local store = make()
    store:shared("settings"):set({ size = 20 })
    assert.matches('"size": 20', storage.read("settings.json"), 1, true)
    store:receive("shared", function(state) state.settings.size = 20 end)
    """,
    // Failures.
    """
    local store = make()
    storage.fail("full")
    bigger(store, 13)
    store:receive("shared", function(state)
      state.status.saveError = { code = "full", message = "the test lets it fail", path = "settings.json" }
    end)
    storage.fail()
    bigger(store, 14)
    store:receive("shared", function(state) state.status.saveError = nil end)
    """,
    "storage.fail('denied'); assert.equal('denied', make().state.status.loadError.code)",
    // A file that gets another name.
    """
    local store = make()
    bigger(store, 13)
    storage.rename("settings.json", "old.json")
    store:receive("shared", function(state) state.settings.size = 12 end)
    assert.same({ "old.json" }, storage.names())
    storage.rename("old.json", "settings.json")
    store:receive("shared", function(state) state.settings.size = 13 end)
    """,
    // Programs that begin anew.
    "bigger(make(), 13); storage.restart(); assert.equal(13, make().state.settings.size)",
    "make(); storage.restart(); assert.is_nil(storage.read('settings.json'))",
    """
    local store = make()
    bigger(store, 13)
    storage.fail("full", "settings.json")
    bigger(store, 14)
    store:skipReceivedActions()
    storage.fail()
    storage.crash()
    assert.equal(14, make().state.settings.size)
    """,
  ])
  func works(body: String) async throws {
    #expect(try await spec(body).result == "passed")
  }

  @Test(arguments: [
    // The first change is written at once, the next one a second later.
    """
    local clock = test.clock()
    storage { clock = clock }
    local store = make()
    bigger(store, 13)
    assert.matches("13", storage.read("settings.json"))
    bigger(store, 14)
    clock:advance(0.9)
    assert.matches("13", storage.read("settings.json"))
    clock:advance(0.1)
    assert.matches("14", storage.read("settings.json"))
    """,
    // An effect writes it at once.
    """
    local store = half()
    assert.matches("13", storage.read("settings.json"))
    store:send("save")
    assert.matches("14", storage.read("settings.json"))
    """,
    // A file that is removed takes with it what is not written yet.
    """
    local store = half()
    storage.remove("settings.json")
    store:receive("shared", function(state) state.settings.size = 12 end)
    assert.is_nil(storage.read("settings.json"))
    storage.crash()
    assert.equal(12, make().state.settings.size)
    """,
    // What is not written yet is in the journal.
    """
    local store = half()
    storage.crash()
    assert.equal(14, make().state.settings.size)
    """,
    """
    local store = half()
    storage.restart()
    assert.matches("14", storage.read("settings.json"))
    """,
    // What another program has written is seen at once.
    """
    storage { clock = test.clock() }
    local store = make()
    bigger(store, 13)
    storage.write("settings.json", '{ "$version": 2, "$value": { "size": 1 } }')
    store:receive("shared", function(state) state.settings.size = 1 end)
    """,
  ])
  func aClockSaysWhenFilesAreWritten(body: String) async throws {
    #expect(try await spec(body).result == "passed")
  }

  @Test func theClockOfOneTestIsNotThatOfTheNext() async throws {
    let spec = try await spec(
      """
      storage { clock = test.clock() }
      bigger(make(), 13)
      end)
      it("goes on", function()
      local store = make()
      bigger(store, 13)
      bigger(store, 14)
      assert.matches("14", storage.read("settings.json"))
      """)
    #expect(spec.result == "passed\npassed")
  }

  private static let seen = """
    local seen = scripted.shared.appStorage("seen", false)
    local rates = scripted.shared.fileStorage("rates.json", {})
    return scripted.feature {
      state = {}, shared = { seen = seen, rates = rates }, on = { see = function(state) state.seen = true end },
    }
    """

  @Test func theTestReadsAndWritesValuesOfAppStorage() async throws {
    let spec = try await Spec(
      """
      local storage, store = test.storage, make()
      assert.is_nil(storage.get("seen"))
      store:send("see", function(state) state.seen = true end)
      assert.is_true(storage.get("seen"))
      storage.set("seen", false)
      store:receive("shared", function(state) state.seen = false end)
      storage.set("other", { 1 })
      assert.same({ 1 }, storage.get("other"))
      storage.set("other", nil)
      assert.is_nil(storage.get("other"))
      """, before: "", app: Self.seen)
    #expect(spec.result == "passed")
  }

  @Test(arguments: [
    (
      "store:shared('rates'):set({ 7 }) store:receive('shared', function(s) s.rates = { 7 } end)",
      "passed"
    ),
    ("assert.same({}, store:shared('rates').value)", "passed"),
    ("assert.is_false(store:shared('rates').status.isLoading)", "passed"),
    ("store:shared('other')", "app_test.lua:4: the state has no shared field at \"other\""),
    ("store:shared(1)", "the path of a shared field of the state is expected, got number"),
  ])
  func theTestNamesAValueByAField(body: String, result: String) async throws {
    let spec = try await Spec("local store = make()\n" + body, app: Self.seen)
    #expect(spec.result.contains(result), "\(spec.result)")
  }

  @Test func theTestReadsTheStatusOfAValue() async throws {
    let spec = try await Spec(
      """
      local key = require("scripted").shared.fileStorage("rates.json", {})
      assert.same({ isLoading = false }, test.shared(key).status)
      test.expectWarning("cannot be loaded", function() test.storage.write("rates.json", "{") end)
      assert.equal("broken", test.shared(key).status.loadError.code)
      """, before: "", app: Self.seen)
    #expect(spec.result == "passed")
  }

  @Test(arguments: [
    (
      "make():shared('settings'):set('large')",
      "the default of the key is of type object, and the new value is of type string"
    ),
    (
      "make():shared('settings'):set(print)", "a shared value is a value of state, not a function"
    ),
    ("storage.write('settings.json', { 1 })", "encode values with scripted.json"),
    ("storage.read(1)", "the name of a file is expected, got number"),
    ("storage.wirte('a', 'b')", "test.storage has no 'wirte'; did you mean 'write'?"),
    ("storage.fail(1)", "a code as \"full\" is expected"),
    ("storage.rename('a', 'b')", "test.storage.rename: there is no file 'a'"),
    ("storage.rename('a')", "bad argument #2 to 'test.storage.rename'"),
    ("storage.get(1)", "the name of an appStorage key is expected, got number"),
    (
      "storage.set('a', print)",
      "bad argument #2 to 'test.storage.set' (a value of state is expected, got function)"
    ),
    (
      "storage.write('app-storage.json', '[1]'); storage.get('a')",
      "test.storage.get: the file app-storage.json is no JSON object"
    ),
    ("storage(1)", "a table with a clock is expected, got number"),
    ("storage { clok = 1 }", "test.storage has no option 'clok', only 'clock'"),
    ("storage { clock = test.stream() }", "must be a test.clock(), not a stream"),
    ("storage {}", "must be a test.clock(), not a nil"),
  ])
  func aMistakeIsTold(body: String, message: String) async throws {
    let result = try await spec(body).result
    #expect(result.contains(message), "\(result)")
  }

  private static let words = """
    local words = scripted.shared.fileStorage("words.txt", {}, {
      encode = function(words) return table.concat(words, " ") end,
      decode = function(text)
        if text == "?" then error("no words") end
        local words = scripted.array {}
        for word in text:gmatch("%a+") do words[#words + 1] = word end
        return words
      end,
    })
    return scripted.feature {
      state = {}, shared = { words = words, status = words:status() },
      on = {
        add = function(state, action) table.insert(state.words, action.word) end,
        save = function() return effect.run(function() words:save() end) end,
      },
    }
    """

  @Test(arguments: [
    """
    local store = make()
    store:send({ type = "add", word = "a" }, function(state) state.words = { "a" } end)
    assert.equal("a", storage.read("words.txt"))
    assert.same({ "words.txt" }, storage.names())
    storage.write("words.txt", "b c")
    store:receive("shared", function(state) state.words = { "b", "c" } end)
    store:send("save"):finish { timeout = 600 }
    storage.restart()
    assert.same({ "b", "c" }, make().state.words)
    """,
    """
    storage { clock = test.clock() }
    local store = make()
    store:send({ type = "add", word = "a" }, function(state) state.words = { "a" } end)
    store:send({ type = "add", word = "b" }, function(state) state.words = { "a", "b" } end)
    assert.equal("a", storage.read("words.txt"))
    store:send("save")
    assert.equal("a b", storage.read("words.txt"))
    """,
    """
    storage.write("words.txt", "?")
    local store = make()
    assert.equal("decode", store.state.status.loadError.code)
    """,
    // The bytes of a file stay when it gets another name.
    """
    storage.write("other.txt", "\\xff")
    storage.rename("other.txt", "words.txt")
    assert.equal("decode", make().state.status.loadError.code)
    """,
    """
    local store = make()
    store:send({ type = "add", word = "a" }, function(state) state.words = { "a" } end)
    storage.fail("full", "words.txt")
    store:send({ type = "add", word = "b" }, function(state) state.words = { "a", "b" } end)
    store:skipReceivedActions()
    storage.fail()
    storage.crash()
    assert.same({ "a", "b" }, make().state.words)
    """,
  ])
  func filesHaveTheirFormatInTests(body: String) async throws {
    let result = try await Spec(body, before: Self.bigger, app: Self.words).result
    #expect(result == "passed")
  }

  @Test func eachTestHasFilesOfItsOwn() async throws {
    let spec = try await spec(
      """
      end)
      it("writes", function() bigger(make(), 13) end)
      it("starts without them", function()
        assert.same({}, storage.names())
        assert.equal(12, make().state.settings.size)
      """)
    #expect(spec.result == "passed\npassed\npassed")
  }
}
