import Foundation
import Testing

/// The dependencies that runner run offers.
struct DependencyTests {
  let scripts: TemporaryFolder

  init() throws {
    scripts = try .busy()
    try scripts.write(
      """
      local scripted = require "scripted"
      local effect = scripted.effect

      scripted.dependency {
        name = "facts",
        live = { fetch = function(n) return n .. " is real" end, source = "the world" },
      }

      return scripted.feature {
        name = "Facts",
        state = {},
        dependencies = { "facts" },
        on = {
          ask = function(_, action)
            return effect.run(function(send, deps)
              send("answer", { text = deps.facts.fetch(action.number), from = deps.facts.source })
            end)
          end,
          answer = function(state, action) state.text, state.from = action.text, action.from end,
        },
      }
      """, to: "facts.lua")
  }

  func run(
    _ feature: String, _ input: String, _ options: String...
  ) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      ["run", feature, "--root", scripts.path, "--print-state"] + options, input: input)
  }

  /// A stub with this text, as `--dependency` names it.
  func stub(_ text: String, _ name: String = "stub") throws -> String {
    try scripts.write(text, to: "\(name).lua")
    return "@" + scripts.url("\(name).lua").path
  }

  let ask = #"{"type":"ask","number":3}"# + "\n"

  // MARK: Replacing

  @Test func aScriptsFunctionStandsForAMemberItGetsDepsAndMayWait() throws {
    let stub = try stub(
      """
      local deps = ...
      return function(n)
        deps.clock.sleep(0.001)
        return n .. " is a stub's"
      end
      """)
    let outcome = try run("facts", ask, "--dependency", "facts.fetch=\(stub)")
    #expect(outcome.errors == "")
    #expect(outcome.lines.last == #"{"state":{"from":"the world","text":"3 is a stub's"}}"#)
  }

  @Test func aScriptsTableReplacesTheMembersThatItNames() throws {
    let stub = try stub(#"return { source = "a stub" }"#)
    let outcome = try run("facts", ask, "--dependency", "facts=\(stub)")
    #expect(outcome.lines.last == #"{"state":{"from":"a stub","text":"3 is real"}}"#)
  }

  @Test(arguments: [
    ("return { fecth = function() return 'stubbed' end }", "fecth", "fetch"),
    ("return { sourec = 'a stub' }", "sourec", "source"),
  ])
  func aStubsMisspeltMemberIsAnErrorWithTheNearestOneAFurtherMemberIsNone(
    text: String, member: String, meant: String
  ) throws {
    let outcome = try run("facts", ask, "--dependency", "facts=\(try stub(text))")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("'facts' has no member '\(member)'; did you mean '\(meant)'?"))
    let further = try stub("return { fetch = function() return 'stubbed' end, fetched = 1 }")
    #expect(try run("facts", ask, "--dependency", "facts=\(further)").status == 0)
  }

  @Test func membersCanBeReplacedSideBySideByValuesToo() throws {
    let stub = try stub("return function() return 'stubbed' end")
    let outcome = try run(
      "facts", ask, "--dependency", #"facts.source="the command line""#, "--dependency",
      "facts.fetch=\(stub)")
    #expect(outcome.lines.last == #"{"state":{"from":"the command line","text":"stubbed"}}"#)
  }

  @Test(
    arguments: [
      ("fact.fetch=1", 66, "there is no dependency 'fact'; did you mean 'facts'?"),
      ("facts.fetsh=1", 66, "'facts' has no member 'fetsh'; did you mean 'fetch'?"),
      ("facts.fetch=@absent.lua", 66, "absent.lua"),
      ("facts.fetch", 64, "name.member=@script.lua"),
      ("facts..fetch=1", 64, "neither a name nor the path of a member"),
      ("facts.fetch=stub.lua", 64, "neither @ and the path of a script nor JSON"),
    ] as [(String, Int32, String)])
  func aWrongReplacementIsExplainedBeforeAnythingRuns(
    argument: String, status: Int32, message: String
  ) throws {
    let outcome = try run("facts", ask, "--dependency", argument)
    #expect(outcome.status == status)
    #expect(outcome.errors.contains(message))
    #expect(outcome.output == "")
  }

  @Test func aStubThatDoesNotCompileIsToldOfWithItsLine() throws {
    let outcome = try run(
      "facts", ask, "--dependency", "facts.fetch=\(try stub("return (", "bad"))")
    #expect(outcome.status == 66)
    #expect(outcome.errors.contains("bad.lua:1: "))
  }

  @Test func oneThingCannotBeReplacedTwice() throws {
    let outcome = try run(
      "facts", ask, "--dependency", "facts=1", "--dependency", "facts.fetch=2")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("facts.fetch and facts cannot both be replaced"))
  }

  // MARK: Of a Swift host

  /// A feature with a dependency that no script declares.
  private func writeQuiz() throws {
    try scripts.write(
      """
      return require("scripted").feature {
        name = "Quiz",
        state = {},
        dependencies = { "questions" },
        on = {
          ask = function(state, action, deps)
            state.text = deps.questions.next(action.number)
            state.count = deps.questions.count
          end,
        },
      }
      """, to: "quiz.lua")
  }

  @Test func aStubStandsInForADependencyThatNoScriptDeclares() throws {
    try writeQuiz()
    let stub = try stub("return { next = function(n) return 'question ' .. n end, count = 5 }")
    let whole = try run("quiz", ask, "--dependency", "questions=\(stub)")
    #expect(whole.errors == "")
    #expect(whole.lines.last == #"{"state":{"text":"question 3","count":5}}"#)
    let next = try self.stub("return function(n) return 'a ' .. n end", "next")
    let members = try run(
      "quiz", ask, "--dependency", "questions.next=\(next)", "--dependency", "questions.count=6")
    #expect(members.errors == "")
    #expect(members.lines.last == #"{"state":{"text":"a 3","count":6}}"#)
  }

  @Test func aDependencyThatNobodyOffersNamesTheOptionAndAMisspeltOneTheNearest() throws {
    try writeQuiz()
    let missing = try run("quiz", ask)
    #expect(missing.status == 66)
    #expect(missing.errors.contains("there is no dependency 'questions'; "))
    #expect(missing.errors.contains("give it a stub: --dependency questions=@stub.lua. There are"))
    let misspelt = try run("quiz", ask, "--dependency", "qestions=1")
    #expect(misspelt.status == 66)
    #expect(
      misspelt.errors.contains("there is no dependency 'questions'; did you mean 'qestions'?"))
    let unused = try run("facts", ask, "--dependency", "questions=1")
    #expect(unused.status == 66)
    #expect(
      unused.errors.contains(
        "there is no dependency 'questions'; no script that is loaded declares it. "))
  }

  @Test func aRecordingIsReplayedWithTheStub() throws {
    try writeQuiz()
    let stub = try stub("return { next = function(n) return 'question ' .. n end, count = 5 }")
    let file = scripts.url("session.jsonl").path
    let options = ["--dependency", "questions=\(stub)"]
    let run = try RunnerProcess.run(
      ["run", "quiz", "--root", scripts.path, "--record", file] + options, input: ask)
    #expect(run.status == 0, "\(run.errors)")
    let replay = try RunnerProcess.run(
      ["replay", file, "--root", scripts.path, "--format", "text"] + options)
    #expect(replay.status == 0, "\(replay.errors)")
    #expect(replay.output.hasPrefix("as recorded: "))
  }

  // MARK: Built in

  @Test func aSeedMakesRandomNumbersTheSame() throws {
    let first = try run("busy", "\"draw\"\n", "--seed", "42").output
    #expect(try run("busy", "\"draw\"\n", "--seed", "42").output == first)
    #expect(try run("busy", "\"draw\"\n", "--seed", "43").output != first)
  }

  @Test func idsCountWhereTheyAreToldToAndAreRandomElse() throws {
    let counting = try run("busy", "\"identify\"\n", "--uuid", "incrementing")
    #expect(counting.lines.last?.contains("0000-000000000001") == true)
    let random = try run("busy", "\"identify\"\n")
    #expect(try run("busy", "\"identify\"\n").output != random.output)
  }

  @Test func whatAScriptLogsIsALineOnStandardError() throws {
    #expect(try run("busy", "\"report\"\n").errors == "warning: it is late { hour = 23 }\n")
  }

  // MARK: The world

  @Test func httpReachesTheHostsThatAreAllowedAndNamesTheOptionForOthers() throws {
    let server = try OneAnswerServer("milk")
    let input = #"{"type":"fetch","url":"http://\#(server.host)/list"}"# + "\n"
    let refused = try run("busy", input, "--allow-host", "example.com")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("--allow-host \(server.host) allows it"))
    let allowed = try run("busy", input, "--allow-host", server.host)
    #expect(allowed.errors == "")
    #expect(allowed.lines.last == #"{"state":{"log":["milk"]}}"#)
  }

  @Test func withoutHostsHttpSaysWhichOptionAllowsOne() throws {
    let outcome = try run("busy", #"{"type":"fetch","url":"https://example.com/"}"# + "\n")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("--allow-host example.com"))
  }

  @Test func filesHasTheFolderThatItIsGiven() throws {
    let files = try TemporaryFolder()
    try files.makeFolder("notes")
    try files.write("buy milk", to: "notes/today.txt")
    let outcome = try run("busy", "\"load\"\n", "--files", files.path)
    #expect(outcome.lines.last == #"{"state":{"log":["buy milk"]}}"#)
  }

  @Test func withoutAFolderFilesSaysWhichOptionGivesOne() throws {
    let outcome = try run("busy", "\"load\"\n")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("files has no folder; --files <folder> gives it one"))
  }

  @Test(
    arguments: [
      (["--allow-host", "https://example.com/"], 64), (["--seed", "minus"], 64),
      (["--uuid", "counting"], 64), (["--clock", "sun"], 64), (["--files", "/absent"], 66),
    ] as [([String], Int32)])
  func wrongOptionsAreRefusedBeforeAnythingRuns(options: [String], status: Int32) throws {
    let outcome = try RunnerProcess.run(
      ["run", "busy", "--root", scripts.path] + options, input: "\"draw\"\n")
    #expect(outcome.status == status)
    #expect(outcome.errors.contains(options[1]))
    #expect(outcome.output == "")
  }
}
