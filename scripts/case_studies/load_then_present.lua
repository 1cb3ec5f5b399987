-- A sheet that is presented once its state has been loaded, after the case study of The Composable
-- Architecture. Until then the screen below shows that it waits.
local scripted = require "scripted"
local Counter = require "counter"

local effect = scripted.effect

return scripted.feature {
  name = "LoadThenPresent",
  state = { isActivityIndicatorVisible = false },              -- counter: Counter?
  dependencies = { "clock" },
  on = {
    counterButtonTapped = function(state)
      state.isActivityIndicatorVisible = true
      return effect.run(function(send, deps)
        deps.clock.sleep(1)
        send("counterLoaded")
      end):cancellable("load", { cancelInFlight = true })
    end,

    counterLoaded = function(state)
      state.isActivityIndicatorVisible = false
      state.counter = Counter.initial()
    end,
  },
}:ifLet("counter", Counter)
