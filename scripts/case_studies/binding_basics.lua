-- Controls that write what they show, after the case study of The Composable Architecture. A control does
-- not write the state: it sends an action, so that one place says how the state changes.
-- `binding_form` does the same with less to write.
local scripted = require "scripted"
local ui = require "scripted.ui"

-- `Hello` as `hElLo`.
local function alternating(text)
  local index = 0
  return (text:gsub(utf8.charpattern, function(character)
    index = index + 1
    return index % 2 == 0 and character:upper() or character:lower()
  end))
end

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

  -- A control adds `value` to the payload of its action. What else the action needs is said with it.
  view = function(state)
    local isOff = state.isToggleOn
    return ui.screen {
      title = "Bindings",
      ui.row {
        ui.textField {
          label = "Text", prompt = "Type here", value = state.text, onChange = "textChanged", disabled = isOff,
        },
        ui.text { alternating(state.text), tone = "secondary" },
      },
      ui.toggle {
        label = "Disable other controls", value = isOff, onChange = { "toggleChanged", { isOn = not isOff } },
      },
      ui.stepper {
        label = "Largest value of the slider", value = state.stepCount, onChange = "stepCountChanged",
        min = 0, max = 100, disabled = isOff,
      },
      ui.slider {
        label = "Slider", value = state.sliderValue, onChange = "sliderValueChanged",
        min = 0, max = state.stepCount, disabled = isOff,
      },
    }
  end,
}
