-- The smallest feature: a state, and what its actions do to it.
local scripted = require "scripted"

return scripted.feature {
  name = "Counter",
  state = { count = 0 },
  on = {
    -- { by = number? }
    increment = function(state, action) state.count = state.count + (action.by or 1) end,
    reset = function(state) state.count = 0 end,
  },
}
