import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// Scripts are reloaded when they are saved, however an editor does that.
@Suite(.timeLimit(.minutes(5)))
struct ScriptWatchTests {
  private static func app(_ step: Int, requiring module: String? = nil) -> String {
    """
    \(module.map { "require '\($0)'" } ?? "")
    return scripted.feature {
      name = "App", state = { count = 0 },
      on = { up = function(state) state.count = state.count + \(step) end },
    }
    """
  }

  /// A host that is watched, and what its watch tells.
  private struct Watched {
    let scripts: Scripts
    let store: Store
    let watch: ScriptWatch
    private let told: AsyncStream<Result<ReloadReport, ReloadError>>

    init(_ modules: [String: String]) throws {
      scripts = try Scripts(modules)
      store = try scripts.store()
      let (told, continuation) = AsyncStream.makeStream(of: Result<ReloadReport, ReloadError>.self)
      self.told = told
      watch = try scripts.host.watch { continuation.yield($0) }
    }

    /// What is told next.
    func next() async throws -> Result<ReloadReport, ReloadError> {
      var iterator = told.makeAsyncIterator()
      return try #require(await iterator.next())
    }

    /// The count after another action.
    func up() throws -> Int? {
      try store.send("up")
      return store.state["count"].int
    }
  }

  @Test func aFileThatIsWrittenInPlace() async throws {
    let watched = try Watched(["app": Self.app(1)])
    try watched.scripts.write("app", Self.app(10))
    let report = try await watched.next().get()
    #expect(report.changed == ["app.lua"] && report.seconds > 0)
    #expect(try watched.up() == 10)
  }

  @Test func aFileThatIsWrittenAsideAndMoved() async throws {
    let watched = try Watched(["app": Self.app(1)])
    let path = watched.scripts.folder.path
    try watched.scripts.folder.write(Scripts.locals + Self.app(10), to: ".app.lua.swp")
    #expect(rename("\(path)/.app.lua.swp", "\(path)/app.lua") == 0)
    #expect(try await watched.next().get().changed == ["app.lua"])
    #expect(try watched.up() == 10)
  }

  @Test func aModuleInANewFolder() async throws {
    let watched = try Watched(["app": Self.app(1)])
    try watched.scripts.write("parts.more.one", "return 1")
    try watched.scripts.write("app", Self.app(10, requiring: "parts.more.one"))
    #expect(try await watched.next().get().reloaded == ["app.lua", "parts/more/one.lua"])
    try watched.scripts.write("parts.more.one", "return 2")
    #expect(try await watched.next().get().changed == ["parts/more/one.lua"])
  }

  @Test func whatIsWrongIsToldOnceForTheSameTexts() async throws {
    let watched = try Watched(["app": Self.app(1)])
    try watched.scripts.write("app", "return {")
    guard case .failure(let error) = try await watched.next() else {
      Issue.record("half a script was taken")
      return
    }
    #expect(error.changed == ["app.lua"])
    #expect(try watched.up() == 1)
    // The same again, another file, and then something better: only that is told.
    try watched.scripts.write("app", "return {")
    try watched.scripts.write("other", "return 1")
    try watched.scripts.write("app", Self.app(10))
    #expect(try await watched.next().get().changed == ["app.lua"])
    #expect(try watched.up() == 11)
  }

  @Test func whatIsPutBackIsTold() async throws {
    let watched = try Watched(["app": Self.app(1)])
    try watched.scripts.write("app", "return {")
    _ = try await watched.next()
    try watched.scripts.write("app", Self.app(1))
    #expect(try await !watched.next().get().hasChanges)
  }

  @Test func aModuleThatIsRemoved() async throws {
    let watched = try Watched(["app": Self.app(1, requiring: "part"), "part": "return 1"])
    try watched.scripts.remove("part")
    guard case .failure(let error) = try await watched.next() else {
      Issue.record("a module that is missing was not missed")
      return
    }
    #expect(error.message.contains("there is no module 'part'"))
    try watched.scripts.write("part", "return 1")
    #expect(try await !watched.next().get().hasChanges)
  }

  @Test func fiftySavesInASecond() async throws {
    let watched = try Watched(["app": Self.app(0)])
    for step in 1...50 { try watched.scripts.write("app", Self.app(step)) }
    try watched.scripts.write("app", Self.app(1000))
    var reports = 0
    repeat {
      _ = try? await watched.next().get()
      reports += 1
      try watched.store.send("up")
    } while (watched.store.state["count"].int ?? 0) < 1000
    #expect(reports <= 51)
  }

  @Test func whatWasSavedBeforeTheWatchBegan() async throws {
    let scripts = try Scripts(["app": Self.app(1)])
    let store = try scripts.store()
    try scripts.write("app", Self.app(10))
    let (told, continuation) = AsyncStream.makeStream(of: Result<ReloadReport, ReloadError>.self)
    let watch = try scripts.host.watch { continuation.yield($0) }
    var iterator = told.makeAsyncIterator()
    #expect(try await iterator.next()?.get().changed == ["app.lua"])
    try store.send("up")
    #expect(store.state["count"] == 10)
    watch.stop()
  }

  @Test func aWatchThatIsStoppedReloadsNothing() async throws {
    let watched = try Watched(["app": Self.app(1)])
    watched.watch.stop()
    try watched.scripts.write("app", Self.app(10))
    // Another watch has seen it, so this one would have.
    let (told, continuation) = AsyncStream.makeStream(of: Void.self)
    let other = try Scripts(["app": Self.app(1)])
    _ = try other.store()
    let witness = try other.host.watch { _ in continuation.yield() }
    try other.write("app", Self.app(2))
    var iterator = told.makeAsyncIterator()
    _ = await iterator.next()
    witness.stop()
    #expect(watched.scripts.host.generation == 0)
  }
}
