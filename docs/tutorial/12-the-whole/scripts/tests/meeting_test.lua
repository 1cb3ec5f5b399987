-- scripts/tests/meeting_test.lua
local test = require "scripted.test"
local Meeting = require "meeting"

local design = { id = "1", title = "Design", minutes = 5, attendees = {} }

describe("A meeting", function()
  it("ends when its time is over", function()
    local clock = test.clock()
    local store = test.store(Meeting, {
      state = { syncUp = design, seconds = 298 }, dependencies = { clock = clock },
    })

    store:send("started")
    clock:advance(2)
    store:receive("tick", function(state) state.seconds = 299 end)
    store:receive("tick", function(state) state.seconds = 300 end)
    store:receive("delegate.finished", { id = "1" })
    assert.is_true(store.isDismissed)
  end)
end)
