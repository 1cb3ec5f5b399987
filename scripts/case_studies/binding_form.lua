-- A form, after the case study of The Composable Architecture: the controls of `binding_basics`, with one
-- action for all of them. What a key needs beyond being written has a handler under its name.
local scripted = require "scripted"

local initial = { sliderValue = 5.0, stepCount = 10, text = "", isToggleOn = false }

return scripted.feature {
  name = "BindingForm",
  state = initial,
  binding = true,                                              -- writes what `binding` actions say …
  on = {
    -- … before this runs, which keeps the slider within its steps.
    ["binding.stepCount"] = function(state)
      state.sliderValue = math.min(state.sliderValue, state.stepCount)
    end,

    -- Assigning to `state` would change nothing but a name of this function.
    resetButtonTapped = function(state) scripted.replace(state, initial) end,
  },
}
