-- Rows on a screen, with the operations of the js-framework-benchmark that change a few of many. `wholeList` shows all
-- rows, else a window of them.
local scripted = require "scripted"
local ui = require "scripted.ui"
local Row = require "view_row"

local list = scripted.list

return function(wholeList)
  return scripted.feature {
    name = "Rows",
    binding = true,
    state = { rows = {}, selected = 0 },
    on = {
      select = function(state, action) state.selected = action.value end,
      swap = function(state, action)
        local first, last = state.rows[2], state.rows[action.value]
        state.rows[2], state.rows[action.value] = last, first
      end,
      remove = function(state) table.remove(state.rows, 4) end,
      insert = function(state, action)
        list.insert(state.rows, { id = action.value, title = "new", isComplete = false }, 1)
      end,
    },
    view = function()
      return ui.screen {
        title = "Rows",
        ui.list { selection = "selected", window = not wholeList, ui.forEach "rows" },
      }
    end,
  }:forEach("rows", Row)
end
