local scripted = require "scripted"
local effect = scripted.effect

-- What the recordings in the corpus are of.
local Page = scripted.feature {
  name = "Page",
  state = { n = 0 },
  on = { up = function(state) state.n = state.n + 1 end },
}

return scripted.feature {
  name = "Recorded",
  state = { count = 0, rolls = {}, path = {} },
  dependencies = { "clock", "random", "date", "uuid" },
  on = {
    up = function(state, action) state.count = state.count + (action.by or 1) end,
    roll = function(state, _, deps)
      table.insert(state.rolls, { at = deps.date.now(), id = deps.uuid(), n = deps.random.integer(1, 6) })
    end,
    fail = function(state) state.count = 0 error("out of order") end,
    later = function()
      return effect.run(function(send, deps)
        deps.clock.sleep(1)
        send("up", { by = deps.random.integer(1, 6) })
      end):cancellable("later")
    end,
    never = function()
      return effect.run(function(_, deps) deps.clock.sleep(1e6) end)
    end,
    push = function(_, action) return effect.send("path.push", { state = { n = action.n } }) end,
  },
}:stack("path", Page)
