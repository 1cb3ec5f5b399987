#if Journal
import Foundation
import Testing

/// `runner run --journal` and `runner replay --journal`: stores that go on, and scripts that are judged by them.
@Suite struct DurableRunTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(["room.lua": Self.room()]) }

  /// A room in which a move is so many turns.
  private static func room(turns: Int = 1, fields: String = "") -> String {
    """
    local scripted = require "scripted"
    return scripted.feature {
      name = "Room", \(fields)
      state = { moves = {}, turn = 1, typing = "" },
      transient = { "typing" },
      on = {
        move = function(state, action)
          scripted.list.insert(state.moves, action.to)
          state.turn = state.turn + \(turns)
        end,
        type = function(state, action) state.typing = action.who end,
        fail = function() error("no luck") end,
      },
    }
    """
  }

  private func run(_ input: String, _ arguments: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      ["run", "room.lua", "--journal", "rooms.db", "--print-state"] + arguments, input: input,
      in: folder.folder)
  }

  private func replay(_ arguments: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      ["replay", "--journal", "rooms.db", "--against", ".", "--format", "text"] + arguments,
      in: folder.folder)
  }

  @Test func aRunGoesOnWhereTheLastEnded() throws {
    let first = try run("move {\"to\":\"e4\"}\ntype {\"who\":\"Ada\"}\n", "--key", "r17")
    #expect(first.errors == "")
    #expect(first.output.hasSuffix(#"{"state":{"moves":["e4"],"turn":2,"typing":"Ada"}}"# + "\n"))
    let second = try run("move {\"to\":\"e5\"}\n", "--key", "r17")
    let (back, move) = (second.lines[0], second.lines[1])
    #expect(back.hasPrefix(#"{"n":3,"source":"edit","action":{"type":"forget"}"#))
    #expect(move.hasPrefix(#"{"n":4,"source":"input""#))
    #expect(
      second.output.hasSuffix(#"{"state":{"moves":["e4","e5"],"turn":3,"typing":""}}"# + "\n"))
    let other = try run("")
    #expect(other.output == #"{"state":{"moves":[],"turn":1,"typing":""}}"# + "\n")
    let shown = try RunnerProcess.run(
      ["stores", "rooms.db", "show", "room/r17"], in: folder.folder)
    #expect(shown.output.contains("e5"))
  }

  @Test func anActionThatRaisesIsReported() throws {
    let failed = try run("move {\"to\":\"e4\"}\nfail\nmove {\"to\":\"e5\"}\n")
    #expect(failed.status == 1)
    #expect(failed.errors.contains("no luck"))
    #expect(
      failed.output.hasSuffix(#"{"state":{"moves":["e4","e5"],"turn":3,"typing":""}}"# + "\n"))
    #expect(try run("").output.contains(#""turn":3"#))
  }

  @Test func anActionThatTheJournalCannotTakeEndsTheRun() throws {
    let text = String(repeating: "x", count: 400_000)
    let moves = ["e4", text, "e5"].map { "move {\"to\":\"\($0)\"}\n" }
    try folder.write(moves.joined(), to: "moves.txt")
    // A file may have 300 KB. What is printed goes where that does not count.
    let outcome = try RunnerProcess.shell(
      #"ulimit -f 600; "$RUNNER" run room.lua --journal rooms.db --actions moves.txt > /dev/null"#,
      in: folder.folder)
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("the journal could not take the action move: rooms.db"))
    #expect(try run("").output.contains(#""moves":["e4"]"#))
    let console = try RunnerProcess.shell(
      #"ulimit -f 600; "$RUNNER" dev room.lua --journal others.db < moves.txt"#, in: folder.folder)
    #expect(console.status == 1)
    #expect(console.output.contains("error: others.db"), "\(console.output)")
  }

  // MARK: Coming back

  /// A desk whose last process was lost, with an effect in flight and an alarm set, which is due by now.
  private func interruptedDesk() throws -> TemporaryFolder {
    let desk = try TemporaryFolder([
      "desk.lua": """
      local scripted = require "scripted"
      local effect = scripted.effect
      return scripted.feature {
        name = "Desk", dependencies = { "clock" },
        state = { rings = 0, draft = "" }, transient = { "draft" },
        on = {
          go = function(state)
            state.draft = "x"
            return effect.merge(
              effect.alarm("a", 1000, "ring"),
              effect.run(function(_, deps) deps.clock.sleep(1000) end))
          end,
          ring = function(state) state.rings = state.rings + 1 end,
          recovered = function() error("no recovery") end,
        },
      }
      """
    ])
    // The dates of the virtual clock are those of 2001.
    let first = try RunnerProcess.run(
      ["run", "desk.lua", "--journal", "desks.db", "--clock", "virtual", "--no-wait"],
      input: "go\n", in: desk.folder)
    #expect(first.status == 0, "\(first.errors)")
    return desk
  }

  @Test func whatAStoreDoesWhenItComesBackIsPrintedRecordedAndCounted() throws {
    let desk = try interruptedDesk()
    let outcome = try RunnerProcess.run(
      ["run", "desk.lua", "--journal", "desks.db", "--record", "back.jsonl", "--print-state"],
      in: desk.folder)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("no recovery"))
    #expect(outcome.lines.count == 4, "\(outcome.output)")
    for (line, part) in zip(outcome.lines, ["forget", "recovered", "ring", #""rings":1"#]) {
      #expect(line.contains(part), "\(outcome.output)")
    }
    let recording = try desk.text("back.jsonl")
    #expect(recording.contains("\"forget\"") && recording.contains("\"ring\""))
    let next = try RunnerProcess.run(
      ["run", "desk.lua", "--journal", "desks.db"], in: desk.folder)
    #expect(next.status == 0 && next.output == "" && next.errors == "")
  }

  @Test func theConsoleShowsWhatAStoreHasDoneBeforeTheFirstLine() throws {
    let desk = try interruptedDesk()
    let outcome = try RunnerProcess.run(
      ["dev", "desk.lua", "--journal", "desks.db"], input: ":log\n", in: desk.folder)
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("2 forget  -- transient fields forgotten\n"))
    #expect(outcome.output.contains("no recovery"))
    #expect(
      outcome.output.hasSuffix(
        """
          2 forget  -- transient fields forgotten
        ▸ 3 ring  -- sent by an effect of Desk

        """), "\(outcome.output)")
  }

  @Test func aMigrationByAReloadIsShownOnce() throws {
    let console = try Conversation(
      ["dev", "room.lua", "--journal", "rooms.db", "--clock", "virtual"], in: folder.folder)
    console.say("move { to = 'e4' }\n:state turn")
    #expect((0..<20).contains { _ in console.hear() == "2" })
    try folder.write(
      Self.room(fields: "version = 2, migrate = function(state) state.turn = 7 end,"),
      to: "room.lua")
    console.say(":reload\n:state turn")
    #expect(console.hear() == "reloaded room.lua")
    #expect(console.hear() == "  migrated Room from version 1 to 2 in 1 place")
    #expect(console.hear() == "2 migrate  -- migrated by a deploy")
    var lines: [String] = []
    repeat { lines.append(console.hear()) } while lines.last != "7" && lines.last != ""
    #expect(lines.filter { $0.hasPrefix("+ ") } == ["+   turn = 7,"])
  }

  @Test func aRecordingTakesThePlaceOfNoJournal() throws {
    _ = try run("move {\"to\":\"e4\"}\n")
    let refused = try run("move {\"to\":\"e5\"}\n", "--record", "rooms.db")
    #expect(refused.status == 74)
    #expect(refused.errors.contains("--record: rooms.db is there, and no recording"))
    let console = try RunnerProcess.run(
      ["dev", "room.lua", "--journal", "rooms.db"], input: ":record rooms.db\n", in: folder.folder)
    #expect(console.output.contains("error: rooms.db is there, and no recording"))
    #expect(try run("").output.contains(#""moves":["e4"]"#))
  }

  @Test func aRecordingThatIsRefusedLeavesNoJournalBehind() throws {
    try folder.write("mine\n", to: "notes.txt")
    for file in ["rooms.db", "notes.txt"] {
      let refused = try run("", "--record", file)
      #expect(refused.status == 74)
      #expect(refused.errors.hasPrefix("error: --record: \(file) is "), "\(refused.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.url("rooms.db").path))
    }
  }

  @Test func theConsoleGivesNoNumberToAnActionWithoutARecord() throws {
    let console = try RunnerProcess.run(
      ["dev", "room.lua", "--journal", "rooms.db"],
      input: "fail\nnobody\nmove { to = 'e4' }\n:log\n", in: folder.folder)
    let titles = console.lines.filter { $0.contains("-- no record") || $0.contains("move {") }
    #expect(
      titles == [
        "fail  -- no record", "nobody  -- no record", "1 move { to = \"e4\" }",
        "▸ 1 move { to = \"e4\" }",
      ], "\(console.output)")
  }

  @Test func optionsThatCannotBeAreRefused() throws {
    let state = try run("", "--state", #"{"turn":7}"#)
    #expect(state.status == 64)
    #expect(state.errors.contains("--state begins a store"))
    let key = try RunnerProcess.run(["run", "room.lua", "--key", "x"], in: folder.folder)
    #expect(key.status == 64)
    #expect(key.errors.contains("--journal FILE"))
    let slash = try run("", "--key", "a/b")
    #expect(slash.status == 64)
    #expect(slash.errors.contains("--key: the key 'a/b' of a durable store must have"))
    #expect(try run("", "--key", "").errors.contains("the key '' of"))
    for command in ["serve", "show"] {
      let other = try RunnerProcess.run(
        [command, "room.lua", "--journal", "rooms.db"], in: folder.folder)
      #expect(other.status == 64)
      #expect(other.errors.hasPrefix("error: runner \(command) has no --journal: "))
    }
    try folder.write("no journal, but a text that is long enough", to: "rooms.db")
    let text = try run("")
    #expect(text.status == 66)
    #expect(text.errors.contains("rooms.db"))
  }

  // MARK: The gate of a deploy

  @Test func scriptsAreJudgedByAllThatWasRecorded() throws {
    for key in ["one", "two"] {
      _ = try run("move {\"to\":\"e4\"}\nmove {\"to\":\"e5\"}\n", "--key", key)
    }
    let same = try replay()
    #expect(same.errors == "")
    #expect(same.output == "as recorded: 2 stores (4 actions reduced again, 0 stores migrated)\n")
    try folder.write(Self.room(turns: 2), to: "room.lua")
    let other = try replay()
    #expect(other.status == 1)
    #expect(other.output.contains("room/one"))
    #expect(other.output.contains("do not deploy: 2 of 2 stores differ"))
    for pattern in ["room/o*", "room/?ne", "room/[!o]*", "room/[a-t]wo", "*e"] {
      let one = try replay("--stores", pattern)
      #expect(one.output.contains("do not deploy: 1 of 1 store differs"), "\(pattern)")
    }
    #expect(try replay("--stores", "room/???").output.contains("2 of 2 stores differ"))
    for pattern in ["lobby/*", "room/??", "room", "?oom/o"] {
      #expect(try replay("--stores", pattern).status == 66, "\(pattern)")
    }
    let json = try replay("--format", "json", "--last", "1")
    #expect(json.output.contains(#""n":2"#))
  }

  @Test func aHandlerThatAsksForMoreThanItDidIsToldWhatToDo() throws {
    _ = try run("move {\"to\":\"e4\"}\n")
    try folder.write(
      Self.room(fields: "dependencies = { \"date\" },")
        .replacing(
          "move = function(state, action)",
          with: "move = function(state, action, deps) deps.date.now()"),
      to: "room.lua")
    let outcome = try replay()
    #expect(outcome.status == 1)
    #expect(outcome.output.contains(": there is no answer to replay\n"), "\(outcome.output)")
    #expect(
      outcome.output.contains("let an effect ask, and send the answer in an action\n"),
      "\(outcome.output)")
  }

  @Test func anActionThatNothingTakesAnyMoreIsNotSaidToHaveRaised() throws {
    _ = try run("move {\"to\":\"e4\"}\n")
    try folder.write(
      Self.room().replacing("move = function", with: "moved = function"), to: "room.lua")
    let outcome = try replay()
    #expect(outcome.status == 1)
    #expect(
      outcome.output.contains(
        "\n- taken\n+ not taken: Room has no handler for the action \"move\""),
      "\(outcome.output)")
  }

  @Test func aStubOfADependencyOfTheHostIsForTheFeaturesThatDeclareIt() throws {
    try folder.write(
      """
      return require("scripted").feature {
        name = "Quiz", state = {}, dependencies = { "questions" },
        on = { ask = function(state, action, deps) state.text = deps.questions.next() end },
      }
      """, to: "quiz.lua")
    try folder.write("return { next = function() return 'one' end }", to: "q.lua")
    let stub = ["--dependency", "questions=@q.lua"]
    let quiz = try RunnerProcess.run(
      ["run", "quiz.lua", "--journal", "rooms.db"] + stub, input: "ask\n", in: folder.folder)
    #expect(quiz.status == 0, "\(quiz.errors)")
    _ = try run("move {\"to\":\"e4\"}\n")
    #expect(try replay().output.contains("--dependency questions=@stub.lua"))
    let same = try replay(stub[0], stub[1])
    #expect(same.errors == "")
    #expect(same.output == "as recorded: 2 stores (2 actions reduced again, 0 stores migrated)\n")
    let unused = try replay(stub[0], stub[1], "--dependency", "answers=1")
    #expect(unused.status == 66)
    #expect(
      unused.errors.contains(
        "there is no dependency 'answers'; no script that is loaded declares it. "))
  }

  @Test func aJournalThatIsNotThereIsMissingAndAnotherFileIsNone() throws {
    let missing = try replay()
    #expect(missing.status == 66)
    #expect(missing.errors == "error: there is no file rooms.db; name the file of a journal\n")
    try folder.write("no journal, but a text that is long enough", to: "rooms.db")
    let text = try replay()
    #expect(text.status == 65)
    #expect(text.errors.hasPrefix("error: rooms.db is no journal"), "\(text.errors)")
  }

  @Test func aRecordingAndAJournalAreNotTakenForEachOther() throws {
    _ = try run("move {\"to\":\"e4\"}\n")
    let journal = try RunnerProcess.run(["replay", "rooms.db", "--root", "."], in: folder.folder)
    #expect(journal.status == 65)
    #expect(journal.errors.contains("name it with --journal rooms.db"))
    let both = try replay("session.jsonl")
    #expect(both.status == 64 && both.errors.contains("not both"))
  }

  @Test func aStoreThatDiffersBecomesATest() throws {
    _ = try run("move {\"to\":\"e4\"}\nmove {\"to\":\"e5\"}\n", "--key", "r17")
    _ = try run("move {\"to\":\"e4\"}\n", "--key", "r18")
    try folder.write(
      Self.room().replacingOccurrences(
        of: "state.turn = state.turn + 1", with: "state.turn = #state.moves == 2 and 9 or 2"),
      to: "room.lua")
    let replay = try replay("--export-test")
    #expect(replay.status == 1)
    #expect(replay.errors == "wrote room_r17_test.lua\n")
    func test() throws -> RunnerProcess.Outcome {
      try RunnerProcess.run(["test", "room_r17_test.lua", "--root", "."], in: folder.folder)
    }
    #expect(try test().status == 1)
    try folder.write(Self.room(), to: "room.lua")
    #expect(try test().status == 0)
    let again = try self.replay("--export-test")
    #expect(again.status == 0 && again.errors == "")
    try folder.write(Self.room(turns: 2), to: "room.lua")
    let taken = try self.replay("--export-test", "--stores", "*17")
    #expect(taken.status == 73 && taken.errors.contains("room_r17_test.lua"))
  }

  @Test func anExportOfAStoreBecomesATest() throws {
    _ = try run("move {\"to\":\"e4\"}\ntype {\"who\":\"Ada\"}\n", "--key", "r17")
    _ = try run("move {\"to\":\"e5\"}\n", "--key", "r17")
    let outcome = try RunnerProcess.shell(
      """
      cd \(folder.path) && $RUNNER stores rooms.db export room/r17 > r17.jsonl && \
      $RUNNER replay r17.jsonl --against . --export-test && $RUNNER test r17_test.lua --root .
      """)
    #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
    #expect(outcome.output.contains("2 passed"))
  }

  /// Alarms that were set on the virtual clock, whose dates are those of 2001, are due in the next process.
  @Test func theHistoryOfAStoreThatComesBackBecomesATest() throws {
    try folder.write(
      """
      local scripted = require "scripted"
      local effect = scripted.effect
      return scripted.feature {
        name = "Timer", state = { rung = 0 }, dependencies = { "clock", "uuid" },
        on = {
          set = function() return effect.alarm("a", 5, "rang") end,
          rang = function(state) state.rung = state.rung + 1 end,
          ask = function()
            return effect.run(function(send, deps) send("got", { id = deps.uuid() }) end)
          end,
          got = function(state, action) state.id = action.id end,
        },
      }
      """, to: "timer.lua")
    for export in [
      """
      echo ask | $RUNNER run timer.lua --journal t.db --record s.jsonl
      $RUNNER replay s.jsonl --against . --export-test
      """,
      """
      printf 'ask\\n:export-test s_test.lua\\n' | $RUNNER dev timer.lua --journal t.db
      """,
    ] {
      let outcome = try RunnerProcess.shell(
        """
        set -e
        rm -f t.db* s_test.lua
        echo set | $RUNNER run timer.lua --journal t.db --clock virtual --no-wait
        \(export)
        $RUNNER test s_test.lua --root .
        """, in: folder.folder)
      #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
      #expect(try folder.text("s_test.lua").contains("store:send(\"rang\""))
    }
  }

  @Test func aStoreWithoutActionsProvesNothing() throws {
    _ = try run("move {\"to\":\"e4\"}\n", "--key", "one")
    _ = try run("move {\"to\":\"e4\"}\n", "--key", "two")
    try folder.write(
      Self.room(fields: "version = 2, migrate = function(state) state.turn = 7 end,"),
      to: "room.lua")
    _ = try run("", "--key", "one")
    let alone = try replay("--stores", "room/one")
    #expect(alone.status == 0)
    #expect(
      alone.output
        == "nothing proved: 1 store (0 actions reduced again, 0 stores migrated, 1 store without an action to judge)\n"
    )
    _ = try run("move {\"to\":\"e5\"}\n", "--key", "two")
    #expect(
      try replay().output
        == "as recorded: 2 stores (1 action reduced again, 0 stores migrated, 1 store without an action to judge)\n"
    )
    #expect(try replay("--format", "json").output.contains(#""idle":1"#))
  }

  @Test func theLogSaysWhatIsOfNoAction() throws {
    _ = try run("type {\"who\":\"Ada\"}\n", "--key", "r17")
    try folder.write(
      Self.room(fields: "version = 2, migrate = function(state) state.turn = 7 end,"),
      to: "room.lua")
    _ = try run("", "--key", "r17")
    let log = try RunnerProcess.run(["stores", "rooms.db", "log", "room/r17"], in: folder.folder)
    #expect(log.output.contains("migrate  -- migrated by a deploy"))
    #expect(log.output.contains("forget  -- transient fields forgotten"))
  }

  @Test func migratedEndStatesAreCompared() throws {
    _ = try run("move {\"to\":\"e4\"}\n")
    try folder.write(
      Self.room(fields: "version = 2, migrate = function(state) state.turn = state.turn + 6 end,"),
      to: "room.lua")
    #expect(
      try replay().output
        == "as recorded: 1 store (1 action reduced again, 1 store migrated and compared in their migrated end states)\n"
    )
    try folder.write(
      Self.room(fields: "version = 2, migrate = function(state) state.turn = 100 end,"),
      to: "room.lua")
    let differs = try replay("--export-test")
    #expect(differs.status == 1)
    #expect(differs.output.contains("-   turn = 100,\n+   turn = 101,"))
    #expect(differs.errors == "no test of room/main: states of two versions were compared\n")
    let json = try replay("--format", "json")
    #expect(
      json.output.contains(
        #""n":1,"migrated":true,"patch":[{"op":"replace","path":"/turn","value":101}]"#))
  }

  @Test func migrationsAreTried() throws {
    _ = try run("move {\"to\":\"e4\"}\n")
    try folder.write(
      Self.room(fields: "version = 2, migrate = function() error('half way') end,"), to: "room.lua")
    let failed = try replay()
    #expect(failed.status == 1)
    #expect(failed.output.contains("half way"))
    try folder.write("error('broken')", to: "room.lua")
    let broken = try replay()
    #expect(broken.status == 1)
    #expect(broken.output.contains("broken"))
  }
}
#endif
