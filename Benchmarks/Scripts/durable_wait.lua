local scripted = require "scripted"
local effect = scripted.effect

-- An effect is in flight for ever, so that the store is woken by a start after a crash.
return scripted.feature {
  name = "Wait",
  state = { count = 0 },
  dependencies = { "clock", "mark" },
  on = {
    start = function()
      return effect.run(function(_, deps) deps.clock.sleep(1e6) end)
    end,
    recovered = function()
      return effect.run(function(_, deps) deps.mark() end)
    end,
  },
}
