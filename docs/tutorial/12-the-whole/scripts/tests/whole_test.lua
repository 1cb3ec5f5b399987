-- scripts/tests/whole_test.lua
local test = require "scripted.test"
local App = require "app"

it("counts a meeting that a person starts and ends", function()
  local clock = test.clock()
  local view = test.view(App, { dependencies = { clock = clock }, exhaustivity = "off" })

  view:find("button", "Design"):tap()
  view:find("button", "Start meeting"):tap()
  clock:advance(61)
  view.store:skipReceivedActions()
  assert.is_not_nil(view:query("text", "3:59 left"))

  view:find("button", "End meeting"):tap()
  view.store:skipReceivedActions()
  assert.is_nil(view:query("button", "End meeting"))
  assert.are.equal(1, view.store.state.syncUpsList.syncUps[1].meetings)
end)
