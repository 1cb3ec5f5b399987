-- What limits cost scripts that behave, and how late one is stopped that does not.
local scripted = require "scripted"

return scripted.feature {
  name = "Bounded",
  state = { count = 0 },
  on = {
    increment = function(state) state.count = state.count + 1 end,
    add = function()
      local n = 0
      for _ = 1, 10000000 do n = n + 1 end
    end,
    spin = function()
      while true do pcall(function() while true do end end) end
    end,
  },
}
