-- One feature twice in a bigger one, after the case study of The Composable Architecture. Each has a
-- state, actions and effects of its own, and neither knows of the other.
local scripted = require "scripted"
local ui = require "scripted.ui"
local Counter = require "counter"

return scripted.feature {
  name = "TwoCounters",
  state = { counter1 = Counter.initial(), counter2 = Counter.initial() },
  -- The titles tell the buttons of the two apart, for tests and for those who cannot see the screen.
  view = function()
    return ui.screen {
      title = "Two counters",
      ui.section { title = "Counter 1", ui.child "counter1" },
      ui.section { title = "Counter 2", ui.child "counter2" },
    }
  end,
}
  :scope("counter1", Counter)
  :scope("counter2", Counter)
