-- A small value that outlives the application, after the case study of The Composable Architecture: the tabs of
-- `in_memory`, whose count is stored in `app-storage.json`, together with all other values of this kind.
--
-- Try `runner dev --shared DIR case_studies.shared_state.app_storage`: count, leave with `:quit`, and start it
-- again. It goes on where it was, and `DIR/app-storage.json` is a file for people.
local scripted = require "scripted"
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
}:ifLet("alert", scripted.ephemeral)

local ProfileTab = scripted.feature {
  name = "ProfileTab",
  state = {},
  shared = { count = count },
  on = {
    resetButtonTapped = function(state) state.count = 0 end,
  },
}

return scripted.feature {
  name = "AppStorage",
  state = { currentTab = "counter", counter = CounterTab.initial(), profile = ProfileTab.initial() },
  on = {
    -- { tab = "counter" or "profile" }
    selectTab = function(state, action) state.currentTab = action.tab end,
  },
}
  :scope("counter", CounterTab)
  :scope("profile", ProfileTab)
