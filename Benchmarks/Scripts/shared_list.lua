-- A list of todos in a file, which is written when the host says so.
local scripted = require "scripted"

return scripted.feature {
  name = "SharedList",
  state = {},
  shared = { todos = scripted.shared.fileStorage("todos.json", scripted.array {}, { interval = 86400 }) },
  on = {
    fill = function(state, action) state.todos = action.todos end,
    toggle = function(state) state.todos[1].isComplete = not state.todos[1].isComplete end,
  },
}
