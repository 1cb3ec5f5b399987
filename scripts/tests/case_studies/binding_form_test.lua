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

  describe("its screen", function()
    it("binds each control to its field", function()
      local view = test.view(BindingForm)
      assert.matches_snapshot(view:text())

      view:find("textField", "Text"):type("Blob", function(state) state.text = "Blob" end)
      view:find("stepper", "Largest value of the slider"):set(3, function(state)
        state.stepCount, state.sliderValue = 3, 3
      end)
      view:find("toggle", "Disable other controls"):tap(function(state) state.isToggleOn = true end)
      assert.matches_snapshot(view:text())
      view:find("button", "Reset"):tap(function(state)
        state.sliderValue, state.stepCount, state.text, state.isToggleOn = 5, 10, "", false
      end)
    end)
  end)
end)
