-- Animations, after the case study of The Composable Architecture. A reducer draws nothing: an effect says
-- with which animation the host is to show what its actions change, and that arrives as their transaction.
-- The session `scripts/examples/case_studies.animations.jsonl`, played by the runner, shows it.
local scripted = require "scripted"
local ui = require "scripted.ui"
local effect = scripted.effect

local colors = { "red", "blue", "green", "orange", "pink", "purple", "yellow", "black" }

local initial = { circleColor = "black", isCircleScaled = false } -- alert: table?, circleCenter: { x, y }?

return scripted.feature {
  name = "Animations",
  state = initial,
  binding = true,                                              -- isCircleScaled
  dependencies = { "clock" },
  on = {
    -- { x = number, y = number }. The host that sends this has an animation for it.
    tapped = function(state, action) state.circleCenter = { x = action.x, y = action.y } end,

    -- { isScaled = boolean }
    circleScaleToggleChanged = function(state, action) state.isCircleScaled = action.isScaled end,

    -- A color each second.
    rainbowButtonTapped = function()
      return effect.run(function(send, deps)
        for _, color in ipairs(colors) do
          send("setColor", { color = color })
          deps.clock.sleep(1)
        end
      end):cancellable("rainbow", { cancelInFlight = true }):animation("linear")
    end,

    setColor = function(state, action) state.circleColor = action.color end,

    -- A button, too, may say with which animation the host sends its action.
    resetButtonTapped = function(state)
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
    end,

    ["alert.resetConfirmationButtonTapped"] = function(state)
      scripted.replace(state, initial)
      return effect.cancel("rainbow")
    end,
  },
  -- The circle is drawn by the host, which knows it by its name, moves it with the animations, and sends `tapped`. What
  -- is drawn elsewhere says in words what it looks like.
  view = function(state)
    local color, isScaled = state.circleColor, state.isCircleScaled
    return ui.screen {
      title = "Animations", alert = "alert",
      ui.host { name = "circle", label = "Circle", color = color, isScaled = isScaled, center = state.circleCenter },
      ui.text { ("The circle is %s%s."):format(color, isScaled and " and large" or ""), announce = true },
      ui.toggle { label = "Big mode", bind = "isCircleScaled", style = "switch", animation = "interactiveSpring" },
      ui.toolbar {
        ui.button { "Rainbow", action = "rainbowButtonTapped" },
        ui.button { "Reset", action = "resetButtonTapped", role = "destructive" },
      },
    }
  end,
}:ifLet("alert", scripted.ephemeral)
