-- What the rows about effects measure. `state.count` tells whether it happened.
local scripted = require "scripted"
local effect = scripted.effect

local Element = scripted.feature {
  name = "Element",
  dependencies = { "clock" },
  on = {
    sleep = function() return effect.run(function(_, deps) deps.clock.sleep(3600) end) end,
  },
}

local Effects = scripted.feature {
  name = "Effects",
  state = { count = 0, rows = scripted.array {} },
  dependencies = { "clock" },
  on = {
    increment = function(state) state.count = state.count + 1 end,

    -- Action, effect, second action.
    again = function() return effect.send("increment") end,

    run = function() return effect.run(function(send) send("increment") end) end,

    replace = function()
      return effect.run(function(_, deps) deps.clock.sleep(3600) end):cancellable("sleep", { cancelInFlight = true })
    end,

    sleep = function() return effect.run(function(_, deps) deps.clock.sleep(3600) end) end,

    remove = function(state, action) table.remove(state.rows, action.index) end,

    add = function(state, action) table.insert(state.rows, action.index, { id = action.id }) end,
  },
}

return Effects:forEach("rows", Element)
