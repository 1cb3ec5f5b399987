-- Pull to refresh, after the case study of The Composable Architecture. A host shows that it refreshes
-- for as long as the task of the action runs: `await store.send("refresh").finish()`.
local scripted = require "scripted"
local ui = require "scripted.ui"
require "number_fact"

local effect = scripted.effect

return scripted.feature {
  name = "Refreshable",
  state = { count = 0 },                                       -- fact: string?
  dependencies = { "numberFact" },
  on = {
    incrementButtonTapped = function(state) state.count = state.count + 1 end,
    decrementButtonTapped = function(state) state.count = state.count - 1 end,
    cancelButtonTapped = function() return effect.cancel("factRequest") end,

    refresh = function(state)
      state.fact = nil
      local count = state.count
      return effect.run(function(send, deps)
        send("factResponse", { result = effect.result(deps.numberFact.fetch, count) })
      end):cancellable("factRequest", { cancelInFlight = true }):animation("default")
    end,

    -- A failure leaves no fact behind, which says enough here.
    factResponse = function(state, action) state.fact = action.result.success end,
  },
  view = function(state)
    return ui.screen {
      title = "Refreshable",
      ui.row {
        ui.button { "−", label = "Decrement", action = "decrementButtonTapped" },
        ui.number { label = "Count", value = state.count },
        ui.button { "+", label = "Increment", action = "incrementButtonTapped" },
      },
      ui.text {
        state.fact or "Refresh to see a fact about the number.", announce = true,
        tone = not state.fact and "secondary" or nil,
      },
      ui.toolbar {
        ui.button { "Refresh", action = "refresh", shortcut = "mod+r", role = "primary" },
        ui.button { "Cancel", action = "cancelButtonTapped", role = "cancel", shortcut = "escape" },
      },
    }
  end,
}
