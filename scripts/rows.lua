-- The table of js-framework-benchmark (https://github.com/krausest/js-framework-benchmark): what is done to many rows
-- at once, or to one of many. Labels are chosen by `random`, so a seed gives the same ones each time.
local scripted = require "scripted"
local ui = require "scripted.ui"

local list = scripted.list

local adjectives = {
  "pretty", "large", "big", "small", "tall", "short", "long", "handsome", "plain", "quaint", "clean", "elegant", "easy",
  "angry", "crazy", "helpful", "mushy", "odd", "unsightly", "adorable", "important", "inexpensive", "cheap",
  "expensive", "fancy",
}
local colours = {
  "red", "yellow", "blue", "green", "pink", "brown", "purple", "brown", "white", "black", "orange",
}
local nouns = {
  "table", "chair", "house", "bbq", "desk", "car", "pony", "cookie", "sandwich", "burger", "pizza", "mouse", "keyboard",
}

local function label(random)
  local function any(words) return words[random.integer(1, #words)] end
  return ("%s %s %s"):format(any(adjectives), any(colours), any(nouns))
end

-- Takes the next ids for as many new rows.
local function newRows(state, count, random)
  local rows = {}
  for index = 1, count do rows[index] = { id = state.nextId + index - 1, label = label(random) } end
  state.nextId = state.nextId + count
  return rows
end

-- What its buttons do is the business of the one that has the list, which also shows the row that is selected.
local Row = scripted.feature {
  name = "Row",
  state = { id = 0, label = "" },
  actions = { "labelTapped", "removeButtonTapped" },
  view = function(state)
    return ui.row {
      ui.text { state.id, tone = "secondary" },
      ui.button { state.label, action = "labelTapped", style = "plain" },
      ui.spacer(),
      ui.button { "Remove", action = "removeButtonTapped", role = "destructive" },
    }
  end,
}

local Rows = scripted.feature {
  name = "Rows",
  state = {
    nextId = 1,
    rows = scripted.array {},
    selected = 0,                                              -- the id of a row, or 0
  },
  dependencies = { "random" },
  binding = true,                                              -- the selection
  on = {
    -- { count = number }: in the place of those that are there
    createButtonTapped = function(state, action, deps)
      state.rows, state.selected = newRows(state, action.count, deps.random), 0
    end,

    -- { count = number }
    appendButtonTapped = function(state, action, deps)
      for _, row in ipairs(newRows(state, action.count, deps.random)) do table.insert(state.rows, row) end
    end,

    updateButtonTapped = function(state)
      for index = 1, #state.rows, 10 do
        local row = state.rows[index]
        row.label = row.label .. " !!!"
      end
    end,

    swapButtonTapped = function(state)
      local rows = state.rows
      if #rows >= 999 then rows[2], rows[999] = rows[999], rows[2] end
    end,

    clearButtonTapped = function(state) state.rows, state.selected = scripted.array {}, 0 end,

    ["rows[*].labelTapped"] = function(state, _, _, ids) state.selected = ids[1] end,

    ["rows[*].removeButtonTapped"] = function(state, _, _, ids)
      list.remove(state.rows, ids[1])
      if state.selected == ids[1] then state.selected = 0 end
    end,
  },

  -- This view has read nothing of the rows. So what happens to a row runs its view alone, and of many rows those are
  -- evaluated that can be seen.
  view = function()
    return ui.screen {
      title = "Rows",
      ui.toolbar {
        ui.button { "Create 1,000 rows", action = { "createButtonTapped", { count = 1000 } }, role = "primary" },
        ui.button { "Create 10,000 rows", action = { "createButtonTapped", { count = 10000 } } },
        ui.button { "Append 1,000 rows", action = { "appendButtonTapped", { count = 1000 } } },
        ui.button { "Update every 10th row", action = "updateButtonTapped" },
        ui.button { "Swap rows", action = "swapButtonTapped" },
        ui.button { "Clear", action = "clearButtonTapped", role = "destructive" },
      },
      ui.list { selection = "selected", ui.forEach "rows" },
    }
  end,
}

return Rows:forEach("rows", Row)
