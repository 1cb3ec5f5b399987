local scripted = require "scripted"

-- The state has a text of 4 KB. The measured action changes the counter beside it.
return scripted.feature {
  name = "Text",
  state = { text = "", count = 0 },
  on = {
    fill = function(state) state.text = ("x"):rep(4096) end,
    grow = function(state) state.count = state.count + 1 end,
  },
}
