import LuaBridge
import ScriptedStore
import Testing

/// Keys that cannot be used as they are, and functions of keys that do not do what they should: who is told what.
struct BadKeyTests {
  private func scripts(
    _ app: String, _ storage: MemoryStorage = MemoryStorage(), time: Duration? = nil
  ) throws -> Scripts {
    try Scripts(["app": app]) {
      $0.shared = storage
      if let time { $0.limits = Limits(time: time, loadTime: time) }
    }
  }

  private func refusal(of app: String) throws -> String {
    let scripts = try scripts(app)
    return scriptError { _ = try scripts.store() }.map { "\($0)" } ?? "none"
  }

  @Test func oneKeyHasOneVersion() throws {
    let message = try refusal(
      of: """
        local shared = scripted.shared
        local one, other = shared.fileStorage("n.json", 1), shared.fileStorage("n.json", 1, { version = 2 })
        return scripted.feature { state = {}, shared = { one = one, other = other } }
        """)
    #expect(
      message
        == "the shared value 'n.json' has version 1 at app.lua:2 and 2 at app.lua:2; declare the key once"
    )
  }

  @Test func aMigrateThatDoesNotEndIsStoppedAndLeavesTheFile() throws {
    let storage = MemoryStorage()
    storage.replace("n.json", with: Array("1".utf8))
    let scripts = try scripts(
      """
      local n = scripted.shared.fileStorage("n.json", 1, { version = 2, migrate = function() while true do end end })
      return scripted.feature { state = {}, shared = { n = n }, on = { set = function(state) state.n = 5 end } }
      """, storage, time: .milliseconds(200))
    let refusal = scriptError { _ = try scripts.store() }.map { "\($0)" } ?? ""
    let told = refusal + scripts.warnings.map(\.message).joined()
    #expect(told.contains("longer than 0.2 s"), "\(told)")
    #expect(told.contains("'n.json'") && told.contains("`migrate`"), "\(told)")
    scripts.host.flush()
    #expect(storage.read("n.json") == Array("1".utf8))
  }

  @Test(arguments: [
    ("function() return base:get() + 1 end", ""),
    ("1", ", { check = function() base:get() end }"),
    ("1", ", { version = 2, migrate = function() return base:get() end }"),
  ])
  func aFunctionOfAStoredKeyIsNotTheFirstToUseAnotherOne(value: String, options: String) throws {
    let storage = MemoryStorage()
    storage.replace("base.json", with: Array("7".utf8))
    if !options.isEmpty { storage.replace("other.json", with: Array("2".utf8)) }
    let app = """
      local shared = scripted.shared
      local base = shared.fileStorage("base.json", 1)
      local other = shared.fileStorage("other.json", \(value)\(options))
      return scripted.feature {
        state = {}, shared = { other = other, status = other:status() },
      }
      """
    let scripts = try scripts(app, storage)
    var told = ""
    let refusal = scriptError {
      let store = try scripts.store()
      told = "\(store.state)"
    }
    if let refusal { told += "\(refusal)" }
    #expect(told.contains("'base.json' cannot be read while 'other.json' is being read"), "\(told)")
    // A feature that has read it before is the remedy.
    let both = app.replacing("{ other =", with: "{ base = base, other =")
    #expect(try self.scripts(both, storage).store().state["base"] == 7)
  }

  @Test(arguments: [
    ("error('offline')", "offline"), ("error({ code = 'c', message = 'm' })", "m (c)"),
    ("return print", "which is no value of state"), ("return 'text'", "is of type string"),
    ("return 1, 2", "load returned 2 values"), ("return nil, 'offline'", "load returned 2 values"),
  ])
  func aLoadThatFailsLeavesTheDefaultAndIsTold(body: String, reason: String) async throws {
    let scripts = try scripts(
      """
      local n = scripted.shared.custom { name = "n", default = 7, load = function() \(body) end }
      return scripted.feature { state = {}, shared = { n = n } }
      """)
    let store = try scripts.store()
    #expect(store.state["n"] == 7)
    let message = scripts.warnings.first?.message ?? ""
    #expect(message.contains(#"the shared value custom "n" cannot be loaded"#), "\(message)")
    #expect(message.contains(reason), "\(message)")
  }

  @Test func aLoadThatDoesNotReturnLeavesTheDefault() throws {
    let scripts = try scripts(
      """
      local waiting = scripted.shared.custom {
        name = "waiting", default = 8, dependencies = { "clock" },
        load = function(deps) deps.clock.sleep(1e6) return 9 end, save = function() end,
      }
      return scripted.feature {
        state = {}, shared = { waiting = waiting, status = waiting:status() },
        on = { inc = function(state) state.waiting = state.waiting + 1 end },
      }
      """)
    let store = try scripts.store()
    store.send("inc")
    #expect(store.state["waiting"] == 9)
    #expect(store.state["status"]["isLoading"] == true)
    scripts.host.close()
  }
}
