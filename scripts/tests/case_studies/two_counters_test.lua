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

  describe("their screen", function()
    it("counts in each for itself", function()
      local view = test.view(TwoCounters)
      assert.matches_snapshot(view:text())

      local second = view:find("section", "Counter 2")
      second:find("button", "Increment"):tap(function(state) state.counter2.count = 1 end)
      assert.are.same({ "counter2" }, view:evaluated())
      assert.are.equal(1, second:find("number", "Count").value)
      assert.are.equal(0, view:find("section", "Counter 1"):find("number", "Count").value)
    end)
  end)
end)
