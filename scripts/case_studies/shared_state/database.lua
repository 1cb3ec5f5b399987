-- Todos in a database: a list that may have 100,000 rows, of which an action writes only those that it changes.
-- Features see an ordinary list; `forEach`, `list` and observers work on it as on any other.
--
-- Try `runner dev --shared DIR case_studies.shared_state.database` with a runner that `make build` has made: send
-- `fillButtonTapped { "count": 100000 }`, then `todos[7].toggle`, which is one UPDATE, and look from another
-- terminal: `sqlite3 DIR/todos.db "SELECT json FROM todos WHERE id = 7"`. What you change there is seen here at once.
local scripted = require "scripted"
local ui = require "scripted.ui"
local Todo = require "todo"

local list = scripted.list
local todos = scripted.shared.database("todos", scripted.array {}, { file = "todos.db" })

local function isComplete(todo) return todo.isComplete end

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
      list.removeAll(state.todos, isComplete)
    end,

    -- { id = id }
    delete = function(state, action) list.remove(state.todos, action.id) end,

    -- { ids = { id, … } }, from the list on the screen
    deleteRows = function(state, action)
      for _, id in ipairs(action.ids) do list.remove(state.todos, id) end
    end,

    -- { count = number }: todos to try it with
    fillButtonTapped = function(state, action)
      local rows = {}
      for id = 1, action.count do
        rows[id] = { id = id, description = "Todo " .. id, isComplete = false }
      end
      state.todos = rows
    end,
  },

  -- Of a long list those rows are evaluated that somebody can see. `list.any` remembers what it found.
  view = function(state)
    local problem = state.file.loadError or state.file.saveError
    return ui.screen {
      title = "Todos in a database",
      problem and ui.text { problem.message, tone = "warning", announce = true },
      ui.toolbar {
        ui.button { "Add todo", action = "addTodoButtonTapped", role = "primary", shortcut = "mod+n" },
        ui.button { "Fill with 1,000", action = { "fillButtonTapped", { count = 1000 } } },
        ui.button {
          "Clear completed", action = "clearCompletedButtonTapped", disabled = not list.any(state.todos, isComplete),
        },
      },
      #state.todos == 0 and ui.text { "Nothing to do.", tone = "secondary" },
      ui.list { onDelete = "deleteRows", ui.forEach "todos" },
    }
  end,
}

return Todos:forEach("todos", Todo)
