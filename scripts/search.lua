-- Finds places by name and shows their weather, after the Search example of The Composable Architecture:
-- a request starts when the typing pauses, and one that is out of date is cancelled.
local scripted = require "scripted"
local ui = require "scripted.ui"
require "weather_client"

local effect, list = scripted.effect, scripted.list

-- Where a place is: `Brooklyn, New York, United States`. What is not known is left out.
local function title(place)
  local parts = { place.name }
  for _, part in ipairs { place.admin1 or "", place.country or "" } do
    if part ~= "" then parts[#parts + 1] = part end
  end
  return table.concat(parts, ", ")
end

local function temperatures(day)
  return ("%s%s to %s%s"):format(day.temperatureMin, day.temperatureMinUnit, day.temperatureMax, day.temperatureMaxUnit)
end

local function forecast(days)
  return ui.forEach(days, { id = "date" }, function(day)
    return ui.row { ui.date { value = day.date }, ui.text { temperatures(day), tone = "secondary" } }
  end)
end

return scripted.feature {
  name = "Search",
  state = {
    searchQuery = "",
    results = scripted.array {},       -- { { id, name, country, admin1?, latitude, longitude }, … }
    -- nothingFound: true where the answer was empty
    -- forecastRequestInFlight: the id of the result that was tapped
    -- weather: { id, days = { { date, temperatureMax, temperatureMaxUnit, temperatureMin, … }, … } }
  },
  dependencies = { "weatherClient" },
  on = {
    -- { value = string }
    searchQueryChanged = function(state, action)
      local query = action.value
      state.searchQuery, state.nothingFound = query, nil
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
      state.nothingFound = #state.results == 0 or nil
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

  -- Of the state, rows need two ids, which are read before them: a row runs again if one of them changes, and only the
  -- row that shows the weather reads it.
  view = function(state)
    local requestedId, weatherId = state.forecastRequestInFlight, state.weather and state.weather.id
    return ui.screen {
      title = "Search",
      ui.textField {
        label = "Place", style = "search", prompt = "New York, San Francisco, …",
        value = state.searchQuery, onChange = "searchQueryChanged",
      },
      state.searchQuery == "" and ui.text { "Type the name of a place to see its weather.", tone = "secondary" },
      state.nothingFound and ui.text { "No places found.", tone = "secondary", announce = true },
      ui.list {
        ui.forEach(state.results, function(place)
          return ui.column {
            ui.row {
              ui.button { title(place), action = { "searchResultTapped", { id = place.id } }, style = "plain" },
              place.id == requestedId and ui.progress { label = "Loading", style = "spinner" },
            },
            place.id == weatherId and forecast(state.weather.days),
          }
        end),
      },
      ui.link { "Weather data by Open-Meteo.com", href = "https://open-meteo.com" },
    }
  end,
}
