local test = require "scripted.test"
local Counter = require "counter"

describe("Counter", function()
  -- A test says what each action makes of the state. A change that is not said here fails.
  it("counts by one, or by as much as is asked", function()
    local store = test.store(Counter)

    store:send("increment", function(state) state.count = 1 end)
    store:send("increment", { by = 41 }, function(state) state.count = 42 end)
    store:send("increment", { by = -2 }, function(state) state.count = 40 end)
  end)

  it("goes back to zero", function()
    local store = test.store(Counter, { state = { count = 7 } })

    store:send("reset", function(state) state.count = 0 end)
    store:send("reset") -- nothing changes, and nothing is said
  end)

  -- No test waits for real time: this one's clock stands still until it is told to go on.
  it("increments a second later", function()
    local clock = test.clock()
    local store = test.store(Counter, { dependencies = { clock = clock } })

    store:send("incrementLater")
    clock:advance(1)
    store:receive("increment", function(state) state.count = 1 end)
  end)

  it("increments as often as it was asked to", function()
    local clock = test.clock()
    local store = test.store(Counter, { dependencies = { clock = clock } })

    store:send("incrementLater")
    clock:advance(0.5)
    store:send("incrementLater")
    clock:advance(0.5)
    store:receive("increment", function(state) state.count = 1 end)
    clock:advance(0.5)
    store:receive("increment", function(state) state.count = 2 end)
  end)

  -- `send` gives the task of what the action started, as a screen that disappears cancels it.
  it("increments no more when its task is cancelled", function()
    local clock = test.clock()
    local store = test.store(Counter, { dependencies = { clock = clock } })

    local task = store:send("incrementLater")
    task:cancel()
    clock:advance(1)
    assert.are.equal(0, store.state.count)
  end)

  -- A screen is tested as a person uses it: what is on it is found by its role and name.
  describe("its screen", function()
    it("counts by its buttons", function()
      local view = test.view(Counter)
      assert.matches_snapshot(view:text())

      view:find("button", "Increment"):tap(function(state) state.count = 1 end)
      view:find("button", "Decrement"):tap(function(state) state.count = 0 end)
      view:find("button", "Decrement"):tap(function(state) state.count = -1 end)
      assert.are.equal(-1, view:find("number", "Count").value)
    end)

    it("resets what has been counted", function()
      local view = test.view(Counter, { state = { count = 7 } })

      view:find("button", "Reset"):tap(function(state) state.count = 0 end)
      assert.is_true(view:find("button", "Reset").disabled)
    end)

    it("shows what is counted later", function()
      local clock = test.clock()
      local view = test.view(Counter, { dependencies = { clock = clock } })

      view:find("button", "Increment later"):tap()
      clock:advance(1)
      view.store:receive("increment", function(state) state.count = 1 end)
      assert.are.equal(1, view:find("number", "Count").value)
    end)
  end)
end)
