-- Links to the other screens. It does nothing itself: it lists its actions, and the stack's owner handles
-- them. So it needs to know none of the screens that it leads to.
local scripted = require "scripted"
local ui = require "scripted.ui"

return scripted.feature {
  name = "ScreenB",
  state = {},
  actions = { "screenAButtonTapped", "screenBButtonTapped", "screenCButtonTapped" },
  view = function()
    return ui.screen {
      title = "Screen B",
      ui.link { "Screen A", action = "screenAButtonTapped" },
      ui.link { "Screen B", action = "screenBButtonTapped" },
      ui.link { "Screen C", action = "screenCButtonTapped" },
    }
  end,
}
