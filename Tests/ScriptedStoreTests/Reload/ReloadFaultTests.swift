import Foundation
import LuaBridge
import ScriptedStore
import Synchronization
import Testing

/// Scripts that are wrong do not replace those that run.
struct ReloadFaultTests {
  private static let good = """
    return scripted.feature {
      name = "App", state = { count = 0 }, on = { up = function(state) state.count = state.count + 1 end },
    }
    """
  private static let better = good.replacingOccurrences(of: "+ 1", with: "+ 10")

  /// What is said of scripts that a test breaks, when the old code ran on and the next good ones were taken.
  private func refusal(
    of more: [String: String] = [:], _ damage: (Scripts) throws -> Void,
    repair: (Scripts) throws -> Void = { _ in }
  ) throws -> ReloadError {
    let scripts = try Scripts(more.merging(["app": Self.good]) { $1 })
    let store = try scripts.store()
    for name in more.keys.sorted() where name != "app" { _ = try? scripts.host.store(name) }
    try damage(scripts)
    let refusal = try #require(scripts.refusal())
    store.send("up")
    #expect(store.state["count"] == 1 && scripts.host.generation == 0)
    try repair(scripts)
    try scripts.write("app", Self.better)
    try scripts.host.reload()
    store.send("up")
    #expect(store.state["count"] == 11)
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
    return refusal
  }

  @Test func aSyntaxError() throws {
    let error = try refusal { try $0.write("app", "\n\nreturn scripted.feature {") }
    #expect(error.errors.count == 1 && error.errors.first?.kind == .syntax)
    #expect(error.errors.first?.script == "app.lua" && error.errors.first?.line == 3)
    #expect(error.changed == ["app.lua"])
    #expect(error.description.hasPrefix("the scripts were not reloaded: app.lua:3: "))
  }

  /// Whatever else requires it would take the same time again.
  @Test func nothingIsLoadedAfterAScriptThatNeverLoads() throws {
    let scripts = try Scripts(["app": Self.good, "other": Self.good]) {
      $0.limits = Limits(loadTime: .milliseconds(200))
    }
    let stores = [try scripts.store(), try scripts.host.store("other")]
    for name in ["app", "other"] { try scripts.write(name, "while true do end") }
    let error = try #require(scripts.refusal())
    #expect(error.errors.map(\.kind) == [.time])
    for store in stores {
      store.send("up")
      #expect(store.state["count"] == 1)
    }
  }

  @Test func aHalfOfAScript() throws {
    let half = String(Self.better.prefix(Self.better.count / 2))
    let error = try refusal { try $0.write("app", half) }
    #expect(error.errors.first?.kind == .syntax)
  }

  @Test func anEmptyScript() throws {
    let error = try refusal { try $0.folder.write("", to: "app.lua") }
    #expect(error.message.contains("app returns no feature"))
  }

  @Test func whatRaisesWhileItIsLoaded() throws {
    let error = try refusal { try $0.write("app", "error('no luck')") }
    #expect(error.message.hasSuffix("no luck"))
  }

  @Test func aDependencyThatNobodyOffers() throws {
    let error = try refusal {
      try $0.write(
        "app", "return scripted.feature { name = 'App', dependencies = { 'uuuid' } }")
    }
    #expect(error.message.contains("did you mean 'uuid'?"))
  }

  @Test func aRequiredModuleThatDoesNotExist() throws {
    let error = try refusal { try $0.write("app", "require 'gone'\n" + Self.good) }
    #expect(error.message.contains("there is no module 'gone'"))
  }

  private static let requiring = "require 'part'\n" + good

  @Test func aModuleThatIsRemovedWhileItIsRequired() throws {
    let scripts = try Scripts(["app": Self.requiring, "part": "return 1"])
    let store = try scripts.store()
    try scripts.remove("part")
    let error = try #require(scripts.refusal())
    #expect(error.message.contains("there is no module 'part'"))
    store.send("up")
    // Nobody requires it any more.
    try scripts.write("app", Self.better)
    let report = try scripts.host.reload()
    #expect(report.removed == ["part.lua"] && report.reloaded == ["app.lua"])
    store.send("up")
    #expect(store.state["count"] == 11)
  }

  @Test func aModuleThatIsRenamed() throws {
    let scripts = try Scripts(["app": Self.requiring, "part": "return 1"])
    let store = try scripts.store()
    try scripts.remove("part")
    try scripts.write("piece", "return 1")
    #expect(scripts.refusal() != nil)
    try scripts.write("app", "require 'piece'\n" + Self.better)
    let report = try scripts.host.reload()
    #expect(report.changed == ["app.lua"] && report.removed == ["part.lua"])
    #expect(report.reloaded == ["app.lua", "piece.lua"])
    store.send("up")
    #expect(store.state["count"] == 10)
  }

  @Test func aModuleThatBecomesAFolder() throws {
    let scripts = try Scripts(["app": Self.requiring, "part": "return 1"])
    _ = try scripts.store()
    try scripts.remove("part")
    try scripts.write("part.init", "return 2")
    let report = try scripts.host.reload()
    #expect(report.changed == ["part/init.lua"] && report.removed == ["part.lua"])
  }

  @Test func theScriptOfAStoreThatIsRemoved() throws {
    let error = try refusal { try $0.remove("app") }
    #expect(error.message.contains("there is no module 'app'"))
  }

  @Test func modulesThatBeginToRequireEachOther() throws {
    let scripts = try Scripts(["app": Self.requiring, "part": "return 1"])
    let store = try scripts.store()
    try scripts.write("part", "require 'app' return 1")
    let error = try #require(scripts.refusal())
    #expect(error.message.contains("app.lua → part.lua → app.lua"))
    try scripts.write("part", "return 2")
    try scripts.write("app", "require 'part'\n" + Self.better)
    try scripts.host.reload()
    store.send("up")
    #expect(store.state["count"] == 10)
  }

  @Test func aScriptThatNeverEndsLoading() throws {
    let error = try refusal { try $0.write("app", "while true do pcall(error) end") }
    #expect(error.message.contains("takes longer than"))
    #expect(error.errors.first?.script == "app.lua")
  }

  @Test func eachOfSeveralMistakesIsTold() throws {
    let scripts = try Scripts(["a": Self.good, "b": Self.good])
    _ = (try scripts.host.store("a"), try scripts.host.store("b"))
    try scripts.write("a", "return {")
    try scripts.write("b", "return }")
    #expect(scripts.refusal()?.errors.map(\.script) == ["a.lua", "b.lua"])
  }

  @Test func aStoreWhoseOverrideIsNotOfferedAnyMore() throws {
    let scripts = try Scripts(
      app: "scripted.dependency { name = 'mark', live = 'm' }\n" + Self.good)
    let store = try scripts.host.store("app", dependencies: ["mark": .value("x")])
    try scripts.write("app", Self.better)
    #expect(scripts.refusal()?.message.contains("there is no dependency 'mark'") == true)
    store.send("up")
    #expect(store.state["count"] == 1)
  }

  @Test func aReducerCannotReload() throws {
    let host = Mutex<ScriptHost?>(nil)
    let errors = Recorder<String>()
    let reducer = Reducer.reduce { state, _ in
      do {
        if let host = host.withLock({ $0 }) { try host.reload() }
      } catch {
        errors.record("\(error)")
      }
      return .none
    }
    let scripts = try Scripts(app: Self.good)
    host.withLock { $0 = scripts.host }
    defer { host.withLock { $0 = nil } }
    let store = try scripts.host.store(reducer, state: [:])
    store.send("go")
    #expect(errors.count == 1)
    #expect(errors.all.first?.contains("use an asynchronous function that awaits reload()") == true)
  }

  @Test func anEffectReloadsByWhatItWaitsFor() async throws {
    let host = Mutex<ScriptHost?>(nil)
    var dependencies = Dependencies()
    let reload = Dependency.asyncFunction { () async throws -> String in
      guard let host = host.withLock({ $0 }) else { return "no host" }
      return try await host.reload().description.prefix(16).description
    }
    dependencies.register("host", live: .client(["reload": reload]))
    let app = { (mark: String) in
      """
      return scripted.feature {
        name = "App", state = {}, dependencies = { "host" },
        on = {
          go = function() return effect.run(function(send, deps) send("done", deps.host.reload()) end) end,
          done = function(state, action) state.text = action.value .. " \(mark)" end,
        },
      }
      """
    }
    let scripts = try Scripts(["app": app("old")], dependencies: dependencies)
    host.withLock { $0 = scripts.host }
    defer { host.withLock { $0 = nil } }
    let store = try scripts.store()
    try scripts.write("app", app("new"))
    await store.send("go").finish()
    #expect(store.state["text"] == "reloaded app.lua new")
  }

  /// Of the two `reload`, the one that waits.
  private func reload(_ scripts: Scripts) throws { try scripts.host.reload() }

  @Test func aStoreMayGoWhileScriptsAreReloaded() async throws {
    let scripts = try Scripts(app: Self.good)
    let kept = try scripts.store()
    var others: [Store?] = try (0..<100).map { _ in try scripts.store() }
    let stores = Mutex(others.compactMap { $0 })
    others = []
    let thread = Thread { while stores.withLock({ $0.popLast() }) != nil {} }
    for step in 1...20 {
      if step == 2 { thread.start() }
      try scripts.write("app", Self.good.replacingOccurrences(of: "+ 1", with: "+ \(step)"))
      try reload(scripts)
    }
    // The thread that lets go of stores may be inside.
    let heard = AsyncStream.makeStream(of: Void.self)
    let observation = kept.onAction { _ in heard.continuation.yield() }
    kept.send("up")
    var iterator = heard.stream.makeAsyncIterator()
    _ = await iterator.next()
    observation.cancel()
    #expect(kept.state["count"] == 20)
  }
}
