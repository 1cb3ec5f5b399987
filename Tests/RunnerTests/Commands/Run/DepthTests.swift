import Testing

/// Values that are as deep as values may be, and are put into something else: a report, the line of a recording, an effect's
/// description.
@Suite struct DepthTests {
  private static let script = """
    local scripted = require "scripted"
    local effect = scripted.effect
    local function deep(levels)
      local value = 1
      for _ = 1, levels do value = { value } end
      return value
    end
    return scripted.feature {
      name = "Deep", state = { value = deep(127) }, dependencies = { "clock" },
      on = {
        set = function(state, action) state.value = { value = deep(126) } end,
        waits = function(state, action)
          return effect.run(function(_, deps) deps.clock.sleep(1) end):cancellable(deep(128))
        end,
        animates = function() return effect.send("set"):animation(deep(128)) end,
        sends = function() return effect.send("got", deep(127)):debounce(deep(128), 1) end,
        got = function(state, action) state.value = action.value end,
        raises = function() error(deep(128)) end,
      },
    }
    """

  private static let actions = ["set", "waits", "animates", "sends"]

  @Test func valuesOfAnyDepthAreReportedAndRecorded() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.script, to: "deep.lua")
    let file = folder.url("session.jsonl").path
    let run = try RunnerProcess.run(
      [
        "run", "deep", "--root", folder.path, "--clock", "virtual", "--print-state",
        "--list-effects", "--record", file,
      ], input: Self.actions.map { "\"\($0)\"\n" }.joined())
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains(#"{"state":"#))
    let replay = try RunnerProcess.run(
      ["replay", file, "--against", folder.path, "--export-test"])
    #expect(replay.status == 0, "\(replay.errors)")
    let test = try RunnerProcess.run(
      ["test", folder.url("session_test.lua").path, "--root", folder.path])
    #expect(test.status == 0, "\(test.output)\(test.errors)")
    let text = try RunnerProcess.run(
      [
        "run", "deep", "--root", folder.path, "--clock", "virtual", "--print-state",
        "--list-effects", "--format", "text",
      ], input: Self.actions.map { "\"\($0)\"\n" }.joined())
    #expect(text.status == 0, "\(text.errors)")
  }

  @Test func anErrorOfAnyDepthIsReported() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.script, to: "deep.lua")
    for format in ["json", "text"] {
      let run = try RunnerProcess.run(
        ["run", "deep", "--root", folder.path, "--format", format], input: "\"raises\"\n")
      #expect(run.status == 1, "\(run.errors)")
    }
  }

  @Test(arguments: ["run", "check", "tree", "test"])
  func aPatternOfManySegmentsIsRefused(_ command: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      local scripted = require "scripted"
      return scripted.feature { on = { [("a."):rep(30000) .. "a"] = function() end } }
      """, to: "long.lua")
    try folder.write(
      "describe('it', function() it('loads', function() require 'long' end) end)",
      to: "long_test.lua")
    let arguments = ["run", "tree"].contains(command) ? [command, "long"] : [command]
    let outcome = try RunnerProcess.run(arguments + ["--root", folder.path])
    #expect((1..<128).contains(outcome.status ?? 0), "\(outcome.output)\(outcome.errors)")
    #expect((outcome.output + outcome.errors).contains("nest at most 128 deep"))
  }
}
