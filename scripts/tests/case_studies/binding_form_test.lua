local test = require "scripted.test"
local BindingForm = require "case_studies.binding_form"

describe("A binding form", function()
  it("writes what each control says, and resets it", function()
    local store = test.store(BindingForm)

    store:send("binding.sliderValue", 2, function(state) state.sliderValue = 2 end)
    store:send("binding.stepCount", 1, function(state)
      state.sliderValue = 1
      state.stepCount = 1
    end)
    store:send("binding.text", "Blob", function(state) state.text = "Blob" end)
    store:send("binding.isToggleOn", true, function(state) state.isToggleOn = true end)
    store:send("resetButtonTapped", function(state)
      state.sliderValue, state.stepCount, state.text, state.isToggleOn = 5, 10, "", false
    end)
  end)

  it("leaves a slider alone that is within its steps", function()
    local store = test.store(BindingForm)

    store:send("binding.stepCount", 6, function(state) state.stepCount = 6 end)
  end)

  it("tells of a control for which there is no key", function()
    local store = test.store(BindingForm)

    test.expectWarning("neither the state nor its defaults have", function()
      store:send("binding.stepCuont", 3, function(state) state.stepCuont = 3 end)
    end)
  end)
end)
