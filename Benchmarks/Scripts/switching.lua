-- Goes from case to case, with nothing that knows of cases.
local scripted = require "scripted"

return scripted.feature {
  name = "Switching",
  state = { destination = { add = { count = 0 } } },
  on = {
    switch = function(state)
      local count = state.destination.add and state.destination.add.count
      if count then
        state.destination = { edit = { count = count + 1 } }
      else
        state.destination = { add = { count = state.destination.edit.count + 1 } }
      end
    end,
  },
}
