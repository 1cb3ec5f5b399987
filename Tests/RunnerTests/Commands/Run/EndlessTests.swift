import Foundation
import Platform
import Testing

/// What never ends by itself.
@Suite(.timeLimit(.minutes(30)))
struct EndlessTests {
  let scripts: TemporaryFolder

  init() throws {
    scripts = try TemporaryFolder([
      "endless.lua": """
      local scripted = require "scripted"
      local effect = scripted.effect

      return scripted.feature {
        name = "Endless",
        state = { count = 0 },
        dependencies = { "clock" },
        on = {
          ping = function(state)
            state.count = state.count + 1
            if state.count == 1 then print("begun") end
            return effect.send("ping")
          end,
          yields = function()
            return effect.run(function(send)
              print("begun")
              while true do send("quiet") effect.yield() end
            end)
          end,
          waits = function()
            return effect.run(function()
              print("begun")
              while true do effect.yield() end
            end)
          end,
          forks = function(state)
            state.count = state.count + 1
            if state.count == 1 then print("begun") end
            local function fork(send) send("forks") end
            return effect.merge(effect.run(fork), effect.run(fork))
          end,
          naps = function()
            return effect.run(function(send, deps)
              print("begun")
              while true do send("quiet") deps.clock.sleep(0) end
            end)
          end,
          spins = function()
            print("begun")
            while true do end
          end,
          quiet = function() end,
        },
      }
      """
    ])
  }

  @Test(arguments: ["ping", "yields", "waits", "forks", "naps", "spins"], ["real", "virtual"])
  func oneSignalEndsARunWhateverScriptsDo(_ action: String, _ clock: String) throws {
    for number in [SIGTERM, SIGINT] {
      let runner = try Conversation([
        "run", "endless", "--root", scripts.path, "--limits", "unlimited", "--clock", clock,
      ])
      runner.say("\"\(action)\"")
      #expect(runner.hearError() == "begun")
      runner.signal(number)
      let status = try #require(runner.end().status)
      // It may have come to its end by itself.
      #expect([0, 1, 128 + number].contains(status))
    }
  }

  @Test(arguments: ["real", "virtual"])
  func oneSignalEndsAConsoleThatAScriptKeepsBusy(_ clock: String) throws {
    let runner = try Conversation([
      "dev", "endless", "--root", scripts.path, "--limits", "unlimited", "--clock", clock,
    ])
    runner.say("ping")
    #expect(runner.hearError() == "begun")
    runner.signal(SIGTERM)
    #expect(runner.end().status == 128 + SIGTERM)
  }

  @Test func actionsThatSendThemselvesEndByTheirLimitWhichAnOptionSets() throws {
    let outcome = try RunnerProcess.run(
      ["run", "endless", "--root", scripts.path, "--max-actions", "5", "--print-state"],
      input: "\"ping\"\n")
    #expect(outcome.status == 1)
    #expect(outcome.lines.last == #"{"state":{"count":6}}"#)
    #expect(outcome.errors.contains("5 actions in a row without a wait: ping sends ping."))
  }

  @Test func scriptsOfUnknownAuthorsAndOnesOwnHaveLimitsForActionsAndEffects() throws {
    for (preset, count) in [("standard", 100_001), ("untrusted", 1001)] {
      let outcome = try RunnerProcess.run(
        [
          "run", "endless", "--root", scripts.path, "--limits", preset, "--max-time", "600",
          "--print-state",
        ], input: "\"ping\"\n")
      #expect(outcome.status == 1)
      #expect(outcome.lines.last == #"{"state":{"count":\#(count)}}"#)
    }
  }
}
