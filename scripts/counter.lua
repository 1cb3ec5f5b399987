-- The smallest feature: a state, what its actions do to it, an effect that takes its time, and a view.
local scripted = require "scripted"
local ui = require "scripted.ui"

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
  view = function(state)
    return ui.row {
      ui.button { "−", label = "Decrement", action = { "increment", { by = -1 } } },
      ui.number { label = "Count", value = state.count },
      ui.button { "+", label = "Increment", action = "increment" },
      ui.button { "Increment later", action = "incrementLater" },
      ui.button { "Reset", action = "reset", disabled = state.count == 0 },
    }
  end,
}
