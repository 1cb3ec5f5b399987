-- A form, after the case study of The Composable Architecture: the controls of `binding_basics`, with one
-- action for all of them. What a key needs beyond being written has a handler under its name.
local scripted = require "scripted"
local ui = require "scripted.ui"

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

  -- Each control names the field that it shows and writes.
  view = function(state)
    local isOff = state.isToggleOn
    return ui.screen {
      title = "Form",
      ui.form {
        ui.textField { label = "Text", prompt = "Type here", bind = "text", disabled = isOff },
        ui.toggle { label = "Disable other controls", bind = "isToggleOn" },
        ui.stepper {
          label = "Largest value of the slider", bind = "stepCount", min = 0, max = 100, disabled = isOff,
        },
        ui.slider { label = "Slider", bind = "sliderValue", min = 0, max = state.stepCount, disabled = isOff },
        ui.button { "Reset", action = "resetButtonTapped", role = "destructive" },
      },
    }
  end,
}
