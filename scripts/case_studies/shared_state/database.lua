-- Todos in a database: a list that may have 100,000 rows, of which an action writes only those that it changes.
-- Features see an ordinary list; `forEach`, `list` and observers work on it as on any other.
--
-- Try `runner dev --shared DIR case_studies.shared_state.database` with a runner that `make build` has made: send
-- `fillButtonTapped { "count": 100000 }`, then `todos[7].toggle`, which is one UPDATE, and look from another
-- terminal: `sqlite3 DIR/todos.db "SELECT json FROM todos WHERE id = 7"`. What you change there is seen here at once.
local scripted = require "scripted"
local Todo = require "todo"

local list = scripted.list
local todos = scripted.shared.database("todos", scripted.array {}, { file = "todos.db" })

-- file: shown by the host
local Todos = scripted.feature {
  name = "DatabaseTodos",
  state = {},
  shared = { todos = todos, file = todos:status() },
  dependencies = { "uuid" },
  on = {
    addTodoButtonTapped = function(state, _, deps)
      list.insert(state.todos, Todo.initial { id = deps.uuid() }, 1)
    end,

    clearCompletedButtonTapped = function(state)
      list.removeAll(state.todos, function(todo) return todo.isComplete end)
    end,

    -- { id = id }
    delete = function(state, action) list.remove(state.todos, action.id) end,

    -- { count = number }: todos to try it with
    fillButtonTapped = function(state, action)
      local rows = {}
      for id = 1, action.count do
        rows[id] = { id = id, description = "Todo " .. id, isComplete = false }
      end
      state.todos = rows
    end,
  },
}

return Todos:forEach("todos", Todo)
