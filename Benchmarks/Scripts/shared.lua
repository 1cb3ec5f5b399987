-- A value of one's own beside shared ones, in memory and in a file.
local scripted = require "scripted"
local shared = scripted.shared

local function read(field)
  return function(state)
    local sum = 0
    for _ = 1, 100 do sum = sum + state[field] end
    return nil
  end
end

return scripted.feature {
  name = "Shared",
  state = { own = 0 },
  shared = { value = shared.inMemory("value", 0), stored = shared.fileStorage("stored.json", 0, { interval = 60 }) },
  on = {
    own = function(state) state.own = state.own + 1 end,
    value = function(state) state.value = state.value + 1 end,
    stored = function(state) state.stored = state.stored + 1 end,
    readOwn = read("own"),
    readValue = read("value"),
  },
}
