-- A counter with facts, which can close itself without knowing where it is.
local scripted = require "scripted"
local ui = require "scripted.ui"
require "number_fact"

local effect = scripted.effect

return scripted.feature {
  name = "ScreenA",
  state = { count = 0, isLoading = false },                    -- fact: string?
  dependencies = { "numberFact" },
  on = {
    decrementButtonTapped = function(state) state.count = state.count - 1 end,
    incrementButtonTapped = function(state) state.count = state.count + 1 end,

    -- Asks whoever presents this to let go of it.
    dismissButtonTapped = function() return effect.dismiss() end,

    factButtonTapped = function(state)
      state.isLoading = true
      local count = state.count
      return effect.run(function(send, deps)
        send("factResponse", { result = effect.result(deps.numberFact.fetch, count) })
      end)
    end,

    -- No fact is there after a failure.
    factResponse = function(state, action)
      state.isLoading = false
      state.fact = action.result.success
    end,
  },
  view = function(state)
    local isLoading = state.isLoading
    return ui.screen {
      title = "Screen A",
      ui.row {
        ui.button { "−", label = "Decrement", action = "decrementButtonTapped" },
        ui.number { label = "Count", value = state.count },
        ui.button { "+", label = "Increment", action = "incrementButtonTapped" },
      },
      ui.row {
        ui.button { "Get fact", action = "factButtonTapped", disabled = isLoading },
        isLoading and ui.progress { label = "Loading", style = "spinner" },
      },
      state.fact and ui.text { state.fact, announce = true },
      ui.button { "Dismiss", action = "dismissButtonTapped" },
    }
  end,
}
