import Platform
import Testing

/// runner run on a virtual clock.
struct VirtualClockTests {
  @Test(arguments: ["UTC", "Asia/Tokyo", "XYZ+11"])
  func theZoneOfTheHostMakesNoDifference(_ zone: String) throws {
    let scripts = try TemporaryFolder([
      "date.lua": """
      return require "scripted".feature {
        state = {}, dependencies = { "date" },
        on = {
          go = function(state, _, deps)
            state.text = os.date("%Y-%m-%d %H:%M:%S %z", math.tointeger(deps.date.now()))
            state.time = os.time { year = 2001, month = 1, day = 1, hour = 0 }
          end,
        },
      }
      """
    ])
    let outcome = try RunnerProcess.run(
      ["run", "date", "--root", scripts.path, "--clock", "virtual", "--print-state"],
      input: "\"go\"\n", environment: ["TZ": zone])
    #expect(
      outcome.lines.last
        == #"{"state":{"text":"2001-01-01 00:00:00 +0000","time":978307200}}"#, "\(outcome)")
  }

  let scripts: TemporaryFolder

  init() throws { scripts = try .busy() }

  func run(_ input: String, _ options: String...) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      ["run", "busy", "--root", scripts.path, "--clock", "virtual", "--print-state"] + options,
      input: input)
  }

  func later(_ text: String, after seconds: Double) -> String {
    #"{"type":"later","text":"\#(text)","after":\#(seconds)}"#
  }

  @Test func timePassesByWaitsAloneAndWakesEffectsInTheOrderOfTime() throws {
    let outcome = try run(
      """
      \(later("third", after: 300_000))
      \(later("first", after: 100_000))
      {"wait":99999.5}
      \(later("second", after: 100_000))
      {"wait":0.5}
      {"type":"note","text":"mine"}
      {"wait":1000000000}
      """)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.lines.last == #"{"state":{"log":["first","mine","second","third"]}}"#)
  }

  @Test func whoStillSleepsAtTheEndIsNotWaitedForButToldOf() throws {
    let one = try run("\"never\"\n")
    #expect(one.status == 0)
    #expect(
      one.errors == """
        note: 1 effect still in flight; on the virtual clock time passes only by \
        {"wait": seconds} lines

        """)
    #expect(try run("\"never\"\n\"never\"\n").errors.hasPrefix("note: 2 effects still in flight"))
    #expect(try run("\"never\"\n", "--no-wait").errors == "")
  }

  @Test func howLongAnEffectHasBeenInFlightIsCountedInVirtualTime() throws {
    let outcome = try run("\"never\"\n{\"wait\":12.5}\n", "--list-effects")
    #expect(outcome.output.contains(#""seconds":12.5,"waitingOn":"clock.sleep""#))
  }

  @Test func theDateIsTheStartOf2001AndWhatHasPassedSinceWhereAnEffectGoesOnToo() throws {
    let outcome = try run("\"today\"\n{\"wait\":10}\n\"today\"\n{\"wait\":1}\n")
    #expect(outcome.lines.last == #"{"state":{"log":[978307200.25,978307210.25]}}"#)
  }

  @Test func randomNumbersAndIdsAreTheSameInEveryRun() throws {
    let input = "\"draw\"\n\"identify\"\n"
    let outcome = try run(input)
    #expect(
      outcome.lines.last?.hasSuffix(
        #""00000000-0000-0000-0000-000000000000","00000000-0000-0000-0000-000000000001"]}}"#)
        == true)
    #expect(try run(input).output == outcome.output)
    #expect(try run(input, "--seed", "0").output == outcome.output)
    #expect(try run(input, "--seed", "1").output != outcome.output)
    #expect(try run(input, "--uuid", "random").output != outcome.output)
  }

  @Test func whatTakesNoVirtualTimeIsDoneBeforeTheNextLineAndBeforeTheEnd() throws {
    let files = try TemporaryFolder()
    try files.makeFolder("notes")
    try files.write("buy milk", to: "notes/today.txt")
    let outcome = try run(
      "\"load\"\n{\"type\":\"note\",\"text\":\"mine\"}\n\"load\"\n", "--files", files.path)
    #expect(outcome.errors == "")
    #expect(outcome.lines.last == #"{"state":{"log":["buy milk","mine","buy milk"]}}"#)
  }

  @Test func timeStandsStillForThemInTheMiddleOfAWait() throws {
    let files = try TemporaryFolder()
    try files.makeFolder("notes")
    try files.write("milk", to: "notes/today.txt")
    try scripts.write(
      """
      local scripted = require "scripted"
      local effect = scripted.effect
      return scripted.feature {
        name = "Poll", state = { log = {} }, dependencies = { "clock", "date", "files" },
        on = {
          poll = function()
            return effect.run(function(send, deps)
              for _ in deps.clock.timer(1) do
                send("read", { text = deps.files.read("notes/today.txt"), at = deps.date.now() })
              end
            end)
          end,
          read = function(state, action)
            state.log[#state.log + 1] = action.text .. action.at - 978307200
          end,
        },
      }
      """, to: "poll.lua")
    let outcome = try RunnerProcess.run(
      [
        "run", "poll", "--root", scripts.path, "--clock", "virtual", "--print-state", "--files",
        files.path, "--no-wait",
      ], input: "\"poll\"\n{\"wait\":3.5}\n")
    #expect(outcome.errors == "")
    #expect(outcome.lines.last == #"{"state":{"log":["milk1.0","milk2.0","milk3.0"]}}"#)
  }

  @Test func ctrlCEndsAWaitHoweverLong() throws {
    let runner = try Conversation(
      ["run", "busy", "--root", scripts.path, "--clock", "virtual"])
    runner.say("\"tick\"\n{\"wait\":100000000}")
    while !runner.hear().contains(#""text":"tick""#) {}
    runner.signal(SIGINT)
    let (status, _, errors) = runner.end()
    #expect(status == 0)
    #expect(errors == "interrupted with 1 effect in flight\n")
  }
}
