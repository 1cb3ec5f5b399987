-- An effect that lives as long as a screen, after the case study of The Composable Architecture. A host
-- cancels the task of `task`, or sends `onDisappear`, when the screen goes.
local scripted = require "scripted"
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
}
