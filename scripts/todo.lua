-- One todo. It knows nothing of the list that it is in; `todos` observes what happens here.
local scripted = require "scripted"

return scripted.feature {
  name = "Todo",
  state = { id = 0, description = "", isComplete = false },
  on = {
    rename = function(state, action) state.description = action.description end,
    toggle = function(state) state.isComplete = not state.isComplete end,
  },
}
