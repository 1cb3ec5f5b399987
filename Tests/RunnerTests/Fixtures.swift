extension TemporaryFolder {
  /// A script root with a counter that can also go wrong.
  static func counter() throws -> TemporaryFolder {
    try TemporaryFolder(["counter.lua": counterScript])
  }
}

let counterScript = """
  local scripted = require "scripted"
  local effect = scripted.effect

  return scripted.feature {
    name = "Counter",
    state = { count = 0, label = "" },
    on = {
      increment = function(state, action) state.count = state.count + (action.by or 1) end,
      label = function(state, action) state.label = action.text end,
      twice = function() return effect.merge(effect.send("increment"), effect.send("increment")) end,
      break_ = function(state)
        state.count = 1000
        error("out of order")
      end,
    },
  }
  """
