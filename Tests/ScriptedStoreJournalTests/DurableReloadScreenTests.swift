#if Journal
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// A screen of a durable store gets the code of a reload together with the state that this code has made.
@Suite(.timeLimit(.minutes(2)))
struct DurableReloadScreenTests {
  private let rooms: Rooms

  init() throws { rooms = try Rooms() }

  /// No view of a version can show the state of another one, whose field has another name.
  private func writeCounter(_ version: Int, migrate: String = "") throws {
    let fields = ["n", "count", "total"]
    let (old, field) = (fields[max(0, version - 2)], fields[version - 1])
    try rooms.write(
      """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "Counter", version = \(version), state = { \(field) = 0 },
        migrate = function(state)
          \(migrate)
          state.\(field), state.\(old) = state.\(old), nil
        end,
        on = { up = function(state) state.\(field) = state.\(field) + 1 end },
        view = function(state) return ui.text("\(field) " .. state.\(field) + 1) end,
      }
      """, as: "counter")
  }

  /// A store on a screen and with an observer, and what both were told.
  private struct Watched {
    let store: Store
    let tree: ViewTree
    let seen = Calls()
    private let observations: [StoreObservation]

    init(_ store: Store) async {
      self.store = store
      tree = store.view()
      observations = [
        store.observe { [seen] in seen.add("\($0)") },
        tree.observe { [seen] _, tree in seen.add(tree["text"].string ?? "\(tree)") },
      ]
      // Another thread may be in the VM.
      let tree = tree
      await until { !tree.value.isNull }
    }

    /// Another view tree of the store, with a screen of its own.
    func look() async -> ViewTree {
      let late = store.view(environment: ["width": "compact"])
      await until { !late.value.isNull }
      return late
    }

    var text: Value { tree.value["text"] }
  }

  /// What an observer, and then the view tree, are told of a state with one field.
  private static func seen(_ field: String, _ count: Int) -> [String] {
    ["\([field: .integer(Int64(count))] as Value)", "\(field) \(count + 1)"]
  }

  /// The record of the migration, or one from before the reload, is being written meanwhile, and then is, or is not.
  @Test(arguments: [false, true], [false, true])
  func aScreenGetsNewCodeWithTheStateThatThisHasMigrated(
    hasRecordBefore: Bool, fails: Bool
  ) async throws {
    try writeCounter(1)
    let (storage, errors) = (HeldJournal(rooms.journal), Calls())
    let host = try rooms.host(storage) { $0.onError = { error, _ in errors.add("\(error)") } }
    let counter = host.durable("counter", key: "r")
    try await counter.send("up")
    let watched = await Watched(try await counter.open())
    let commits = storage.commits
    storage.isHeld = true
    if hasRecordBefore {
      watched.store.send("up")
      await until { storage.commits > commits }
    }
    try writeCounter(2)
    try await host.reload()
    await until { storage.commits > commits }
    // A screen that is made now shows the same as the other one.
    let late = await watched.look()
    #expect(watched.store.state == ["n": 1])
    #expect(watched.text == "n 2" && late.value["text"] == "n 2")
    if fails { storage.fail(1) }
    storage.isHeld = false
    let isTwo = hasRecordBefore && !fails
    let end = Self.seen("count", isTwo ? 2 : 1)
    await until { watched.seen.all.last == end[1] }
    #expect(watched.seen.all == (isTwo ? Self.seen("n", 2) : []) + end)
    #expect(late.value == watched.tree.value)
    // Actions are those of the new code.
    try await counter.send("up")
    await until { watched.text == (isTwo ? "count 4" : "count 3") }
    #expect(errors.all == [])
    await host.close()
  }

  /// Each state is shown by the code that has made it.
  @Test func severalReloadsWhileARecordIsWrittenAreShownInTurn() async throws {
    try writeCounter(1)
    let (storage, errors) = (HeldJournal(rooms.journal), Calls())
    let host = try rooms.host(storage) { $0.onError = { error, _ in errors.add("\(error)") } }
    let watched = await Watched(try await host.durable("counter", key: "r").open())
    storage.isHeld = true
    watched.store.send("up")
    await until { storage.commits > 0 }
    for version in 2...3 {
      try writeCounter(version)
      try await host.reload()
      watched.store.send("up")
    }
    #expect(watched.text == "n 1")
    storage.isHeld = false
    let last = Self.seen("total", 3)
    await until { watched.seen.all.last == last[1] }
    #expect(
      watched.seen.all
        == [("n", 1), ("count", 1), ("count", 2), ("total", 2), ("total", 3)]
        .flatMap { Self.seen($0, $1) })
    #expect(errors.all == [])
    await host.close()
  }

  @Test func aScreenGetsNewCodeWithTheFieldsThatThisHasAdded() async throws {
    func room(_ field: String, _ sum: String) -> String {
      """
      local ui = require "scripted.ui"
      return scripted.feature {
        name = "Adding", state = { n = 1\(field) }, on = { up = function(state) state.n = state.n + 1 end },
        view = function(state) return ui.text("sum " .. state.n\(sum)) end,
      }
      """
    }
    try rooms.write(room("", ""), as: "adding")
    let (storage, errors) = (HeldJournal(rooms.journal), Calls())
    let host = try rooms.host(storage) { $0.onError = { error, _ in errors.add("\(error)") } }
    let watched = await Watched(try await host.durable("adding", key: "r").open())
    storage.isHeld = true
    watched.store.send("up")
    await until { storage.commits > 0 }
    try rooms.write(room(", more = 10", " + state.more"), as: "adding")
    try await host.reload()
    #expect(watched.text == "sum 1")
    storage.isHeld = false
    await until { watched.text == "sum 12" }
    #expect(errors.all == [])
    await host.close()
  }

  /// The migration was tried on the state of then, and cannot be done on that of the journal.
  @Test func aScreenOfAStoreThatCannotBeMigratedAfterAFailedCommitStays() async throws {
    try writeCounter(1)
    let (storage, errors) = (HeldJournal(rooms.journal), Calls())
    let host = try rooms.host(storage) { $0.onError = { error, _ in errors.add("\(error)") } }
    let counter = host.durable("counter", key: "r")
    try await counter.send("up")
    let watched = await Watched(try await counter.open())
    let commits = storage.commits
    storage.isHeld = true
    watched.store.send("up")
    await until { storage.commits > commits }
    try writeCounter(2, migrate: "if state.n == 1 then error('no luck') end")
    try await host.reload()
    storage.fail(1)
    storage.isHeld = false
    await until { !errors.all.isEmpty }
    try await counter.remove()
    let late = await watched.look()
    #expect(watched.store.state == ["n": 1])
    #expect(watched.text == "n 2" && late.value["text"] == "n 2")
    #expect(watched.seen.all == [])
    #expect(errors.all.count == 1 && errors.all[0].contains("no luck"), "\(errors.all)")
    await host.close()
  }
}
#endif
