-- A fight with one monster. Both throw a die; a weapon adds to yours.
local scripted = require "scripted"

local effect = scripted.effect

return scripted.feature {
  name = "Fight",
  dependencies = { "random" },
  state = { monster = "", strength = 0 },
  actions = { "delegate.wounded", "delegate.slain", "delegate.missed" },
  on = {
    ---@param action { bonus: integer }
    strike = function(state, action, deps)
      local yours = deps.random.integer(1, 6) + action.bonus
      local theirs = deps.random.integer(1, 6)
      if yours <= theirs then return effect.send("delegate.wounded", { damage = theirs - yours + 1 }) end
      state.strength = state.strength - (yours - theirs)
      return effect.send(state.strength <= 0 and "delegate.slain" or "delegate.missed")
    end,
  },
}
