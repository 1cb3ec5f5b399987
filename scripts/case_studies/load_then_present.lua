-- A sheet that is presented once its state has been loaded, after the case study of The Composable
-- Architecture. Until then the screen below shows that it waits.
local scripted = require "scripted"
local ui = require "scripted.ui"
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
  view = function(state)
    local isLoading = state.isActivityIndicatorVisible
    return ui.screen {
      title = "Load then present", sheet = "counter",
      ui.row {
        ui.button { "Load a counter", action = "counterButtonTapped", disabled = isLoading },
        isLoading and ui.progress { label = "Loading", style = "spinner" },
      },
    }
  end,
}:ifLet("counter", Counter)
