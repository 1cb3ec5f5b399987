local scripted = require "scripted"

return scripted.feature {
  name = "Row",
  state = { id = 0, title = "", isComplete = false },
  on = {
    toggle = function(state) state.isComplete = not state.isComplete end,
  },
}
