-- One of several screens at a time, after the case study of The Composable Architecture. A single key says
-- which it is, so that no two can be shown, and going from one to another takes one assignment.
local scripted = require "scripted"
local ui = require "scripted.ui"
local Counter = require "counter"

return scripted.feature {
  name = "MultipleDestinations",
  state = {},                                                  -- destination: { <case> = Counter }?
  on = {
    showDrillDown = function(state) state.destination = { drillDown = Counter.initial() } end,
    showPopover = function(state) state.destination = { popover = Counter.initial() } end,
    showSheet = function(state) state.destination = { sheet = Counter.initial() } end,
  },
  -- One property for each way to present: whichever case is there is shown by its own.
  view = function()
    return ui.screen {
      title = "Multiple destinations",
      cover = "destination.drillDown", popover = "destination.popover", sheet = "destination.sheet",
      ui.button { "Show drill-down", action = "showDrillDown" },
      ui.button { "Show popover", action = "showPopover" },
      ui.button { "Show sheet", action = "showSheet" },
    }
  end,
}:ifLet("destination", scripted.cases { drillDown = Counter, popover = Counter, sheet = Counter })
