-- For `--dependency weatherClient.forecast=@scripts/examples/stubs/forecast.lua`: answers after a second.
local deps = ...

return function(place)
  deps.clock.sleep(1)
  local warmest = 30 - place.latitude // 4
  return {
    {
      date = "2030-06-01",
      temperatureMax = warmest, temperatureMaxUnit = "°C",
      temperatureMin = warmest - 8, temperatureMinUnit = "°C",
    },
  }
end
