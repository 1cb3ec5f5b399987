import Testing

/// `test.storage`: stored values in tests of scripts.
struct StoredValueSpecTests {
  private static let app = """
    local settings = scripted.shared.fileStorage("settings.json", { size = 12 }, {
      version = 2, migrate = function(value) return { size = value } end,
    })
    return scripted.feature {
      state = {}, shared = { settings = settings, status = settings:status() },
      on = { bigger = function(state) state.settings.size = state.settings.size + 1 end },
    }
    """

  private static let bigger = """
    local storage = test.storage
    local function bigger(store, size)
      store:send("bigger", function(state) state.settings.size = size end)
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
    ("storage.write('settings.json', { 1 })", "encode values with scripted.json"),
    ("storage.read(1)", "the name of a file is expected, got number"),
    ("storage.wirte('a', 'b')", "test.storage has no 'wirte'; did you mean 'write'?"),
    ("storage.fail(1)", "a code as \"full\" is expected"),
  ])
  func aMistakeIsTold(body: String, message: String) async throws {
    let result = try await spec(body).result
    #expect(result.contains(message), "\(result)")
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
