local test = require "scripted.test"
local Counter = require "counter"
local OptionalState = require "case_studies.optional_state"

describe("Optional state", function()
  it("comes with the counter's defaults, and goes", function()
    local store = test.store(OptionalState)

    store:send("toggleCounterButtonTapped", function(state) state.optionalCounter = { count = 0 } end)
    store:send("optionalCounter.increment", function(state) state.optionalCounter.count = 1 end)
    store:send("toggleCounterButtonTapped", function(state) state.optionalCounter = nil end)
    store:send("toggleCounterButtonTapped", function(state) state.optionalCounter = { count = 0 } end)
  end)

  it("starts with a counter that is there already", function()
    local store = test.store(OptionalState, { state = { optionalCounter = Counter.initial { count = 7 } } })

    store:send("optionalCounter.reset", function(state) state.optionalCounter.count = 0 end)
  end)

  -- The test would fail at its end if the counter still slept, or if its action came.
  it("takes with it what the counter had in flight", function()
    local clock = test.clock()
    local store = test.store(OptionalState, { dependencies = { clock = clock } })

    store:send("toggleCounterButtonTapped", function(state) state.optionalCounter = { count = 0 } end)
    store:send("optionalCounter.incrementLater")
    store:send("toggleCounterButtonTapped", function(state) state.optionalCounter = nil end)
    clock:checkSuspension()
    clock:advance(1)
  end)

  it("tells of an action for a counter that is not there", function()
    local store = test.store(OptionalState)

    test.expectWarning("state.optionalCounter is absent", function()
      store:send("optionalCounter.increment")
    end)
  end)

  describe("its screen", function()
    it("shows the counter, or that there is none", function()
      local view = test.view(OptionalState)
      assert.matches_snapshot(view:text())

      view:find("button", "Toggle counter"):tap(function(state) state.optionalCounter = { count = 0 } end)
      view:find("button", "Increment"):tap(function(state) state.optionalCounter.count = 1 end)
      assert.are.same({ "optionalCounter" }, view:evaluated())
      assert.matches_snapshot(view:text())
      view:find("button", "Toggle counter"):tap(function(state) state.optionalCounter = nil end)
      assert.is_not_nil(view:query("text", "There is no counter."))
    end)
  end)
end)
