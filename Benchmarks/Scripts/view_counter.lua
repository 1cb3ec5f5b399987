local scripted = require "scripted"
local ui = require "scripted.ui"

return scripted.feature {
  name = "Counter",
  state = { count = 0 },
  on = { increment = function(state) state.count = state.count + 1 end },
  view = function(state)
    return ui.column { ui.text("Count: " .. state.count), ui.button { "Increment", action = "increment" } }
  end,
}
