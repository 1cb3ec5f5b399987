-- Rows, one of which is taken out.
local scripted = require "scripted"

local Rows = scripted.feature {
  name = "Rows",
  state = { toggles = 0, todos = scripted.array {} },
  on = {
    removeAt = function(state, action) table.remove(state.todos, action.value) end,
    replace = function(state, action) state.todos = action.todos end,
    ["todos[*].toggle"] = function(state) state.toggles = state.toggles + 1 end,
  },
}

return Rows:forEach("todos", require "row")
