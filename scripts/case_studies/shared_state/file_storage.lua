-- A value in a file of its own, after the case study of The Composable Architecture: the statistics of
-- `in_memory`, which go on at the next start. Their shape has changed once, so they have a version.
--
-- Try `runner dev --shared DIR case_studies.shared_state.file_storage` with `{ "count": 7 }` in `DIR/stats.json`,
-- which is what version 1 wrote: the statistics are there at once, and the old text is kept as `stats.json.v1`. Then
-- write nonsense into the file and start again: `profile.file.loadError` says line and column, and what you
-- wrote is kept beside the file before that is written.
local scripted = require "scripted"
local ui = require "scripted.ui"
local Stats = require "case_studies.shared_state.stats"

local stats = scripted.shared.fileStorage("stats.json", Stats.initial, { version = 2, migrate = Stats.migrate })

local CounterTab = scripted.feature {
  name = "CounterTab",
  state = {},
  shared = { stats = stats },
  on = {
    decrementButtonTapped = function(state) Stats.count(state.stats, -1) end,
    incrementButtonTapped = function(state) Stats.count(state.stats, 1) end,
  },
  view = function(state)
    return ui.row {
      ui.button { "−", label = "Decrement", action = "decrementButtonTapped" },
      ui.number { label = "Count", value = state.stats.count },
      ui.button { "+", label = "Increment", action = "incrementButtonTapped" },
    }
  end,
}

-- The status is `{ isLoading, loadError?, saveError? }`. Where a feature shows it, errors are no warnings.
local ProfileTab = scripted.feature {
  name = "ProfileTab",
  state = {},
  shared = { stats = stats, file = stats:status() },
  on = {
    resetStatsButtonTapped = function(state) state.stats = Stats.initial end,
  },
  view = function(state)
    local all, problem = state.stats, state.file.loadError or state.file.saveError
    return ui.column {
      ui.number { label = "Count", value = all.count },
      ui.number { label = "Largest count", value = all.maxCount },
      ui.number { label = "Smallest count", value = all.minCount },
      ui.number { label = "Number of counts", value = all.numberOfCounts },
      ui.button { "Reset", action = "resetStatsButtonTapped", role = "destructive" },
      problem and ui.text { problem.message, tone = "warning", announce = true },
    }
  end,
}

return scripted.feature {
  name = "FileStorage",
  state = { currentTab = "counter", counter = CounterTab.initial(), profile = ProfileTab.initial() },
  binding = true,                                              -- the current tab
  on = {
    -- { tab = "counter" or "profile" }
    selectTab = function(state, action) state.currentTab = action.tab end,
  },
  view = function()
    return ui.screen {
      title = "Stored in a file",
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
