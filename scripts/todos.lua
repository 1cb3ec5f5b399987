-- A list of todos, after the Todos example of The Composable Architecture. What is completed goes to
-- the end, a second after the last of them was: so nothing jumps away under the finger.
local scripted = require "scripted"
local ui = require "scripted.ui"
local Todo = require "todo"

local effect, list = scripted.effect, scripted.list

-- What each filter shows.
local shows = {
  all = function() return true end,
  active = function(todo) return not todo.isComplete end,
  completed = function(todo) return todo.isComplete end,
}

local filters = {
  { value = "all", label = "All" },
  { value = "active", label = "Active" },
  { value = "completed", label = "Completed" },
}

-- What stands in the place of the list when the filter shows nothing.
local empty = { all = "Nothing to do.", active = "Nothing left to do.", completed = "Nothing completed yet." }

local function shown(state) return list.filter(state.todos, shows[state.filter]) end

local function sortSoon() return effect.send("sortCompletedTodos"):debounce("completion", 1):animation("default") end

-- The todo in the given row on the screen, which is not its place in the list when a filter hides
-- some.
local function row(rows, index)
  return rows[index] or error(("there is no row %s, %d are shown"):format(index, #rows))
end

local Todos = scripted.feature {
  name = "Todos",
  state = { filter = "all", isEditing = false, nextId = 1, todos = scripted.array {} },
  dependencies = { "clock" },
  binding = true,                                        -- the filter, and whether the list is edited
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

    ["todos[*].toggle"] = sortSoon,
    ["todos[*].binding.isComplete"] = sortSoon,
  },

  -- Counts and the rows of the filter remember what they found, so one todo costs the same in a list of any length.
  view = function(state)
    local filter, isEditing = state.filter, state.isEditing
    return ui.screen {
      title = "Todos",
      ui.picker { label = "Filter", labelHidden = true, bind = "filter", style = "segmented", options = filters },
      not list.any(state.todos, shows[filter]) and ui.text { empty[filter], tone = "secondary" },
      ui.list {
        onDelete = "delete", onMove = isEditing and "move" or nil,
        ui.forEach("todos", { where = shows[filter], env = { isEditing = isEditing } }),
      },
      ui.toolbar {
        ui.button { "Add todo", action = "addTodoButtonTapped", shortcut = "mod+n", role = "primary" },
        ui.button { isEditing and "Done" or "Edit", action = { "binding.isEditing", not isEditing } },
        ui.button {
          "Clear completed", action = "clearCompletedButtonTapped", animation = "default",
          disabled = not list.any(state.todos, shows.completed),
        },
        ui.text { ("%d left"):format(list.count(state.todos, shows.active)), announce = true, tone = "secondary" },
      },
    }
  end,
}

return Todos:forEach("todos", Todo)
