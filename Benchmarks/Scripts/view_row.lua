-- A row of four nodes, as the rows of the benchmarks of views show it.
local scripted = require "scripted"
local ui = require "scripted.ui"

return scripted.feature {
  name = "Row",
  binding = true,
  state = { id = 0, title = "", isComplete = false },
  on = {
    toggle = function(state) state.isComplete = not state.isComplete end,
    remove = function() end,
  },
  view = function(state, env)
    return ui.row {
      tone = env.isSelected and "accent" or nil,
      ui.toggle { label = "Done", bind = "isComplete" },
      ui.text(state.title),
      ui.button { "Remove", action = "remove" },
    }
  end,
}
