local scripted = require "scripted"

-- A store of 4 KB whose actions change one field of it.
return scripted.feature {
  name = "Text",
  state = { text = "", count = 0 },
  on = {
    fill = function(state) state.text = ("x"):rep(4096) end,
    grow = function(state) state.count = state.count + 1 end,
  },
}
