-- A value that two features share in memory, after the case study of The Composable Architecture: one tab
-- counts, the other one shows the statistics and resets them. Neither feature requires the other, and no
-- code copies the statistics from one to the other.
--
-- Try `runner dev case_studies.shared_state.in_memory`: `counter.incrementButtonTapped` changes the state of both
-- tabs at once, and `profile.resetStatsButtonTapped` takes both back.
local scripted = require "scripted"
local ui = require "scripted.ui"
local prime = require "case_studies.shared_state.prime"
local Stats = require "case_studies.shared_state.stats"

-- The value lives as long as the host. It has a name, and the default that it begins with.
local stats = scripted.shared.inMemory("stats", Stats.initial)

-- A shared field is no part of `state`. Handlers read and write it as any other.
local CounterTab = scripted.feature {
  name = "CounterTab",
  state = {},                                                  -- alert: table?
  shared = { stats = stats },
  on = {
    decrementButtonTapped = function(state) Stats.count(state.stats, -1) end,
    incrementButtonTapped = function(state) Stats.count(state.stats, 1) end,
    isPrimeButtonTapped = function(state) state.alert = prime.alert(state.stats.count) end,
  },
  view = function(state)
    return ui.column {
      alert = "alert",
      ui.row {
        ui.button { "−", label = "Decrement", action = "decrementButtonTapped" },
        ui.number { label = "Count", value = state.stats.count },
        ui.button { "+", label = "Increment", action = "incrementButtonTapped" },
      },
      ui.button { "Is this prime?", action = "isPrimeButtonTapped" },
    }
  end,
}:ifLet("alert", scripted.ephemeral)

local ProfileTab = scripted.feature {
  name = "ProfileTab",
  state = {},
  shared = { stats = stats },
  on = {
    resetStatsButtonTapped = function(state) state.stats = Stats.initial end,
  },
  view = function(state)
    local all = state.stats
    return ui.column {
      ui.number { label = "Count", value = all.count },
      ui.number { label = "Largest count", value = all.maxCount },
      ui.number { label = "Smallest count", value = all.minCount },
      ui.number { label = "Number of counts", value = all.numberOfCounts },
      ui.button { "Reset", action = "resetStatsButtonTapped", role = "destructive" },
    }
  end,
}

return scripted.feature {
  name = "InMemory",
  state = { currentTab = "counter", counter = CounterTab.initial(), profile = ProfileTab.initial() },
  binding = true,                                              -- the current tab
  on = {
    -- { tab = "counter" or "profile" }
    selectTab = function(state, action) state.currentTab = action.tab end,
  },
  view = function()
    return ui.screen {
      title = "Shared in memory",
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
