-- A request that can be cancelled, after the case study of The Composable Architecture: by a button, and
-- by a change of the number that it asks about.
local scripted = require "scripted"
local ui = require "scripted.ui"
require "number_fact"

local effect = scripted.effect

return scripted.feature {
  name = "Cancellation",
  state = { count = 0, isFactRequestInFlight = false },        -- currentFact: string?
  dependencies = { "numberFact" },
  on = {
    cancelButtonTapped = function(state)
      state.isFactRequestInFlight = false
      return effect.cancel("factRequest")
    end,

    -- { value = number }
    stepperChanged = function(state, action)
      state.count = action.value
      state.currentFact = nil
      state.isFactRequestInFlight = false
      return effect.cancel("factRequest")
    end,

    factButtonTapped = function(state)
      state.currentFact = nil
      state.isFactRequestInFlight = true
      local count = state.count
      return effect.run(function(send, deps)
        send("factResponse", { result = effect.result(deps.numberFact.fetch, count) })
      end):cancellable("factRequest", { cancelInFlight = true })
    end,

    ["factResponse.result.success"] = function(state, action)
      state.isFactRequestInFlight = false
      state.currentFact = action.result.success
    end,

    ["factResponse.result.failure"] = function(state) state.isFactRequestInFlight = false end,
  },
  view = function(state)
    local isLoading = state.isFactRequestInFlight
    return ui.screen {
      title = "Cancellation",
      ui.stepper { label = "Number", value = state.count, onChange = "stepperChanged" },
      ui.row {
        ui.button { "Number fact", action = "factButtonTapped", role = "primary", disabled = isLoading },
        isLoading and ui.button { "Cancel", action = "cancelButtonTapped", role = "cancel", shortcut = "escape" },
        isLoading and ui.progress { label = "Loading", style = "spinner" },
      },
      state.currentFact and ui.text { state.currentFact, announce = true },
      ui.link { "Number facts by numbersapi.com", href = "http://numbersapi.com" },
    }
  end,
}
