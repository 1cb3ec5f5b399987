-- A child that comes and goes, after the case study of The Composable Architecture. Where there is no
-- counter its state is absent, and the host shows something else in its place.
local scripted = require "scripted"
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
}:ifLet("optionalCounter", Counter)
