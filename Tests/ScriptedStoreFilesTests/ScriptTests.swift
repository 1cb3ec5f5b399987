import Foundation
import ScriptedStore
import ScriptedStoreFiles
import Testing

/// What scripts make of it.
struct ScriptTests {
  @Test func aFeatureKeepsItsStateInAFile() async throws {
    let sandbox = try Sandbox()
    let store = try self.store(of: sandbox)
    try await store.send("add", ["text": "Milk"]).finish()
    try await store.send("add", ["text": "Bread"]).finish()
    #expect(sandbox.text(at: "saves/list.json") == #"["Milk","Bread"]"#)

    let later = try self.store(of: sandbox)
    await later.send("load").finish()
    #expect(later.state["list"] == ["Milk", "Bread"])
  }

  @Test func aMissingFileIsAFailureWithACode() async throws {
    let sandbox = try Sandbox()
    let store = try self.store(of: sandbox)
    await store.send("load").finish()
    #expect(
      store.state["failure"] == [
        "code": "notFound", "path": "saves/list.json",
        "message": "cannot read saves/list.json: No such file or directory",
      ])
  }

  private func store(of sandbox: Sandbox) throws -> Store {
    try FileManager.default.createDirectory(
      atPath: sandbox.outside + "/scripts", withIntermediateDirectories: true)
    try sandbox.put(ScriptTests.script, at: "../scripts/app.lua")
    var dependencies = Dependencies()
    dependencies.register("files", live: sandbox.files)
    return try ScriptHost(
      root: sandbox.outside + "/scripts", configuration: .init(dependencies: dependencies)
    ).store("app")
  }

  private static let script = """
    local scripted = require "scripted"
    local effect = scripted.effect
    local path = "saves/list.json"
    return scripted.feature {
      name = "App", state = { list = {} }, dependencies = { "files" },
      on = {
        add = function(state, action)
          state.list[#state.list + 1] = action.text
          local list = scripted.snapshot(state.list)
          return effect.run(function(_, deps)
            deps.files.makeFolder("saves")
            deps.files.write(path, list, { as = "json" })
          end)
        end,
        load = function()
          return effect.run(function(send, deps)
            send("loaded", { result = effect.result(deps.files.read, path, { as = "json" }) })
          end)
        end,
        loaded = function(state, action)
          state.list = action.result.success or {}
          state.failure = action.result.failure
        end,
      },
    }
    """
}
