-- An effect that lives as long as a screen, after the case study of The Composable Architecture. The view says so by
-- `task`: its effect begins when the screen appears and is cancelled when it goes. A host that draws the screen itself
-- cancels the task of `task`, or sends `onDisappear`.
local scripted = require "scripted"
local ui = require "scripted.ui"
require "screenshots"

local effect = scripted.effect

return scripted.feature {
  name = "LongLiving",
  state = { screenshotCount = 0 },
  dependencies = { "screenshots" },
  on = {
    task = function()
      return effect.run(function(send, deps)
        for _ in deps.screenshots.taken() do send("userDidTakeScreenshot") end
      end):cancellable("screenshots", { cancelInFlight = true })
    end,

    userDidTakeScreenshot = function(state)
      state.screenshotCount = state.screenshotCount + 1
    end,

    onDisappear = function() return effect.cancel("screenshots") end,
  },
  view = function(state)
    local count = state.screenshotCount
    return ui.screen {
      title = "Screenshots", task = "task",
      ui.text {
        count == 0 and "Take a screenshot of this screen."
          or ("A screenshot of this screen has been taken %d %s."):format(count, count == 1 and "time" or "times"),
        announce = true,
      },
    }
  end,
}
