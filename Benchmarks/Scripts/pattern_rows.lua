-- A feature with so many patterns on its rows, of which `rows[150].step.toggled` is one.
local scripted = require "scripted"

local Row = scripted.feature { name = "Row", actions = { "step" }, on = {} }

local function count(state) state.count = state.count + 1 end

return function(number)
  local on = { ["rows[150].step.toggled"] = count, ["rows[*].step.renamed"] = count }
  for id = 1, number // 2 - 1 do
    on["rows[" .. id .. "].step.toggled"] = count
    on["rows[*].step.renamed" .. id] = count
  end
  local rows = {}
  for id = 1, 200 do rows[id] = { id = id } end
  return scripted.feature { name = "Rows", state = { count = 0, rows = rows }, on = on }:forEach("rows", Row)
end
