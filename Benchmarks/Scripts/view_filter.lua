-- A filter and a count over many rows.
local scripted = require "scripted"
local ui = require "scripted.ui"

local shows = {
  all = function() return true end,
  active = function(row) return not row.isComplete end,
  completed = function(row) return row.isComplete end,
}

return scripted.feature {
  name = "Filtered",
  binding = true,
  state = { rows = {}, filter = "active" },
  view = function(state)
    return ui.screen {
      title = "Rows",
      ui.text(scripted.list.count(state.rows, shows.completed) .. " done"),
      ui.list { ui.forEach("rows", { where = shows[state.filter] }) },
    }
  end,
}:forEach("rows", require "view_row")
