local test = require "scripted.test"
local Animations = require "case_studies.animations"

describe("Animations", function()
  local clock, store

  before_each(function()
    clock = test.clock()
    store = test.store(Animations, { dependencies = { clock = clock } })
  end)

  local function receive(color)
    store:receive("setColor", { color = color }, function(state) state.circleColor = color end)
  end

  it("go through the colors, one each second", function()
    store:send("rainbowButtonTapped")
    receive "red"
    for _, color in ipairs { "blue", "green", "orange", "pink", "purple", "yellow", "black" } do
      clock:advance(1)
      receive(color)
    end
    clock:run()
  end)

  it("start over when the button is tapped again", function()
    store:send("rainbowButtonTapped")
    receive "red"
    clock:advance(1)
    receive "blue"
    store:send("rainbowButtonTapped")
    receive "red"
    clock:advance(1)
    receive "blue"
    store:skipInFlightEffects()
  end)

  it("move and scale the circle", function()
    store:send("tapped", { x = 50, y = 75.5 }, function(state) state.circleCenter = { x = 50, y = 75.5 } end)
    store:send("circleScaleToggleChanged", { isScaled = true }, function(state) state.isCircleScaled = true end)
  end)

  describe("when they are to be reset", function()
    local function ask()
      store:send("resetButtonTapped", function(state)
        state.alert = {
          title = "Reset state?",
          buttons = {
            {
              label = "Reset", role = "destructive",
              action = "resetConfirmationButtonTapped", animation = "default",
            },
            { label = "Cancel", role = "cancel", action = "dismiss" },
          },
        }
      end)
    end

    it("stop, and everything is as it was at first", function()
      store:send("tapped", { x = 1, y = 2 }, function(state) state.circleCenter = { x = 1, y = 2 } end)
      store:send("rainbowButtonTapped")
      receive "red"
      clock:advance(1)
      receive "blue"
      ask()
      store:send("alert.resetConfirmationButtonTapped", function(state)
        state.alert = nil
        state.circleCenter = nil
        state.circleColor = "black"
      end)
      store:finish()
      clock:checkSuspension()
    end)

    it("go on when the user thinks better of it", function()
      store:send("rainbowButtonTapped")
      receive "red"
      ask()
      store:send("alert.dismiss", function(state) state.alert = nil end)
      clock:advance(1)
      receive "blue"
      store:skipInFlightEffects()
    end)
  end)

  describe("their screen", function()
    it("says in words what the host draws", function()
      local view = test.view(Animations, { dependencies = { clock = clock } })
      assert.matches_snapshot(view:text())

      view:find("toggle", "Big mode"):tap(function(state) state.isCircleScaled = true end)
      view:find("button", "Rainbow"):tap()
      view.store:receive("setColor", function(state) state.circleColor = "red" end)
      assert.is_not_nil(view:query("text", "The circle is red and large."))
      assert.are.equal("red", view:find("host", "Circle").node.color)

      view.store:withExhaustivity("off", function() view:find("button", "Reset"):tap() end)
      view:find("alert", "Reset state?"):find("button", "Reset"):tap(function(state)
        state.alert, state.circleColor, state.isCircleScaled = nil, "black", false
      end)
    end)
  end)
end)
