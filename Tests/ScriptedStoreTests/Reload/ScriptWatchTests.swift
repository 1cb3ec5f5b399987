import Foundation
import LuaBridge
import ScriptedStore
import Testing

/// Scripts are reloaded when they are saved, however an editor does that.
@Suite(.timeLimit(.minutes(30)))
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
      store.send("up")
      return store.state["count"].int
    }
  }

  @Test func aFileThatIsWrittenInPlace() async throws {
    let watched = try Watched(["app": Self.app(1)])
    try watched.scripts.write("app", Self.app(10))
    let report = try await watched.next().get()
    #expect(report.changed == ["app.lua"] && report.duration > .zero)
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

  @Test func aScriptThatBecomesAPipe() async throws {
    let watched = try Watched(["app": Self.app(1)])
    try watched.scripts.remove("app")
    #expect(mkfifo(watched.scripts.folder.path + "/app.lua", 0o600) == 0)
    var message = ""
    while !message.contains("a script must be a regular file") {
      if case .failure(let error) = try await watched.next() { message = error.message }
    }
    try watched.scripts.remove("app")
    try watched.scripts.write("app", Self.app(10))
    while try await watched.next().success?.changed != ["app.lua"] {}
    #expect(try watched.up() == 10)
  }

  @Test func anotherFolderInPlaceOfTheRoot() async throws {
    let watched = try Watched(["app": Self.app(1)])
    let root = watched.scripts.folder.path
    #expect(rename(root, root + ".old") == 0)
    defer { try? FileManager.default.removeItem(atPath: root + ".old") }
    guard case .failure(let error) = try await watched.next() else {
      Issue.record("scripts that are not there were loaded")
      return
    }
    #expect(error.message.contains("there is no module 'app'"))
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
    try watched.scripts.write("app", Self.app(10))
    while try await watched.next().success?.changed != ["app.lua"] {}
    #expect(try watched.up() == 10)
    // What is heard of the old one does not count, and the new one is watched as it was.
    try watched.scripts.write("app", Self.app(100))
    while try await watched.next().success?.changed != ["app.lua"] {}
    #expect(try watched.up() == 110)
  }

  @Test(arguments: ["inside", "outside"])
  func aLinkToAFileThatIsNotCalledAScript(place: String) async throws {
    let outside = try TemporaryFolder()
    let scripts = try Scripts(["other": "return 1"])
    let folder = place == "inside" ? scripts.folder.path : outside.path
    try (Scripts.locals + Self.app(1)).write(
      toFile: folder + "/version", atomically: false, encoding: .utf8)
    #expect(symlink(folder + "/version", scripts.folder.path + "/app.lua") == 0)
    // Modules may not lead out of the root, what the host names by its path may.
    let name = place == "inside" ? "app" : scripts.folder.path + "/app.lua"
    let store = try scripts.host.store(name)
    let (told, continuation) = AsyncStream.makeStream(of: Result<ReloadReport, ReloadError>.self)
    let watch = try scripts.host.watch { continuation.yield($0) }
    var iterator = told.makeAsyncIterator()
    try (Scripts.locals + Self.app(10)).write(
      toFile: folder + "/version", atomically: false, encoding: .utf8)
    #expect(try await iterator.next()?.get().hasChanges == true)
    store.send("up")
    #expect(store.state["count"] == 10)
    watch.stop()
  }

  @Test func fiftySavesInASecond() async throws {
    let watched = try Watched(["app": Self.app(0)])
    for step in 1...50 { try watched.scripts.write("app", Self.app(step)) }
    try watched.scripts.write("app", Self.app(1000))
    var reports = 0
    repeat {
      _ = try? await watched.next().get()
      reports += 1
      watched.store.send("up")
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
    store.send("up")
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

extension Result {
  fileprivate var success: Success? { try? get() }
}
