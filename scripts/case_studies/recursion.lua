-- A feature that holds itself, after the case study of The Composable Architecture: rows which have names
-- and rows of their own, as deep as one likes.
local scripted = require "scripted"
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

    -- { indices = { index, … } }
    deleteRows = function(state, action) list.removeAt(state.rows, action.indices) end,
  },
}
  -- `Nested` has no value before this line is over, hence a function, which is called on first use.
  :forEach("rows", function() return Nested end)

return Nested
