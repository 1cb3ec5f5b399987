-- 100,000 rows in a database.
local scripted = require "scripted"

local Row = scripted.feature {
  name = "Row",
  state = { id = 0, title = "", isComplete = false },
  on = { toggle = function(state) state.isComplete = not state.isComplete end },
}

return scripted.feature {
  name = "Rows",
  state = {},
  shared = { rows = scripted.shared.database("rows", scripted.array {}) },
  on = {
    fill = function(state)
      local rows = {}
      for id = 1, 100000 do rows[id] = { id = id, title = "Row " .. id, isComplete = false } end
      state.rows = rows
    end,
  },
}:forEach("rows", Row)
