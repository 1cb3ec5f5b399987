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

  describe("its screen", function()
    it("sends what each control says", function()
      local view = test.view(BindingBasics)
      assert.matches_snapshot(view:text())

      view:find("textField", "Text"):type("Blob", function(state) state.text = "Blob" end)
      assert.is_not_nil(view:query("text", "bLoB"))
      view:find("stepper", "Largest value of the slider"):set(4, function(state)
        state.stepCount, state.sliderValue = 4, 4
      end)
      view:find("slider", "Slider"):set(2.5, function(state) state.sliderValue = 2.5 end)
      -- A slider goes no further than it can.
      view:find("slider", "Slider"):set(100, function(state) state.sliderValue = 4 end)
    end)

    it("disables what one of them says", function()
      local view = test.view(BindingBasics)

      view:find("toggle", "Disable other controls"):tap(function(state) state.isToggleOn = true end)
      assert.matches_snapshot(view:text())
      assert.error_matches(function() view:find("textField", "Text"):type "x" end, "the textField 'Text' is disabled")
      view:find("toggle", "Disable other controls"):tap(function(state) state.isToggleOn = false end)
    end)
  end)
end)
