-- What `assert.matches_snapshot` compares with: written by the tests' runner, kept with the tests.
return {
  ["Search its screen finds places while one types [1]"] = "Search\n══════\n\nPlace: ⌕ (New York, San Francisco, …)_\nType the name of a place to see its weather.\n<Weather data by Open-Meteo.com>",
  ["Search its screen shows the weather of the place that is tapped [1]"] = "Search\n══════\n\nPlace: ⌕ Br______\n\n[ Brooklyn, United States ]\n[ Brno, Czechia ]\n2030-06-01 14.0°C to 24.5°C\n\n<Weather data by Open-Meteo.com>",
}
