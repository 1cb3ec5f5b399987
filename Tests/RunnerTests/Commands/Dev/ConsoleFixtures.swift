extension TemporaryFolder {
  /// A script root with features to talk to: a counter, a list with rows, and one that waits.
  static func consoleFeatures() throws -> TemporaryFolder {
    try TemporaryFolder([
      "counter.lua": counterScript, "list.lua": listScript, "waiting.lua": waitingScript(),
    ])
  }

  /// Gives a console on the virtual clock some lines.
  func talk(
    to feature: String, _ lines: [String], _ options: [String] = []
  ) throws -> RunnerProcess.Outcome {
    try RunnerProcess.run(
      ["dev", feature, "--root", path, "--clock", "virtual"] + options,
      input: lines.map { $0 + "\n" }.joined(), in: folder)
  }
}

private let listScript = """
  local scripted = require "scripted"
  local Row = scripted.feature {
    name = "Row", on = { rename = function(state, action) state.name = action.value end },
  }
  local List = scripted.feature {
    name = "List",
    state = { rows = { { id = "a b].c", name = "first" }, { id = 2, name = "second" } } },
    on = { clear = function(state) state.rows = {} end },
  }
  return List:forEach("rows", Row)
  """

let sharingScript = """
  local scripted = require "scripted"
  local shared = scripted.shared
  local settings = shared.fileStorage("settings.json", { size = 12 })
  local numbers = {}
  for n = 1, 60 do numbers[n] = n end
  return scripted.feature {
    name = "Sharing",
    shared = {
      settings = settings, size = settings:at("size"):reader(), status = settings:status(),
      list = shared.inMemory("list", numbers),
    },
    on = { bigger = function(state) state.settings.size = state.settings.size + 1 end },
  }
  """

func waitingScript(counting key: String = "count", options: String = "") -> String {
  """
  local scripted = require "scripted"
  local effect = scripted.effect

  return scripted.feature {
    name = "Waiting", \(options)
    state = { \(key) = 0 },
    dependencies = { "clock" },
    on = {
      later = function()
        return effect.run(function(send, deps)
          deps.clock.sleep(1)
          send("done")
        end)
      end,
      done = function(state) state.\(key) = state.\(key) + 1 end,
      fail = function()
        return effect.run(function(_, deps)
          deps.clock.sleep(0.5)
          error("too late")
        end)
      end,
      soon = function()
        return effect.run(function(send, deps)
          deps.clock.sleep(0.01)
          send("done")
        end)
      end,
      ring = function() return effect.alarm("bell", 2, "done") end,
    },
  }
  """
}
