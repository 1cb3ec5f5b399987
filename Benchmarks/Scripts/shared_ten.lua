-- Ten shared values that the counter leaves alone.
local scripted = require "scripted"
local keys = {}
for i = 1, 10 do keys["value" .. i] = scripted.shared.inMemory("value" .. i, 0) end

return scripted.feature {
  name = "SharedTen",
  state = { count = 0 },
  shared = keys,
  on = { increment = function(state) state.count = state.count + 1 end },
}
