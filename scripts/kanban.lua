-- A kanban board: cards go from list to list, by the mouse, a finger, or Alt and the arrows. A card is done only
-- after it was worked on, and what is done stays done.
local scripted = require "scripted"
local ui = require "scripted.ui"

local list = scripted.list

-- The lists of the board, and those whose cards each takes; its own as well, so that its order can be changed.
local columns = {
  { name = "todo", title = "To do", accepts = { "todo", "doing" } },
  { name = "doing", title = "Doing", accepts = { "todo", "doing" } },
  { name = "done", title = "Done", accepts = { "doing", "done" } },
}

local function card(state) return ui.text { state.title, label = state.title } end

local function column(state, which)
  local cards = state[which.name]
  return ui.column {
    spacing = "small",
    ui.heading { ("%s (%d)"):format(which.title, #cards), level = 2 },
    ui.list {
      label = which.title, name = which.name, style = "cards", accepts = which.accepts, onDrop = "drop",
      ui.forEach(cards, card),
    },
  }
end

return scripted.feature {
  name = "Kanban",
  binding = true,
  state = {
    title = "", nextId = 5,
    todo = { { id = 1, title = "Write the guide" }, { id = 2, title = "Draw the icons" } },
    doing = { { id = 3, title = "Drag a card" } },
    done = { { id = 4, title = "Make a list" } },
  },
  on = {
    addButtonTapped = function(state)
      if state.title == "" then return end
      list.insert(state.todo, { id = state.nextId, title = state.title })
      state.nextId = state.nextId + 1
      state.title = ""
    end,

    -- { id, from, to, index }: the card is number `index` of the list `to` afterwards.
    drop = function(state, action)
      local moved = list.remove(state[action.from], action.id)
      local cards = state[action.to]
      -- Somebody else may have made the list shorter since the card was picked up.
      if moved then list.insert(cards, moved, math.min(action.index, #cards + 1)) end
    end,
  },

  view = function(state, env)
    local board = env.width == "compact" and ui.column {} or ui.grid { columns = #columns }
    for i, which in ipairs(columns) do board[i] = column(state, which) end
    return ui.screen {
      title = "Board",
      board,
      ui.form {
        label = "New card", onSubmit = "addButtonTapped",
        ui.row {
          ui.textField { label = "New card", labelHidden = true, prompt = "What is to be done?", bind = "title",
            grow = true },
          ui.button { "Add", action = "addButtonTapped", disabled = state.title == "", role = "primary" },
        },
      },
    }
  end,
}
