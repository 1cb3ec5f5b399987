import LuaBridge
import ScriptedStore
import Testing

/// What a file keeps of a store's past, and what a replay makes of it.
struct RecordingTests {
  /// - random: what `roll` adds beside what it rolls.
  static func app(bonus: Int = 0) -> String {
    """
    return scripted.feature {
      name = "Dice",
      state = { sum = 0, rolls = {} },
      dependencies = { "clock", "random", "date", "dice" },
      on = {
        roll = function(state, _, deps)
          local roll = deps.random.integer(1, 1000000)
          state.sum = state.sum + roll + \(bonus)
          table.insert(state.rolls, { at = deps.date.now(), n = roll })
        end,
        client = function(state, _, deps) state.side = deps.dice.side() end,
        broken = function(state, _, deps)
          local ok, message = pcall(deps.dice.fall)
          state.message = message
        end,
        fail = function(state) state.sum = 0 error("off the table") end,
        push = function() return effect.send("path.push", { state = { n = 1 } }) end,
        ask = function()
          return effect.run(function(send, deps)
            deps.clock.sleep(1)
            send("asked", { n = deps.random.integer(1, 1000000) })
          end)
        end,
        asked = function(state, action) state.asked = action.n end,
      },
    }:stack("path", scripted.feature { name = "Page", state = {}, on = { done = function() end } })
    """
  }

  private static let dice = """
    scripted.dependency { name = "dice", live = function(deps)
      local count = 0
      return {
        side = function() count = count + 1 return { up = deps.random.integer(1, 1000000), count = count } end,
        fall = function() error({ code = deps.random.integer(1, 1000000) }) end,
      }
    end }
    """

  private static func scripts(bonus: Int = 0, clock: VirtualClock? = nil) throws -> Scripts {
    try Scripts(["dice": dice, "app": "require 'dice' " + app(bonus: bonus)], clock: clock)
  }

  /// A store on which all kinds of things have happened, and what it wrote meanwhile.
  private static func play() throws -> (text: String, store: Store, scripts: Scripts, StoreHistory)
  {
    let clock = VirtualClock()
    let scripts = try scripts(clock: clock)
    let store = try scripts.host.store("app", state: ["path": []])
    let history = store.record()
    let lines = Recorder<String>()
    let observation = history.onLine { lines.record($0) }
    for path in [
      "roll", "client", "roll", "broken", "fail", "push", "push", "ask", "oops", "client",
    ] {
      try store.send(path)
    }
    clock.advance(by: .seconds(1))
    observation.cancel()
    return (lines.all.map { $0 + "\n" }.joined(), store, scripts, history)
  }

  @Test func whatIsWrittenAsItHappensIsWhatIsExported() throws {
    let (text, store, _, history) = try Self.play()
    let written = try Recording(jsonLines: text)
    let exported = try StoreHistory.import(jsonLines: history.export())
    #expect(written.jsonLines == exported.jsonLines)
    #expect(written.feature == "app" && written.warnings.isEmpty)
    #expect(written.entries.count == 13 && written.finalState == store.state)
    #expect(written.scripts.keys.sorted() == ["app.lua", "dice.lua"])
    #expect(try Recording(jsonLines: written.jsonLines).jsonLines == written.jsonLines)
    for (a, b) in zip(written.entries, history.entries(1...13)) {
      #expect(a.state == b.state && a.action == b.action && a.reads == b.reads)
      #expect(a.started == b.started && a.ended == b.ended && a.calls == b.calls)
      #expect(a.error?.description == b.error?.description && a.error?.feature == b.error?.feature)
      #expect(a.warnings.map(\.message) == b.warnings.map(\.message))
    }
  }

  @Test func aRecordingIsReplayedExactlyElsewhere() throws {
    let (text, _, _, _) = try Self.play()
    let recording = try Recording(jsonLines: text)
    let scripts = try Self.scripts()
    let report = try scripts.host.replay(recording)
    #expect(report.count == 13)
    #expect(report.difference == nil, "\(report.difference.map { "\($0)" } ?? "")")
    #expect(try scripts.host.changedScripts(since: recording) == [])
    #expect(scripts.errors.isEmpty && scripts.warnings.isEmpty)
  }

  /// Handlers see the order by `pairs`. A reset is an edit, which a replay takes from the recording.
  @Test func keysHaveTheOrderThatTheyHadWhereverTheyWereMoved() throws {
    let app = """
      return scripted.feature {
        name = "App", state = { a = 1, n = 0, rows = { { id = 1, x = 1 } } },
        on = {
          turn = function(state)
            local a, id = state.a, state.rows[1].id
            state.a, state.rows[1].id = nil, nil
            state.a, state.rows[1].id = a, id
          end,
          clear = function(state) state.a = nil end,
          keys = function(state)
            local keys = {}
            for key in pairs(state) do keys[#keys + 1] = key end
            for key in pairs(state.rows[1]) do keys[#keys + 1] = key end
            state.n = table.concat(keys, " ")
          end,
        },
      }
      """
    let scripts = try Scripts(app: app)
    let store = try scripts.store()
    let history = store.record()
    store.send("turn")
    store.send("keys")
    #expect(store.state["n"] == "n rows a x id")
    store.send("clear")
    try scripts.host.reset()
    store.send("keys")
    #expect(store.state["n"] == "a n rows id x")
    let recording = try Recording(jsonLines: history.export())
    #expect(
      recording.entries.map { $0.state.json() } == history.entries(1...5).map { $0.state.json() })
    #expect(recording.finalState.json() == store.state.json())
    let others = try Scripts(app: app)
    let report = try others.host.replay(recording)
    #expect(report.count == 5)
    #expect(report.difference == nil, "\(report.difference.map { "\($0)" } ?? "")")
  }

  /// A table in a test knows no order.
  @Test func aTestSaysNothingOfTheOrderOfKeys() throws {
    let lines = [
      #"{"recording":1,"feature":"app","state":{"n":0,"a":1}}"#,
      #"{"n":1,"source":"input","action":{"type":"turn"},"#
        + #""patch":[{"op":"remove","path":"/n"},{"op":"add","path":"/n","value":0}]}"#,
    ]
    let recording = try Recording(jsonLines: lines.joined(separator: "\n"))
    #expect(recording.finalState.json() == #"{"a":1,"n":0}"#)
    let test = recording.testSource(defaults: ["a": 1, "n": 0])
    #expect(test.contains("test.store(App)\n"), "\(test)")
    #expect(test.contains("store:send(\"turn\")\n"), "\(test)")
  }

  @Test func theFirstDifferenceOfOtherCodeIsTold() throws {
    let (text, _, _, _) = try Self.play()
    let recording = try Recording(jsonLines: text)
    let scripts = try Self.scripts(bonus: 1)
    let report = try scripts.host.replay(recording)
    let difference = try #require(report.difference)
    #expect(report.count == 1 && difference.number == 1)
    let sum = try #require(recording.entries[0].state["sum"].int)
    #expect(
      difference.description == """
        entry 1, roll

          {
        -   sum = \(sum),
        +   sum = \(sum + 1),
            -- 2 unchanged
          }
        """)
    #expect(try scripts.host.changedScripts(since: recording) == ["app.lua"])
  }

  @Test func anErrorThatDiffersIsADifference() throws {
    let store = try Scripts(app: StoreTests.counter).store()
    let history = store.record()
    store.send("fail")
    let fixed = try Scripts(app: StoreTests.counter.replacing("error(\"no\")", with: "state.n = 0"))
    let report = try fixed.host.replay(try Recording(jsonLines: history.export()))
    #expect(
      report.difference?.description.contains("- raised: app.lua:7: no\n+ raised nothing") == true)
  }

  @Test func aReadThatWasNotRecordedIsADifference() throws {
    let store = try Scripts(app: StoreTests.counter).store()
    let history = store.record()
    store.send("up")
    let other = try Scripts(
      app: """
        return scripted.feature {
          state = { n = 0 }, dependencies = { "uuid", "log" },
          on = { up = function(state, _, deps) deps.log.debug("up") state.n = #deps.uuid() end },
        }
        """)
    let report = try other.host.replay(try Recording(jsonLines: history.export()))
    #expect(report.difference?.actualError?.message.contains("deps.uuid is called") == true)
  }

  // MARK: What cannot be read

  private static let header = #"{"recording":1,"feature":"app","state":{"n":0}}"# + "\n"
  private static let entry =
    #"{"n":1,"source":"input","action":{"type":"up"},"patch":[{"op":"replace","path":"/n","value":1}]}"#

  private static func timed(_ seconds: String) -> String {
    entry.dropLast() + ",\"time\":\(seconds)}"
  }

  private func message(_ text: String) -> String? {
    do {
      _ = try Recording(jsonLines: text)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func aLastLineThatACrashCutIsLeftOut() throws {
    let text = Self.header + Self.entry + "\n" + Self.entry.prefix(40)
    let recording = try Recording(jsonLines: text)
    #expect(recording.entries.count == 1 && recording.finalState == ["n": 1])
    #expect(recording.warnings.count == 1 && recording.warnings[0].hasPrefix("line 3 is not whole"))
    // A whole line without its break is whole.
    #expect(try Recording(jsonLines: Self.header + Self.entry).warnings.isEmpty)
  }

  @Test(arguments: [
    ("", "line 1: the recording is empty"),
    ("{}\n", "line 1: this is no recording"),
    (
      #"{"recording":3,"feature":"app","state":{}}"# + "\n", "line 1: the recording is of version 3"
    ),
    (header + "nonsense\n" + entry + "\n", "line 2: "),
    (header + "{\"what\":1}\n" + entry + "\n", "line 2: this is no line of a recording"),
    (header + entry + "\n" + entry + "\n", "line 3: entry 1 follows entry 1"),
    (header + #"{"n":1,"source":"input","action":{},"patch":[]}"# + "\n", "line 2: entry 1: "),
    (
      header
        + #"{"n":1,"source":"input","action":{"type":"a"},"patch":[{"op":"remove","path":"/x"}]}"#
        + "\n",
      "line 2: entry 1 has a patch that does not fit"
    ),
    (header + #"{"go":3}"# + "\n", "line 2: there is no entry 3 to go to"),
  ])
  func aBadFileIsToldWithItsLine(text: String, expected: String) {
    #expect(message(text)?.hasPrefix(expected) == true, "\(message(text) ?? "no error")")
  }

  @Test(arguments: ["9223372036854775807", "-1", "1e+300", "\"1\""])
  func aFirstNumberThatNothingCanFollowIsRefused(number: String) {
    let text = #"{"recording":1,"feature":"app","after":\#(number),"state":{"n":0}}"# + "\n"
    let expected =
      "line 1: \"after\" must be a whole number from 0 to 9007199254740992, not \(number)"
    #expect(message(text + Self.entry + "\n")?.hasPrefix(expected) == true)
  }

  @Test(arguments: ["-1e+300", "\"now\""])
  func aTimeThatIsNoneIsRefused(time: String) {
    let expected =
      "line 2: \"time\" must be zero or more seconds, not \(time); record the session again"
    #expect(message(Self.header + Self.timed(time) + "\n") == expected)
    let call = #"{"call":1,"time":\#(time),"asked":"date.now"}"#
    #expect(message(Self.header + call + "\n") == expected)
  }

  @Test func anEntryThatIsNotThereCannotBeGoneTo() {
    let text = Self.header + #"{"go":-9223372036854775808}"# + "\n"
    #expect(message(text)?.hasPrefix("line 2: there is no entry -9223372036854775808") == true)
  }

  @Test func numbersAtTheEndsOfWhatIsAllowedAreRead() throws {
    let last = try Recording(
      jsonLines: Self.header.replacing("\"state\"", with: "\"after\":9007199254740992,\"state\"")
        + Self.entry.replacing("\"n\":1,\"source\"", with: "\"n\":9007199254740993,\"source\"")
        + "\n")
    #expect(last.entries.map(\.number) == [9_007_199_254_740_993])
    let late = try Recording(jsonLines: Self.header + Self.timed("1.7e308") + "\n")
    #expect(late.entries.map(\.time) == [.seconds(1e12)])
    #expect(late.testSource(defaults: nil).contains("store:send(\"up\""))
  }

  @Test(arguments: ["", ".", "a..b", String(repeating: "a.", count: 100_000) + "a"])
  func aTestIsWrittenWhateverADependencyIsCalled(name: String) throws {
    let read = #","reads":[{"dependency":"\#(name)","value":1}]}"#
    let recording = try Recording(jsonLines: Self.header + Self.entry.dropLast() + read + "\n")
    #expect(recording.testSource(defaults: nil).contains("answering { { value = 1 } }"))
  }

  @Test func goingBackIsWrittenToo() throws {
    let store = try Scripts(app: StoreTests.counter).store()
    let history = store.record()
    let lines = Recorder<String>()
    let observation = history.onLine { lines.record($0) }
    for _ in 0..<3 { store.send("up") }
    try history.go(to: 1)
    try store.send("up", ["by": 5])
    observation.cancel()
    let recording = try Recording(jsonLines: lines.all.joined(separator: "\n"))
    #expect(recording.entries.map { $0.state["n"].int } == [1, 6])
    #expect(try Recording(jsonLines: recording.jsonLines).jsonLines == recording.jsonLines)
  }

  /// The line of an entry nests deeper than the state.
  @Test func anEntryWithADeepStateTakesThePlaceOfWhatWasGoneBackOver() throws {
    func entry(_ number: Int, _ value: String) -> String {
      #"{"n":\#(number),"source":"input","action":{"type":"set"},"patch":[{"op":"add","path":"/n","value":\#(value)}]}"#
    }
    let deep = String(repeating: "[", count: 126) + String(repeating: "]", count: 126)
    let text =
      Self.header
      + [
        entry(1, "1"), entry(2, "2"), #"{"go":1}"#, entry(2, deep), #"{"go":2}"#, entry(3, "3"),
      ].joined(separator: "\n")
    let lines = text.split(separator: "\n").map { Array($0.utf8) }
    var (cuts, reader) = (RecordingCuts(), RecordingReader())
    for (index, line) in lines.enumerated() { cuts.scan(line, line: index + 1) }
    var states: [Value] = []
    for (index, line) in lines.enumerated() {
      let step = try reader.read(
        line, line: index + 1, isWhole: true, upTo: cuts.highest(on: index + 1))
      if case .entry(let entry)? = step { states.append(entry.state) }
    }
    #expect(try states == Recording(jsonLines: text).entries.map(\.state))
  }

  /// Read line by line, the head of the recording has the state before the migration.
  @Test(arguments: [0, 1])
  func aMigrationWhereTheStoreWentBackIsReplayed(number: Int) async throws {
    func app(_ options: String) -> String {
      """
      return scripted.feature {
        name = "App", state = { n = 0 }, \(options)
        on = { up = function(state) state.n = state.n + 1 end },
      }
      """
    }
    let scripts = try Scripts(["app": app("")])
    let store = try scripts.store()
    let history = store.record()
    let lines = Recorder<String>()
    let observation = history.onLine { lines.record($0) }
    store.send("up")
    store.send("up")
    try history.go(to: number)
    try scripts.write(
      "app", app("version = 2, migrate = function(state) state.n = state.n + 5 end,"))
    _ = try await scripts.host.reload()
    store.send("up")
    observation.cancel()
    let all = lines.all.map { Array($0.utf8) }
    var (cuts, reader, position) = (RecordingCuts(), RecordingReader(), 0)
    for (index, line) in all.enumerated() { cuts.scan(line, line: index + 1) }
    func next() throws(HistoryError) -> RecordingStep? {
      while position < all.count {
        position += 1
        let step = try reader.read(
          all[position - 1], line: position, isWhole: true, upTo: cuts.highest(on: position))
        if let step { return step }
      }
      return nil
    }
    _ = try next()
    let head = try reader.finish()
    position = 0
    (cuts, reader) = (RecordingCuts(), RecordingReader())
    for (index, line) in all.enumerated() { cuts.scan(line, line: index + 1) }
    #expect(try scripts.host.replay(head, dependencies: [:], next: next).difference == nil)
    let recording = try Recording(jsonLines: lines.all.joined(separator: "\n"))
    #expect(try scripts.host.replay(recording).difference == nil)
    #expect(recording.finalState == store.state)
    #expect(try Recording(jsonLines: recording.jsonLines).finalState == store.state)
  }

  /// The entries that were gone back over are not written again, and the jump over them is.
  @Test func goingBackAtTheEndIsWrittenAgain() throws {
    let store = try Scripts(app: StoreTests.counter).store()
    let history = store.record()
    let lines = Recorder<String>()
    let observation = history.onLine { lines.record($0) }
    for _ in 0..<3 { store.send("up") }
    try history.go(to: 1)
    observation.cancel()
    let text = try Recording(jsonLines: lines.all.joined(separator: "\n")).jsonLines
    #expect(text.hasSuffix("{\"go\":1}\n"))
    #expect(try Recording(jsonLines: text).jsonLines == text)
  }

  /// What a store writes while it goes back and forward, skips and goes on, is what it exports at the end.
  @Test func goingForwardAgainAndSkippingAreWritten() throws {
    let scripts = try Scripts(app: StoreTests.counter)
    let store = try scripts.store()
    let history = store.record()
    let lines = Recorder<String>()
    let observation = history.onLine { lines.record($0) }
    for _ in 0..<3 { store.send("up") }
    try history.go(to: 1)
    try history.go(to: 3)
    store.send("up")
    try history.go(to: 0)
    try history.step(by: 2)
    #expect(
      try Recording(jsonLines: lines.all.joined(separator: "\n")).finalState == ["n": 2])
    try history.go(to: 4)
    let forward = try Recording(jsonLines: lines.all.joined(separator: "\n"))
    #expect(forward.entries.map { $0.state["n"].int } == [1, 2, 3, 4])
    #expect(try scripts.host.replay(forward).difference == nil)
    try history.skip(2)
    try history.go(to: 2)
    try history.skip(1)
    try history.go(to: 4)
    observation.cancel()
    let recording = try Recording(jsonLines: lines.all.joined(separator: "\n"))
    #expect(recording.entries.map { $0.state["n"].int } == [0, 0, 1, 2])
    #expect(recording.entries.map(\.isSkipped) == [true, true, false, false])
    #expect(try scripts.host.replay(recording).difference == nil)
    #expect(recording.finalState == store.state)
    #expect(try Recording(jsonLines: history.export()).finalState == store.state)
  }

  /// `{}` of JSON is an object, and `{}` of Lua is `[]` in JSON, until it has a key.
  @Test func anEmptyTableThatChangesItsKindIsRecorded() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          state = { map = {} },
          on = {
            loaded = function(state, action) state.map = action.value end,
            put = function(state, action) state.map[action.key] = true end,
          },
        }
        """)
    let store = try scripts.store()
    let history = store.record()
    try store.send("loaded", ["value": [:]])
    try store.send("put", ["key": "1"])
    let text = history.export()
    #expect(text.contains(#""patch":[{"op":"replace","path":"/map","value":{}}]"#))
    let recording = try Recording(jsonLines: text)
    #expect(recording.finalState == ["map": ["1": true]])
    #expect(try scripts.host.replay(recording).difference == nil)
  }

  /// A step comes before an action of a store that has gone back, and asks for itself.
  @Test func whatAnActionReadsAfterAStepIsItsOwn() throws {
    let scripts = try Scripts(
      app: """
        return scripted.feature {
          name = "App", state = { ids = {}, heard = {} },
          shared = { count = scripted.shared.inMemory("count", 0) }, dependencies = { "uuid" },
          on = {
            inc = function(state) state.count = state.count + 1 end,
            add = function(state, _, deps) table.insert(state.ids, deps.uuid()) end,
          },
        }:onChange("count", function(state, _, _, _, deps) table.insert(state.heard, deps.uuid()) end)
        """)
    let store = try scripts.store()
    let history = store.record()
    store.send("inc")
    store.send("inc")
    try history.go(to: 1)
    store.send("add")
    let entries = history.entries(2...3)
    #expect(entries.map(\.source) == [.shared, .input])
    #expect(entries.map(\.reads.count) == [1, 1])
    #expect(entries.flatMap(\.calls).isEmpty)
    #expect(try history.replay(from: 1).difference == nil)
    let other = try ScriptHost(root: scripts.folder.path)
    #expect(try other.replay(Recording(jsonLines: history.export())).difference == nil)
  }

  @Test func severalResultsAreRecorded() throws {
    let scripts = try Scripts(
      [
        "files": """
        scripted.dependency { name = "files", live = function()
          return { open = function(name) return nil, "no file " .. name, 2 end }
        end }
        """,
        "app": """
        require "files"
        return scripted.feature {
          state = {}, dependencies = { "files" },
          on = { open = function(state, action, deps)
            local file, problem, code = deps.files.open(action.name)
            state.text = tostring(file) .. ": " .. tostring(problem) .. " " .. tostring(code)
          end },
        }
        """,
      ])
    let store = try scripts.store()
    let history = store.record()
    try store.send("open", ["name": "a"])
    #expect(store.state["text"] == "nil: no file a 2")
    #expect(history[1]?.reads.map(\.answer) == [.values([nil, "no file a", 2])])
    let recording = try Recording(jsonLines: history.export())
    #expect(recording.entries[0].reads == history[1]?.reads)
    #expect(try history.replay(from: 1).difference == nil)
    #expect(try scripts.host.replay(recording).difference == nil)
    #expect(
      recording.testSource(defaults: nil)
        .contains("{ results = { n = 3, [2] = \"no file a\", [3] = 2 } }"))
  }

  /// A feature in which a child has another value of a dependency.
  private func rates(_ rate: Int) throws -> Scripts {
    try Scripts([
      "config": """
      scripted.dependency { name = "config", live = { rate = \(rate) } }
      scripted.dependency { name = "limits", live = function()
        return { most = \(rate), check = function() return true end }
      end }
      """,
      "app": """
      require "config"
      local function feature()
        return scripted.feature {
          state = { n = 0 }, dependencies = { "config", "limits" },
          on = {
            up = function(state, action, deps) state.n = state.n + deps.config.rate * deps.config.rate end,
            most = function(state, action, deps) state.n = deps.limits.most end,
            none = function(state) state.n = 0 end,
          },
        }
      end
      return scripted.combine {
        scripted.scope("own", feature():dependency("config", { rate = 5 }), { action = "own" }),
        feature(),
      }
      """,
    ])
  }

  @Test func valuesThatAreNoFunctionsAreRecordedAtTheFirstRead() throws {
    let scripts = try rates(3)
    let store = try scripts.store(state: ["own": ["n": 0], "n": 0])
    let history = store.record()
    for action in ["up", "own.up", "most", "none", "up"] { try store.send(action) }
    #expect(store.state == ["own": ["n": 25], "n": 9])
    #expect(
      (1...5).map { history[$0]?.reads } == [
        [.init(.field("config"), .value(["rate": 3]))],
        [.init(.field("config"), .value(["rate": 5]))],
        [.init(.field("limits.most"), .value(3))], [],
        [.init(.field("config"), .value(["rate": 3]))],
      ])
    let text = history.export()
    let recording = try Recording(jsonLines: text)
    #expect(recording.entries.map(\.reads) == (1...5).map { history[$0]?.reads })
    #expect(try history.replay(from: 1).difference == nil)
    let others = try rates(7)
    #expect(try others.host.replay(recording).difference == nil)
    // Older recordings lack them: the values are those of now.
    let older = text.replacing(/,"reads":\[[^\]]*\]/, with: "")
    #expect(try others.host.replay(Recording(jsonLines: older)).difference?.number == 1)
    let test = recording.testSource(defaults: nil)
    #expect(test.contains("config = { rate = 3 }") && test.contains("config = { rate = 5 }"))
    #expect(test.contains("most = 3,"))
  }

  @Test func whatEffectsAskIsRecorded() async throws {
    let facts = Dependency.client([
      "fetch": .asyncFunction("n") { (n: Int) in "\(n) is a number" },
      "all": .stream {
        AsyncStream {
          $0.yield("a")
          $0.finish()
        }
      },
    ])
    var dependencies = Dependencies()
    dependencies.register("facts", live: facts)
    let scripts = try Scripts(
      [
        "app": """
        return scripted.feature {
          state = {}, dependencies = { "facts", "uuid" },
          on = {
            ask = function() return effect.run(function(send, deps)
              send("got", { value = deps.facts.fetch(1) })
              for fact in deps.facts.all() do send("got", { value = fact }) end
              pcall(deps.facts.fetch, "no number")
              send("got", { value = #deps.uuid() })
            end) end,
            got = function(state, action) state.last = action.value end,
          },
        }
        """
      ], dependencies: dependencies)
    let store = try scripts.store()
    let history = store.record()
    await (store.send("ask")).finish()
    let calls = history.entries(1...10).flatMap(\.calls)
    let asked = calls.compactMap { call -> String? in
      if case .asked(let name, _) = call.phase { name } else { nil }
    }
    #expect(asked == ["facts.fetch", "facts.all", "facts.all", "facts.fetch", "uuid"])
    let answers = calls.compactMap { call -> DependencyRead.Answer? in
      if case .answered(let answer) = call.phase { answer } else { nil }
    }
    #expect(answers.prefix(3) == [.value("1 is a number"), .value("a"), .value(nil)])
    #expect(store.state == ["last": 36])
  }
}

extension String {
  fileprivate func replacing(_ text: String, with other: String) -> String {
    split(separator: text, omittingEmptySubsequences: false).joined(separator: other)
  }
}
