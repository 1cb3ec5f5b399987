-- A value that the script's own functions load and save, as TCA's custom `SharedKey`: the settings of an account,
-- which a service stores. Any number of features may show it; the service is asked once.
--
-- Try it with `--dependency account=@scripts/examples/stubs/account.lua` behind `runner dev
-- case_studies.shared_state.custom`: send `bigger`, then `:shared`, then `refreshButtonTapped`.
local scripted = require "scripted"
local ui = require "scripted.ui"

local effect, shared = scripted.effect, scripted.shared

scripted.dependency {
  name = "account",
  live = {
    loadSettings = function() error("no account is connected; give one with --dependency account=…") end,
    saveSettings = function() error("no account is connected; give one with --dependency account=…") end,
  },
}

local settings = shared.custom {
  name = "settings",
  default = { size = 12 },
  dependencies = { "account" },
  -- Each runs as an effect, so it may wait. What it raises is shown by `status()`.
  load = function(deps) return deps.account.loadSettings() end,
  save = function(value, deps) deps.account.saveSettings(value) end,
}

return scripted.feature {
  name = "Custom",
  state = {},                                                  -- problem: string?
  shared = { settings = settings, status = settings:status() },
  on = {
    bigger = function(state) state.settings.size = state.settings.size + 1 end,

    refreshButtonTapped = function()
      return effect.run(function(send)
        send("didRefresh", { result = effect.result(function() settings:load() end) })
      end)
    end,
    didRefresh = function(state, action)
      state.problem = action.result.failure and action.result.failure.message
    end,
  },
  view = function(state)
    local status = state.status
    local failure = status.loadError or status.saveError
    local problem = state.problem or failure and failure.message
    return ui.screen {
      title = "Settings of an account",
      status.isLoading and ui.progress { label = "Loading", style = "spinner" },
      ui.row {
        ui.number { label = "Size", value = state.settings.size },
        ui.button { "Bigger", action = "bigger" },
        ui.button { "Refresh", action = "refreshButtonTapped" },
      },
      problem and ui.text { problem, tone = "danger", announce = true },
    }
  end,
}
