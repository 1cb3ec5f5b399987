-- Makes a feature that counts an own value and a shared one, of which each name is another.
local scripted = require "scripted"

return function(name)
  return scripted.feature {
    name = "Counting",
    state = { own = 0 },
    shared = { value = scripted.shared.inMemory(name, 0) },
    on = {
      own = function(state) state.own = state.own + 1 end,
      value = function(state) state.value = state.value + 1 end,
    },
  }
end
