-- Places by name and their weather, from Open-Meteo. Both functions wait for the answer, and raise if there
-- is none or it is not what was asked for.
local scripted = require "scripted"

local list = scripted.list

-- Where the two services are, by themselves so that a store may be given others.
scripted.dependency {
  name = "weatherService",
  live = {
    geocoding = "https://geocoding-api.open-meteo.com",
    forecast = "https://api.open-meteo.com",
  },
}

local client = {
  name = "weatherClient",

  live = function(deps)
    return {
      -- A list of { id, name, country?, admin1?, latitude, longitude }, the best match first.
      search = function(query)
        local found = deps.http.getJSON(deps.weatherService.geocoding .. "/v1/search", {
          query = { name = query },
        })
        return list.map(found.results or {}, function(place)    -- absent where nothing is found
          return {
            id = place.id, name = place.name, country = place.country, admin1 = place.admin1,
            latitude = place.latitude, longitude = place.longitude,
          }
        end)
      end,

      -- A list of days, { date, temperatureMax, temperatureMaxUnit, temperatureMin, temperatureMinUnit }.
      forecast = function(place)
        local forecast = deps.http.getJSON(deps.weatherService.forecast .. "/v1/forecast", {
          query = {
            latitude = place.latitude,
            longitude = place.longitude,
            daily = "temperature_2m_max,temperature_2m_min",
            timezone = "auto",
          },
        })
        local daily, units = forecast.daily, forecast.daily_units
        local days = {}
        for index, date in ipairs(daily.time) do
          days[index] = {
            date = date,
            temperatureMax = daily.temperature_2m_max[index],
            temperatureMaxUnit = units.temperature_2m_max,
            temperatureMin = daily.temperature_2m_min[index],
            temperatureMinUnit = units.temperature_2m_min,
          }
        end
        return days
      end,
    }
  end,

  preview = {
    search = function()
      return {
        { id = 1, name = "Brooklyn", country = "United States", latitude = 40.7, longitude = -73.9 },
        { id = 2, name = "Łódź", country = "Poland", latitude = 51.8, longitude = 19.5 },
      }
    end,
    forecast = function()
      return list.map({ { "2030-06-01", 24.5, 14.0 }, { "2030-06-02", 21.0, 12.5 } }, function(day)
        return {
          date = day[1],
          temperatureMax = day[2], temperatureMaxUnit = "°C",
          temperatureMin = day[3], temperatureMinUnit = "°C",
        }
      end)
    end,
  },
}

scripted.dependency(client)

-- Tests call `live` with dependencies of their own.
return client
