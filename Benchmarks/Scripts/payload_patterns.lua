-- A feature with patterns on what is in an action's payload.
local scripted = require "scripted"

local function count(state) state.count = state.count + 1 end

return scripted.feature {
  name = "Loading",
  state = { count = 0 },
  on = { load = count, ["load.result.success"] = count, ["load.result.failure"] = count },
}
