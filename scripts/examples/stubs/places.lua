-- For `--dependency weatherClient.search=@scripts/examples/stubs/places.lua`: answers after a second.
local deps = ...

local places = {
  { id = 1, name = "San Francisco", country = "United States", latitude = 37.77, longitude = -122.42 },
  { id = 2, name = "San Fernando", country = "Spain", latitude = 36.46, longitude = -6.2 },
}

return function(query)
  deps.clock.sleep(1)
  local found = {}
  for _, place in ipairs(places) do
    if place.name:find(query, 1, true) == 1 then found[#found + 1] = place end
  end
  if #found == 0 then error("nothing is called " .. query, 0) end
  return found
end
