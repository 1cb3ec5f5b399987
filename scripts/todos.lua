-- A list of todos, after the Todos example of The Composable Architecture. What is completed goes to
-- the end, a second after the last of them was: so nothing jumps away under the finger.
local scripted = require "scripted"
local Todo = require "todo"

local effect, list = scripted.effect, scripted.list

-- What each filter shows.
local shows = {
  all = function() return true end,
  active = function(todo) return not todo.isComplete end,
  completed = function(todo) return todo.isComplete end,
}

local function shown(state) return list.filter(state.todos, shows[state.filter]) end

-- The todo in the given row on the screen, which is not its place in the list when a filter hides
-- some.
local function row(rows, index)
  return rows[index] or error(("there is no row %s, %d are shown"):format(index, #rows))
end

local Todos = scripted.feature {
  name = "Todos",
  state = { filter = "all", nextId = 1, todos = scripted.array {} },
  dependencies = { "clock" },
  on = {
    addTodoButtonTapped = function(state)
      local todo = Todo.initial { id = state.nextId }
      state.nextId = state.nextId + 1
      list.insert(state.todos, todo, 1)
    end,

    clearCompletedButtonTapped = function(state)
      list.removeAll(state.todos, shows.completed)
    end,

    -- { rows = { row, … } }
    delete = function(state, action)
      local rows = shown(state)
      for _, index in ipairs(action.rows) do
        list.remove(state.todos, row(rows, index).id)
      end
    end,

    -- { rows = { row, … }, to = row }: before the row `to`, which may be one past the last
    move = function(state, action)
      local rows = shown(state)
      local function indexOf(index) return list.indexOf(state.todos, row(rows, index).id) end

      local from = list.map(action.rows, indexOf)
      local to = action.to > #rows and #state.todos + 1 or indexOf(action.to)
      list.move(state.todos, from, to)
      return effect.run(function(send, deps)
        deps.clock.sleep(0.1)
        send("sortCompletedTodos")
      end)
    end,

    setFilter = function(state, action)
      if not shows[action.filter] then error("unknown filter " .. tostring(action.filter)) end
      state.filter = action.filter
    end,

    -- Stable, so that each half keeps its order.
    sortCompletedTodos = function(state)
      list.sort(state.todos, function(a, b) return b.isComplete and not a.isComplete end)
    end,

    ["todos[*].toggle"] = function()
      return effect.send("sortCompletedTodos"):debounce("completion", 1):animation("default")
    end,
  },
}

return Todos:forEach("todos", Todo)
