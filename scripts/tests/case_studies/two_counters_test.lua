local test = require "scripted.test"
local TwoCounters = require "case_studies.two_counters"

describe("Two counters", function()
  it("count each for itself", function()
    local store = test.store(TwoCounters)

    store:send("counter1.increment", function(state) state.counter1.count = 1 end)
    store:send("counter2.increment", { by = 10 }, function(state) state.counter2.count = 10 end)
    store:send("counter1.increment", { by = -2 }, function(state) state.counter1.count = -1 end)
    store:send("counter2.reset", function(state) state.counter2.count = 0 end)
  end)

  it("get each the actions of its own effects", function()
    local clock = test.clock()
    local store = test.store(TwoCounters, { dependencies = { clock = clock } })

    store:send("counter2.incrementLater")
    clock:advance(0.5)
    store:send("counter1.incrementLater")
    clock:advance(0.5)
    store:receive("counter2.increment", function(state) state.counter2.count = 1 end)
    clock:advance(0.5)
    store:receive("counter1.increment", function(state) state.counter1.count = 1 end)
  end)

  -- For those who write the action as a table, or want a misspelt name to raise at its line.
  it("have actions that can be built", function()
    local store = test.store(TwoCounters)
    local actions = TwoCounters.actions

    store:send(actions.counter1 { type = "increment", by = 3 }, function(state) state.counter1.count = 3 end)
    assert.has_error(function() return actions.counter3 end)
  end)
end)
