-- A list of rows, and a parent that has something to do after each of their actions.
local scripted = require "scripted"

local Rows = scripted.feature {
  name = "Rows",
  state = { toggles = 0, nextId = 1, todos = scripted.array {} },
  on = {
    add = function(state)
      local todo = { id = state.nextId, title = "Another thing to be done", isComplete = false }
      state.nextId = state.nextId + 1
      table.insert(state.todos, todo)
    end,
    replace = function(state, action)
      state.todos = action.todos
      state.nextId = action.nextId
    end,
    ["todos[*].toggle"] = function(state) state.toggles = state.toggles + 1 end,
  },
}

return Rows:forEach("todos", require "row")
