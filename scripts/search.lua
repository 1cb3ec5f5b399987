-- Finds places by name and shows their weather, after the Search example of The Composable Architecture:
-- a request starts when the typing pauses, and one that is out of date is cancelled.
local scripted = require "scripted"
require "weather_client"

local effect, list = scripted.effect, scripted.list

return scripted.feature {
  name = "Search",
  state = {
    searchQuery = "",
    results = scripted.array {},       -- { { id, name, country, admin1?, latitude, longitude }, … }
    -- forecastRequestInFlight: the id of the result that was tapped
    -- weather: { id, days = { { date, temperatureMax, temperatureMaxUnit, temperatureMin, … }, … } }
  },
  dependencies = { "weatherClient" },
  on = {
    -- { value = string }
    searchQueryChanged = function(state, action)
      local query = action.value
      state.searchQuery = query
      if query == "" then
        state.results = scripted.array {}
        state.weather, state.forecastRequestInFlight = nil, nil
        return effect.merge(effect.cancel("search"), effect.cancel("forecast"))
      end

      return effect.run(function(send, deps)
        send("searchResponse", { result = effect.result(deps.weatherClient.search, query) })
      end):debounce("search", 0.3)
    end,

    ["searchResponse.result.success"] = function(state, action)
      state.results = action.result.success
    end,

    ["searchResponse.result.failure"] = function(state) state.results = scripted.array {} end,

    -- { id = number }
    searchResultTapped = function(state, action)
      local result = list.find(state.results, action.id)
      if not result then error("no result has the id " .. tostring(action.id)) end
      state.forecastRequestInFlight = result.id

      local place = scripted.snapshot(result)
      return effect.run(function(send, deps)
        send("forecastResponse", {
          id = place.id, result = effect.result(deps.weatherClient.forecast, place),
        })
      end):cancellable("forecast", { cancelInFlight = true })
    end,

    ["forecastResponse.result.success"] = function(state, action)
      state.weather = { id = action.id, days = action.result.success }
      state.forecastRequestInFlight = nil
    end,

    ["forecastResponse.result.failure"] = function(state)
      state.weather, state.forecastRequestInFlight = nil, nil
    end,
  },
}
