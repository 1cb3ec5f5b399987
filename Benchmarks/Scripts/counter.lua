local scripted = require "scripted"

return scripted.feature {
  name = "Counter",
  state = { count = 0 },
  on = {
    increment = function(state) state.count = state.count + 1 end,
    add = function(state, action) state.count = state.count + action.by end,
  },
}
