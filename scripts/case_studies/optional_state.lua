-- A child that comes and goes, after the case study of The Composable Architecture. Where there is no
-- counter its state is absent, and the host shows something else in its place.
local scripted = require "scripted"
local ui = require "scripted.ui"
local Counter = require "counter"

return scripted.feature {
  name = "OptionalState",
  state = {},                                                  -- optionalCounter: Counter?
  on = {
    -- What the counter has in flight goes with it, so nothing need be cancelled here.
    toggleCounterButtonTapped = function(state)
      state.optionalCounter = not state.optionalCounter and Counter.initial() or nil
    end,
  },
  view = function(state)
    local isAbsent = not state.optionalCounter
    return ui.screen {
      title = "Optional state",
      ui.button { "Toggle counter", action = "toggleCounterButtonTapped" },
      isAbsent and ui.text { "There is no counter.", tone = "secondary" },
      ui.child "optionalCounter",
    }
  end,
}:ifLet("optionalCounter", Counter)
