-- The smallest feature: a state, what its actions do to it, and an effect that takes its time.
local scripted = require "scripted"
local effect = scripted.effect

return scripted.feature {
  name = "Counter",
  state = { count = 0 },
  dependencies = { "clock" },
  on = {
    -- { by = number? }
    increment = function(state, action) state.count = state.count + (action.by or 1) end,
    reset = function(state) state.count = 0 end,

    incrementLater = function()
      return effect.run(function(send, deps)
        deps.clock.sleep(1)
        send("increment")
      end)
    end,
  },
}
