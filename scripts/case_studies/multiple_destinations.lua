-- One of several screens at a time, after the case study of The Composable Architecture. A single key says
-- which it is, so that no two can be shown, and going from one to another takes one assignment.
local scripted = require "scripted"
local Counter = require "counter"

return scripted.feature {
  name = "MultipleDestinations",
  state = {},                                                  -- destination: { <case> = Counter }?
  on = {
    showDrillDown = function(state) state.destination = { drillDown = Counter.initial() } end,
    showPopover = function(state) state.destination = { popover = Counter.initial() } end,
    showSheet = function(state) state.destination = { sheet = Counter.initial() } end,
  },
}:ifLet("destination", scripted.cases { drillDown = Counter, popover = Counter, sheet = Counter })
