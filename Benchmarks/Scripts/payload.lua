local scripted = require "scripted"

return scripted.feature {
  name = "Payload",
  state = { items = scripted.array {} },
  on = {
    load = function(state, action) state.items = action.items end,
  },
}
