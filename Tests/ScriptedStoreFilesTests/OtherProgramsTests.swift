import Dispatch
import Foundation
import Platform
import ScriptedStore
import ScriptedStoreFiles
import Synchronization
import Testing

/// What becomes of shared values when another program or another process writes their files.
@Suite(.timeLimit(.minutes(30))) struct OtherProgramsTests {
  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    try sandbox.makeFolder("scripts")
    try sandbox.put(Self.script, at: "scripts/app.lua")
  }

  private static let script = """
    local scripted = require "scripted"
    local shared = scripted.shared
    local settings = shared.fileStorage("settings.json", { theme = "light", size = 12, rows = {} }, { interval = 60 })
    return scripted.feature {
      state = { heard = 0 }, shared = { settings = settings, status = settings:status() },
      on = {
        bigger = function(state) state.settings.size = state.settings.size + 1 end,
        add = function(state, action) table.insert(state.settings.rows, { id = action.id }) end,
        set = function(state, action) state.settings[action.key] = action.value end,
      },
    }:onChange("settings", function(state) state.heard = state.heard + 1 end)
    """

  private func host(
    onWarning: @escaping @Sendable (RuntimeWarning) -> Void = ScriptHost.logWarning
  ) throws -> ScriptHost {
    var configuration = ScriptHost.Configuration(onWarning: onWarning)
    configuration.shared = try .folder(sandbox.inside)
    return try ScriptHost(root: sandbox.inside + "/scripts", configuration: configuration)
  }

  /// Replaces the file as an editor does that renames a new one, so that the store reads the old text or the new.
  private func edit(_ text: String) throws {
    try Data(text.utf8).write(
      to: URL(fileURLWithPath: sandbox.inside + "/settings.json"), options: .atomic)
  }

  private var stored: Value {
    get throws { try Value(json: Array((sandbox.text(at: "settings.json") ?? "null").utf8)) }
  }

  private func wait(_ store: Store, until isReached: (Value) -> Bool) async {
    while !isReached(store.state) { await Task.yield() }
  }

  @Test func anExclusiveFileIsWrittenByTheFirstProcessAlone() throws {
    try sandbox.put(
      Self.script.replacingOccurrences(
        of: "interval = 60", with: "interval = 60, exclusive = true"), at: "scripts/app.lua")
    let (first, second) = (try host(), try host())
    let stores = [try first.store("app"), try second.store("app")]
    try stores[1].send("set", ["key": "theme", "value": "second"])
    second.flush()
    #expect(stores[1].state["settings"]["theme"] == "second")
    #expect(stores[1].state["status"]["saveError"]["code"] == "locked")
    #expect(sandbox.text(at: "settings.json") == nil)
    try stores[0].send("set", ["key": "theme", "value": "first"])
    first.flush()
    #expect(try stored["theme"] == "first")
    #expect(stores[0].state["status"] == ["isLoading": false])
  }

  /// The observer is not called by the thread that writes files, which has the folder's lock.
  @Test func anObserverOfAnEditorsChangeMayFlush() async throws {
    let host = try host()
    let store = try host.store("app")
    let heard = AsyncStream<Value>.makeStream()
    let observation = host.shared("settings.json", kind: .fileStorage).observe { value in
      host.flush()
      heard.continuation.yield(value ?? .null)
    }
    try edit(#"{ "theme": "dark", "size": 12, "rows": [] }"#)
    for await value in heard.stream where value["theme"] == "dark" { break }
    #expect(store.state["settings"]["theme"] == "dark")
    observation.cancel()
  }

  @Test func whatAnEditorWritesIsTakenOver() async throws {
    let host = try host()
    let store = try host.store("app")
    try edit(#"{ "theme": "dark", "size": 12, "rows": [] }"#)
    await wait(store) { $0["settings"]["theme"] == "dark" }
    #expect(store.state["heard"] == 1)
    store.send("bigger")
    host.flush()
    #expect(try stored == ["theme": "dark", "size": 13, "rows": []])
  }

  @Test func aFileThatIsRemovedDoesNotComeBack() throws {
    do {
      let host = try host()
      let store = try host.store("app")
      store.send("bigger")
      host.flush()
      // This one waits for the end of the interval.
      store.send("bigger")
      try FileManager.default.removeItem(atPath: sandbox.inside + "/settings.json")
      host.flush()
      #expect(store.state["settings"]["size"] == 12)
      #expect(sandbox.text(at: "settings.json") == nil)
      host.close()
    }
    let host = try host()
    let store = try host.store("app")
    #expect(store.state["settings"]["size"] == 12)
    #expect(sandbox.text(at: "settings.json") == nil)
    store.send("bigger")
    host.flush()
    #expect(try stored["size"] == 13)
  }

  /// As of a copy that keeps its time, or when the clock of the machine was set.
  @Test(arguments: [-1e9, 1e9])
  func theTimeOfAFileMayBeAny(difference: TimeInterval) async throws {
    let host = try host()
    let store = try host.store("app")
    store.send("bigger")
    host.flush()
    let copy = sandbox.inside + "/copy.json"
    try sandbox.put(#"{ "theme": "dark", "size": 13, "rows": [] }"#, at: "copy.json")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: difference)], ofItemAtPath: copy)
    #expect(rename(copy, sandbox.inside + "/settings.json") == 0)
    await wait(store) { $0["settings"]["theme"] == "dark" }
    store.send("bigger")
    host.flush()
    #expect(try stored == ["theme": "dark", "size": 14, "rows": []])
  }

  @Test func theSameValueInOtherWordsIsNoChange() async throws {
    let host = try host()
    let store = try host.store("app")
    store.send("bigger")
    host.flush()
    try edit(#"{"rows":[],"size":13,"theme":"light"}"#)
    host.flush()
    #expect(store.state["heard"] == 1)
    #expect(sandbox.text(at: "settings.json") == #"{"rows":[],"size":13,"theme":"light"}"#)
  }

  @Test func changesOfBothSidesAreMerged() async throws {
    let host = try host()
    let store = try host.store("app")
    try store.send("add", ["id": "a"])
    host.flush()
    // It waits for the end of the interval.
    store.send("bigger")
    try store.send("add", ["id": "b"])
    try edit(#"{ "theme": "dark", "size": 12, "rows": [{"id": "new"}, {"id": "a"}] }"#)
    await wait(store) { $0["settings"]["theme"] == "dark" }
    host.flush()
    let merged: Value = [
      "theme": "dark", "size": 13, "rows": [["id": "new"], ["id": "a"], ["id": "b"]],
    ]
    #expect(store.state["settings"] == merged)
    #expect(try stored == merged)
    #expect(
      try sandbox.names().filter { $0.hasPrefix("settings") || $0.hasPrefix(".settings") }
        == ["settings.json"])
  }

  @Test func whereBothChangedTheSameOursStaysAndTheirTextIsKept() async throws {
    let warnings = Mutex<[String]>([])
    let host = try host { warning in warnings.withLock { $0.append(warning.message) } }
    let store = try host.store("app")
    store.send("bigger")
    host.flush()
    try store.send("set", ["key": "theme", "value": "blue"])
    try edit(#"{ "theme": "dark", "size": 99, "rows": [] }"#)
    await wait(store) { $0["settings"]["size"] == 99 }
    host.flush()
    #expect(try stored == ["theme": "blue", "size": 99, "rows": []])
    let kept = try #require(sandbox.text(at: "settings.json.conflict-1"))
    #expect(try Value(json: Array(kept.utf8))["theme"] == "dark")
    store.send("whatever")
    let message = warnings.withLock { $0.first } ?? ""
    #expect(message.contains("changed in settings.json what was changed here"), "\(message)")
    #expect(message.contains("kept as settings.json.conflict-1"), "\(message)")
  }

  @Test func aBrokenTextLeavesTheValueAndIsKept() async throws {
    let host = try host()
    let store = try host.store("app")
    store.send("bigger")
    host.flush()
    try edit("{ \"theme\": ")
    await wait(store) { $0["status"]["loadError"]["code"] == "broken" }
    #expect(store.state["settings"]["size"] == 13)
    host.flush()
    #expect(sandbox.text(at: "settings.json") == "{ \"theme\": ")
    store.send("bigger")
    host.flush()
    #expect(try stored["size"] == 14)
    #expect(sandbox.text(at: "settings.json.broken-1") == "{ \"theme\": ")
  }

  @Test func aRepairedTextIsTakenOver() async throws {
    let host = try host()
    let store = try host.store("app")
    try edit("{")
    await wait(store) { $0["status"]["loadError"]["code"] == "broken" }
    try edit(#"{ "theme": "dark", "size": 1, "rows": [] }"#)
    // The value comes first, and then that it could be read.
    await wait(store) { $0["settings"]["size"] == 1 && $0["status"] == ["isLoading": false] }
  }

  @Test func aNewerTextIsNotOverwritten() async throws {
    let host = try host()
    let store = try host.store("app")
    let newer = #"{ "$version": 2, "$value": 7 }"#
    try edit(newer)
    await wait(store) { $0["status"]["loadError"]["code"] == "newer" }
    store.send("bigger")
    host.flush()
    #expect(sandbox.text(at: "settings.json") == newer)
    #expect(store.state["status"]["saveError"]["code"] == "newer")
    #expect(store.state["settings"]["size"] == 13)
  }

  @Test func aRemovedFileGivesTheDefault() async throws {
    let host = try host()
    let store = try host.store("app")
    store.send("bigger")
    host.flush()
    try FileManager.default.removeItem(atPath: sandbox.inside + "/settings.json")
    await wait(store) { $0["settings"]["size"] == 12 }
    host.flush()
    // The default that takes its place is not written, to no journal either.
    #expect(try sandbox.names().filter { $0.contains("settings") } == [])
    store.send("bigger")
    host.flush()
    #expect(try stored["size"] == 13)
  }

  @Test func twoHostsThatEditDifferentKeysLoseNothing() async throws {
    let hosts = [try host(), try host()]
    let stores = try hosts.map { try $0.store("app") }
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      for number in 0..<1000 {
        _ = try? stores[index].send("set", ["key": .string("k\(index)-\(number)"), "value": 1])
        if number % 50 == 0 { hosts[index].flush() }
      }
      hosts[index].flush()
    }
    for host in hosts { host.flush() }
    let keys = try #require(try stored.object).keys
    #expect(keys.filter { $0.hasPrefix("k") }.count == 2000)
  }

  @Test func whatAnotherHostWritesIntoANewFolderIsKept() throws {
    try sandbox.put(
      Self.script.replacingOccurrences(of: "settings.json", with: "deep/settings.json"),
      at: "scripts/app.lua")
    let (first, second) = (try host(), try host())
    let stores = [try first.store("app"), try second.store("app")]
    try stores[1].send("set", ["key": "theme", "value": "dark"])
    second.flush()
    stores[0].send("bigger")
    first.flush()
    let merged: Value = ["theme": "dark", "size": 13, "rows": []]
    #expect(stores[0].state["settings"] == merged)
    #expect(
      try Value(json: Array((sandbox.text(at: "deep/settings.json") ?? "null").utf8)) == merged)
  }

  @Test func onlyTheFirstHostHasAJournal() throws {
    let first = try FolderStorage(sandbox.inside)
    #expect(first.isFirst)
    #expect(try !FolderStorage(sandbox.inside).isFirst)
  }
}
