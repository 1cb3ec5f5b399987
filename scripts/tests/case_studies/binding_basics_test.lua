local test = require "scripted.test"
local BindingBasics = require "case_studies.binding_basics"

describe("Binding basics", function()
  it("writes what each control says", function()
    local store = test.store(BindingBasics)

    store:send("sliderValueChanged", 2.5, function(state) state.sliderValue = 2.5 end)
    store:send("stepCountChanged", 20, function(state) state.stepCount = 20 end)
    store:send("textChanged", "Blob", function(state) state.text = "Blob" end)
    store:send("toggleChanged", { isOn = true }, function(state) state.isToggleOn = true end)
    store:send("toggleChanged", { isOn = false }, function(state) state.isToggleOn = false end)
  end)

  it("keeps the slider within its steps", function()
    local store = test.store(BindingBasics)

    store:send("stepCountChanged", 1, function(state)
      state.sliderValue = 1
      state.stepCount = 1
    end)
  end)
end)
