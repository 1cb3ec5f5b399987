-- The same counter without shared values.
local scripted = require "scripted"

return scripted.feature {
  name = "SharedNone",
  state = { count = 0 },
  on = { increment = function(state) state.count = state.count + 1 end },
}
