-- Links to the other screens. It does nothing itself: it lists its actions, and the stack's owner handles
-- them. So it needs to know none of the screens that it leads to.
local scripted = require "scripted"

return scripted.feature {
  name = "ScreenB",
  state = {},
  actions = { "screenAButtonTapped", "screenBButtonTapped", "screenCButtonTapped" },
}
