-- A feature that holds itself, after the case study of The Composable Architecture: rows which have names
-- and rows of their own, as deep as one likes.
local scripted = require "scripted"
local ui = require "scripted.ui"

local list = scripted.list

local Nested

Nested = scripted.feature {
  name = "Nested",
  state = { id = "", name = "", rows = scripted.array {} },
  dependencies = { "uuid" },
  on = {
    addRowButtonTapped = function(state, _, deps)
      table.insert(state.rows, Nested.initial { id = deps.uuid() })
    end,

    -- { value = string }
    nameTextFieldChanged = function(state, action) state.name = action.value end,

    -- { rows = { index, … } } from the list on the screen, or { indices }
    deleteRows = function(state, action) list.removeAt(state.rows, action.rows or action.indices) end,
  },

  -- A row draws itself by this same view. What is in it can be folded.
  view = function(state)
    local count = #state.rows
    return ui.column {
      ui.row {
        ui.textField {
          label = "Name", labelHidden = true, prompt = "Untitled", grow = true,
          value = state.name, onChange = "nameTextFieldChanged",
        },
        ui.button { "Add row", action = "addRowButtonTapped" },
      },
      count > 0 and ui.disclosure {
        label = count == 1 and "1 row" or count .. " rows",
        ui.list { onDelete = "deleteRows", ui.forEach "rows" },
      },
    }
  end,
}
  -- `Nested` has no value before this line is over, hence a function, which is called on first use.
  :forEach("rows", function() return Nested end)

return Nested
