#if Journal
import Foundation
import ScriptedStore
import ScriptedStoreJournal
import Testing

/// Whether scripts can be deployed on what a journal has, and the tests that recordings of its stores become.
@Suite(.timeLimit(.minutes(2)))
struct DeployGateTests {
  private let rooms: Rooms
  private let name = try? StoreName(feature: "room", key: "r")

  init() throws { rooms = try Rooms(Self.game()) }

  /// A game with all that a durable store records.
  private static func game(
    points: Int = 1, head: String = "", rate: Int = 3, moved: String = ""
  ) -> String {
    """
    scripted.dependency { name = "config", live = { rate = \(rate), name = "a" } }
    return scripted.feature {
      name = "Room", \(head)
      state = { points = 0, log = {}, typing = "" },
      transient = { "typing" },
      dependencies = { "outside", "config", "date", "clock" },
      on = {
        move = function(state, action, deps)
          state.points = state.points + \(points)
          state.at = deps.date.now()
          \(moved)
          return effect.alarm("turn", 30, "turnOver")
        end,
        remind = function(state) return effect.alarm("reminder", 5, "reminded") end,
        reminded = function(state) list.insert(state.log, "reminded") end,
        turnOver = function(state)
          list.insert(state.log, "over")
          return effect.alarm("turn", 10, "turnOver")
        end,
        type = function(state, action) state.typing = action.who end,
        rated = function(state, action, deps)
          state.rate = deps.config.rate * deps.config.rate
        end,
        twice = function(state)
          list.insert(state.log, "twice")
          return effect.send("reminded")
        end,
        start = function(state)
          list.insert(state.log, "start")
          return effect.run(function(send, deps)
            deps.outside.call("started")
            send("done")
            deps.clock.sleep(1000)
          end)
        end,
        done = function(state) list.insert(state.log, "done") end,
        recovered = function(state, action)
          list.insert(state.log, "recovered " .. #action.effects)
        end,
      },
    }
    """
  }

  private func reader() throws -> SQLiteJournalReader { try SQLiteJournalReader(rooms.journal) }

  private func judge(
    last: Int? = nil, _ configure: (inout ScriptHost.Configuration) -> Void = { _ in }
  ) throws -> DeployVerdict {
    let host = try rooms.host {
      $0.journal = nil
      configure(&$0)
    }
    return try host.judge(try #require(name), of: try reader(), last: last)
  }

  private func recording() throws -> Recording {
    var lines = ""
    _ = try reader().read(try #require(name)) { line in
      switch line {
      case .snapshot(let snapshot): lines += snapshot.line + "\n"
      case .record(let record): lines += record.line + "\n"
      }
      return true
    }
    return try Recording(jsonLines: lines)
  }

  /// Runs a test beside the scripts.
  private func outcomes(of test: String) async throws -> [String] {
    let path = "\(rooms.scripts)/room_test.lua"
    try Data(test.utf8).write(to: URL(fileURLWithPath: path))
    var dependencies = Dependencies()
    dependencies.register(
      "outside", live: .client(["call": .function("name") { (_: String) in }]))
    let file = try ScriptTestFile(
      path, root: rooms.scripts, configuration: .init(dependencies: dependencies, timeout: nil))
    let outcomes = Calls()
    await withCheckedContinuation { continuation in
      let thread = Thread {
        file.run { event in
          guard case .ended(let result) = event else { return true }
          switch result.outcome {
          case .passed: outcomes.add("passed")
          case .skipped: outcomes.add("skipped")
          case .failed(let failures):
            outcomes.add(failures.map(\.description).joined(separator: "\n"))
          }
          return true
        }
        continuation.resume()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    return outcomes.all
  }

  /// Lets a store have all kinds of records.
  private func play() async throws {
    let clock = VirtualClock()
    let storage = HeldJournal(rooms.journal)
    var host = try rooms.host(storage) { $0.clock = clock }
    var room = host.durable("room", key: "r")
    let store = try await room.open()
    try await room.send("move")
    try await room.send("remind")
    try await room.send("type", ["who": "Ada"])
    clock.advance(by: .seconds(5))
    await until { store.state["log"] == ["reminded"] }
    clock.advance(by: .seconds(25))
    await until { store.state["log"].array?.count == 2 }
    try await room.send("twice")
    try await room.send("rated")
    try await room.send("start")
    await until { store.state["log"].array?.last == "done" }
    try await room.send("rated")
    clock.advance(by: .seconds(10))
    await until { store.state["log"].array?.last == "over" }
    storage.close()
    host = try rooms.host { $0.clock = VirtualClock() }
    room = host.durable("room", key: "r")
    try await room.send("move")
    await host.close()
  }

  // MARK: Tests of recordings

  @Test func aRecordingWithAlarmsAndACrashIsATest() async throws {
    try await play()
    let recording = try recording()
    #expect(recording.entries.contains { $0.action.path == "recovered" })
    #expect(recording.entries.contains { $0.action.path == "forget" })
    let test = try rooms.host { $0.journal = nil }.testSource(of: recording)
    let outcomes = try await outcomes(of: test)
    #expect(outcomes.count > 1 && Set(outcomes) == ["passed"], "\(outcomes) \(test)")
    #expect(test.contains("clock:advance(") && test.contains("store:receive(\"reminded\""))
    #expect(test.contains("store:receive(\"turnOver\""))
    #expect(test.contains("config = {"))
    try rooms.write(Self.game(points: 2))
    #expect(try await self.outcomes(of: test).contains { $0 != "passed" })
  }

  /// It has the alarms that rang when the store came back, and lacks the answers that effects got.
  @Test func theHistoryOfADurableStoreIsATest() async throws {
    let storage = HeldJournal(rooms.journal)
    var host = try rooms.host(storage) {
      $0.clock = VirtualClock()
      // Alarms of then are due by now.
      $0.dependencies.register("date", live: .client(["now": .function { 978_307_200.0 }]))
    }
    for path in ["remind", "move"] {
      try await host.durable("room", key: "r").send(try Action(path: path))
    }
    storage.close()
    let clock = VirtualClock()
    host = try rooms.host { $0.clock = clock }
    let room = host.durable("room", key: "r")
    let store = try await room.open()
    let history = store.record()
    await until { store.state["log"].array?.count == 2 }
    try await room.send("start")
    await until { store.state["log"].array?.last == "done" }
    clock.advance(by: .seconds(10))
    await until { store.state["log"].array?.last == "over" }
    try await room.send("remind")
    let recording = try Recording(jsonLines: history.export())
    await host.close()
    let test = try rooms.host { $0.journal = nil }.testSource(of: recording)
    let outcomes = try await outcomes(of: test)
    #expect(Set(outcomes) == ["passed"], "\(outcomes) \(test)")
    #expect(test.contains("store:send(\"turnOver\"") && test.contains("call = test.never"))
    #expect(test.contains("store:skipAlarms { strict = false }"))
  }

  /// Its children are looked at for what their effects may call, and there is no end of them.
  @Test func aRecordingOfAFeatureThatContainsItselfIsATest() async throws {
    try rooms.write(
      """
      local Room
      Room = scripted.feature {
        name = "Room", state = { id = 0, n = 0, rows = {} }, dependencies = { "outside" },
        on = {
          add = function(state) list.insert(state.rows, { id = 1, n = 0, rows = {} }) end,
          start = function(state)
            state.n = state.n + 1
            return effect.run(function(send, deps) deps.outside.call("started") end)
          end,
        },
      }:forEach("rows", function() return Room end)
      return Room
      """)
    let host = try rooms.host()
    let room = host.durable("room", key: "r")
    for action in ["add", "rows[1].add", "rows[1].rows[1].start", "rows[1].start"] {
      try await room.send(try Action(path: action))
    }
    await host.close()
    let test = try rooms.host { $0.journal = nil }.testSource(of: try recording())
    let outcomes = try await outcomes(of: test)
    #expect(Set(outcomes) == ["passed"], "\(outcomes) \(test)")
    #expect(test.contains("call = test.never"))
  }

  // MARK: The gate

  @Test func whatIsTheSameIsTheSame() async throws {
    try await play()
    guard case .same(let actions, 0, false) = try judge() else {
      Issue.record("\(try judge())")
      return
    }
    #expect(actions == (try recording().entries.count))
  }

  /// Handlers see the order by `pairs`. A process that ends in order has it in a snapshot.
  @Test func keysHaveTheirOrderAfterAProcessWasKilled() async throws {
    func room(_ options: String = "") -> String {
      """
      return scripted.feature {
        name = "Room", state = { a = 1, n = 0, at = { x = 1, y = 2 } }, \(options)
        on = {
          turn = function(state)
            local a, x = state.a, state.at.x
            state.a, state.at.x = nil, nil
            state.a, state.at.x = a, x
          end,
          keys = function(state)
            local keys = {}
            for key in pairs(state) do keys[#keys + 1] = key end
            for key in pairs(state.at) do keys[#keys + 1] = key end
            state.n = table.concat(keys, " ")
          end,
        },
      }
      """
    }
    try rooms.write(room())
    let storage = HeldJournal(rooms.journal)
    var host = try rooms.host(storage)
    var store = try await host.durable("room", key: "r").open()
    for action in ["keys", "turn", "keys"] {
      try await host.durable("room", key: "r").send(try Action(path: action))
    }
    let killed = store.state.json()
    #expect(killed == #"{"at":{"y":2,"x":1},"n":"at n a y x","a":1}"#)
    storage.close()
    host = try rooms.host()
    store = try await host.durable("room", key: "r").open()
    #expect(store.state.json() == killed)
    try await host.durable("room", key: "r").send("keys")
    #expect(store.state.json() == killed)
    await host.close()
    guard case .same(4, 0, false) = try judge() else {
      Issue.record("\(try judge())")
      return
    }

    // A migration is a record, too.
    try rooms.write(
      room("version = 2, migrate = function(state) state.n = nil; state.n = 0 end,"))
    let again = HeldJournal(rooms.journal)
    host = try rooms.host(again)
    try await host.durable("room", key: "r").send("keys")
    store = try await host.durable("room", key: "r").open()
    let migrated = store.state.json()
    #expect(migrated == #"{"at":{"y":2,"x":1},"a":1,"n":"at a n y x"}"#)
    again.close()
    host = try rooms.host()
    #expect(try await host.durable("room", key: "r").open().state.json() == migrated)
    await host.close()
    guard case .same(_, 0, false) = try judge() else {
      Issue.record("\(try judge())")
      return
    }
  }

  /// The value of then and that of now are equal.
  @Test func aStoreThatComesBackRecordsThatTheKeysOfASharedValueHaveAnotherOrder() async throws {
    try rooms.write(
      """
      return scripted.feature {
        name = "Room", state = { n = "" },
        shared = { at = scripted.shared.fileStorage("at.json", { x = 0, y = 0 }) },
        on = {
          keys = function(state)
            local keys = {}
            for key in pairs(state.at) do keys[#keys + 1] = key end
            state.n = table.concat(keys, " ")
          end,
        },
      }
      """)
    for (text, keys, records) in [
      (#"{"x":1,"y":2}"#, "x y", 1), (#"{"y":2,"x":1}"#, "y x", 3),
    ] {
      let files = MemoryStorage()
      files.replace("at.json", with: Array(text.utf8))
      let host = try rooms.host { $0.shared = files }
      let room = host.durable("room", key: "r")
      try await room.send("keys")
      #expect(try await room.open().state["n"] == .string(keys))
      #expect(try await host.infos().map(\.records) == [records])
      await host.close()
    }
    let verdict = try judge { $0.shared = MemoryStorage() }
    guard case .same(_, 0, false) = verdict else {
      Issue.record("\(verdict)")
      return
    }
  }

  @Test func theActionThatDiffersIsATestThatFailsWithTheNewScriptsAlone() async throws {
    try await play()
    let changes = [
      Self.game(points: 2),
      Self.game(moved: "state.points = state.points - 1"),
      Self.game().replacing("list.insert(state.log, \"over\")", with: ""),
      Self.game().replacing("list.insert(state.log, \"start\")", with: ""),
      Self.game().replacing("list.insert(state.log, \"done\")", with: "error('oh no')"),
      Self.game().replacing("list.insert(state.log, \"recovered \" .. #action.effects)", with: ""),
      Self.game().replacing("deps.config.rate * deps.config.rate", with: "deps.config.rate"),
      Self.game().replacing("state.at = deps.date.now()", with: "deps.date.now() state.at = 2"),
      Self.game().replacing("turnOver = function", with: "turnsOver = function"),
    ]
    for scripts in changes {
      try rooms.write(scripts)
      guard case .differs(let found) = try judge(), case .action(let part) = found.kind else {
        Issue.record("\(scripts)")
        continue
      }
      let host = try rooms.host { $0.journal = nil }
      let test = try #require(try host.testSource(ofPart: part))
      let new = try await outcomes(of: test)
      #expect(new.count == 1 && new != ["passed"], "\(test)")
      try rooms.write(Self.game())
      #expect(try await outcomes(of: test) == ["passed"], "\(test)")
    }
  }

  @Test func aTestBeginsWithoutTheFieldsThatTheStateDoesNotHave() async throws {
    func game(_ points: Int) -> String {
      """
      return scripted.feature {
        name = "Room", state = { points = 0, sheet = { n = 1 } },
        on = {
          close = function(state) state.sheet = nil end,
          look = function(state) state.points = state.sheet and 1 or \(points) end,
        },
      }
      """
    }
    try rooms.write(game(98))
    var host = try rooms.host()
    for path in ["close", "look"] {
      try await host.durable("room", key: "r").send(try Action(path: path))
    }
    await host.close()
    try rooms.write(game(99))
    guard case .differs(let found) = try judge(), case .action(let part) = found.kind else {
      Issue.record("\(try judge())")
      return
    }
    host = try rooms.host { $0.journal = nil }
    let test = try #require(try host.testSource(ofPart: part))
    #expect(test.contains("state.sheet = nil"), "\(test)")
    #expect(test.contains("state.points = 0"), "\(test)")
    #expect(try await outcomes(of: test) != ["passed"], "\(test)")
    try rooms.write(game(98))
    #expect(try await outcomes(of: test) == ["passed"], "\(test)")
  }

  @Test func valuesOfDependenciesAreThoseThatWereRead() async throws {
    try await play()
    let reads = try recording().entries.flatMap(\.reads).filter { $0.source == .field("config") }
    #expect(reads.count == 2)
    #expect(reads.first?.answer == .value(["name": "a", "rate": 3]))
    try rooms.write(Self.game(rate: 7))
    guard case .same = try judge() else {
      Issue.record("\(try judge())")
      return
    }
  }

  @Test func theMigratedEndStatesAreCompared() async throws {
    try await play()
    let version = "version = 2, migrate = function(state) state.points = state.points * 10 end,"
    try rooms.write(Self.game(points: 10, head: version))
    guard case .same(_, 0, true) = try judge() else {
      Issue.record("\(try judge())")
      return
    }
    try rooms.write(Self.game(points: 9, head: version))
    guard case .differs(let found) = try judge(), case .end = found.kind else {
      Issue.record("\(try judge())")
      return
    }
    // What a tool has set is an end, too: the store has forgotten its transient fields after one move.
    #expect(found.difference.expected["points"] == 10)
    #expect(found.difference.actual["points"] == 9)
  }

  @Test func aStateOfANewerVersionIsRefused() async throws {
    let newer = "version = 3, migrate = function(state) state.points = 0 end,"
    try rooms.write(Self.game(head: newer))
    try await play()
    try rooms.write(Self.game(head: newer.replacing("3", with: "2")))
    guard case .refuses(let error) = try judge() else {
      Issue.record("\(try judge())")
      return
    }
    #expect(
      error.message
        == "state was made by version 3 of Room, and these scripts have version 2; deploy scripts of version 3 or later"
    )
    try rooms.write(Self.game(head: newer))
    guard case .same(_, 0, false) = try judge() else {
      Issue.record("\(try judge())")
      return
    }
  }

  /// The scripts of now do not know the case that the state has before it is migrated.
  @Test func aCaseThatAMigrationRenamesIsNotRefused() async throws {
    func room(_ name: String, _ options: String = "") -> String {
      """
      local Form = scripted.feature { name = "Form", state = {} }
      return scripted.feature {
        name = "Room", state = { n = 0 }, \(options)
        on = { open = function(state) state.destination = { \(name) = { text = "a" } } end },
      }:ifLet("destination", scripted.cases { \(name) = Form })
      """
    }
    try rooms.write(room("edit"))
    let host = try rooms.host()
    try await host.durable("room", key: "r").send("open")
    await host.close()
    try rooms.write(
      room(
        "editor",
        """
        version = 2,
        migrate = function(state)
          local old = state.destination
          if old then state.destination = { editor = old.edit } end
        end,
        """))
    guard case .same(_, 0, true) = try judge() else {
      Issue.record("\(try judge())")
      return
    }
    try rooms.write(room("editor", "version = 2,"))
    guard case .refuses(let error) = try judge() else {
      Issue.record("\(try judge())")
      return
    }
    #expect(error.message.contains("there is no case 'edit'"))
  }

  /// Elements of a new stack get their ids before the recorded actions are reduced again, and in the state they are to lead to.
  @Test func elementsOfANewStackHaveIDs() async throws {
    func room(_ field: String, _ count: String, _ operators: String = "") -> String {
      """
      local Page = scripted.feature { name = "Page", state = {} }
      return scripted.feature {
        name = "Room", state = { n = 0\(field) },
        on = { count = function(state) state.n = state.n + \(count) end },
      }\(operators)
      """
    }
    try rooms.write(room("", "1"))
    let host = try rooms.host()
    for _ in 1...2 { try await host.durable("room", key: "r").send("count") }
    await host.close()
    try rooms.write(
      room(
        ", path = { { page = {} } }", "state.path[1].id + 1", ":stack('path', { page = Page })"))
    guard case .same(2, 0, true) = try judge() else {
      Issue.record("\(try judge())")
      return
    }
  }

  @Test func anActionThatAnotherVersionRefusesDiffers() async throws {
    try await play()
    let version = "version = 2, migrate = function(state) end,"
    for (old, new, message) in [
      ("turnOver = function", "turnsOver = function", "turnOver"),
      ("list.insert(state.log, \"twice\")", "error('oh no')", "oh no"),
    ] {
      try rooms.write(Self.game(head: version).replacing(old, with: new))
      guard case .differs(let found) = try judge(), case .migratedAction = found.kind else {
        Issue.record("\(try judge())")
        continue
      }
      #expect(found.difference.actualError?.message.contains(message) == true)
    }
    try rooms.write(
      Self.game(head: "version = 2, migrate = function(state) error('half way') end,"))
    guard case .refuses(let error) = try judge() else {
      Issue.record("\(try judge())")
      return
    }
    #expect(error.message.contains("half way"))
  }
}
#endif
