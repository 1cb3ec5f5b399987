-- Controls that write what they show, after the case study of The Composable Architecture. A control does
-- not write the state: it sends an action, so that one place says how the state changes.
-- `binding_form` does the same with less to write.
local scripted = require "scripted"

return scripted.feature {
  name = "BindingBasics",
  state = { sliderValue = 5.0, stepCount = 10, text = "", isToggleOn = false },
  on = {
    -- { value = number }
    sliderValueChanged = function(state, action) state.sliderValue = action.value end,

    -- { value = integer }: also the largest value that the slider goes to
    stepCountChanged = function(state, action)
      state.stepCount = action.value
      state.sliderValue = math.min(state.sliderValue, action.value)
    end,

    -- { value = string }
    textChanged = function(state, action) state.text = action.value end,

    -- { isOn = boolean }
    toggleChanged = function(state, action) state.isToggleOn = action.isOn end,
  },
}
