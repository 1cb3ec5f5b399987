-- One feature twice in a bigger one, after the case study of The Composable Architecture. Each has a
-- state, actions and effects of its own, and neither knows of the other.
local scripted = require "scripted"
local Counter = require "counter"

return scripted.feature {
  name = "TwoCounters",
  state = { counter1 = Counter.initial(), counter2 = Counter.initial() },
}
  :scope("counter1", Counter)
  :scope("counter2", Counter)
