-- A small value that outlives the application, after the case study of The Composable Architecture: the tabs of
-- `in_memory`, whose count is stored in `app-storage.json`, together with all other values of this kind.
--
-- Try `runner dev --shared DIR case_studies.shared_state.app_storage`: count, leave with `:quit`, and start it
-- again. It goes on where it was, and `DIR/app-storage.json` is a file for people.
local scripted = require "scripted"
local ui = require "scripted.ui"
local prime = require "case_studies.shared_state.prime"

local count = scripted.shared.appStorage("count", 0)

local CounterTab = scripted.feature {
  name = "CounterTab",
  state = {},                                                  -- alert: table?
  shared = { count = count },
  on = {
    decrementButtonTapped = function(state) state.count = state.count - 1 end,
    incrementButtonTapped = function(state) state.count = state.count + 1 end,
    isPrimeButtonTapped = function(state) state.alert = prime.alert(state.count) end,
  },
  view = function(state)
    return ui.column {
      alert = "alert",
      ui.row {
        ui.button { "−", label = "Decrement", action = "decrementButtonTapped" },
        ui.number { label = "Count", value = state.count },
        ui.button { "+", label = "Increment", action = "incrementButtonTapped" },
      },
      ui.button { "Is this prime?", action = "isPrimeButtonTapped" },
    }
  end,
}:ifLet("alert", scripted.ephemeral)

local ProfileTab = scripted.feature {
  name = "ProfileTab",
  state = {},
  shared = { count = count },
  on = {
    resetButtonTapped = function(state) state.count = 0 end,
  },
  view = function(state)
    return ui.column {
      ui.number { label = "Count", value = state.count },
      ui.button { "Reset", action = "resetButtonTapped", role = "destructive", disabled = state.count == 0 },
    }
  end,
}

return scripted.feature {
  name = "AppStorage",
  state = { currentTab = "counter", counter = CounterTab.initial(), profile = ProfileTab.initial() },
  binding = true,                                              -- the current tab
  on = {
    -- { tab = "counter" or "profile" }
    selectTab = function(state, action) state.currentTab = action.tab end,
  },
  view = function()
    return ui.screen {
      title = "Stored with the application",
      ui.tabs {
        bind = "currentTab",
        ui.column { label = "Counter", name = "counter", ui.child "counter" },
        ui.column { label = "Profile", name = "profile", ui.child "profile" },
      },
    }
  end,
}
  :scope("counter", CounterTab)
  :scope("profile", ProfileTab)
