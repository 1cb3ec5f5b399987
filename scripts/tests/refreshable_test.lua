local test = require "scripted.test"
local Refreshable = require "refreshable"

describe("Refreshable", function()
  it("counts up and down", function()
    local store = test.store(Refreshable)

    store:send("incrementButtonTapped", function(state) state.count = 1 end)
    store:send("decrementButtonTapped", function(state) state.count = 0 end)
    store:send("decrementButtonTapped", function(state) state.count = -1 end)
  end)

  it("fetches a fact about the number", function()
    local store = test.store(Refreshable, { state = { count = 1 } })

    local task = store:send("refresh")
    store:receive("factResponse", { result = { success = "This is a fact about 1." } }, function(state)
      state.fact = "This is a fact about 1."
    end)
    task:finish() -- a host shows that it refreshes until here
  end)

  it("has no fact after a failure", function()
    local store = test.store(Refreshable, {
      state = { count = 1, fact = "1 is a good number." },
      dependencies = { numberFact = { fetch = function() error { code = "timeout", message = "too slow" } end } },
    })

    store:send("refresh", function(state) state.fact = nil end)
    store:receive("factResponse", { result = { failure = { code = "timeout", message = "too slow" } } })
  end)

  it("refreshes no more once it is cancelled", function()
    local store = test.store(Refreshable, {
      state = { fact = "0 is a good number." },
      dependencies = { numberFact = { fetch = test.never } },
    })

    local task = store:send("refresh", function(state) state.fact = nil end)
    store:send("cancelButtonTapped")
    task:finish()
  end)

  it("asks about the number at the time of the refresh", function()
    local clock = test.clock()
    local store = test.store(Refreshable, {
      state = { count = 41 },
      dependencies = {
        numberFact = { fetch = function(number) clock.sleep(1) return "a fact about " .. number end },
      },
    })

    store:send("refresh")
    store:send("incrementButtonTapped", function(state) state.count = 42 end)
    clock:advance(1)
    store:receive("factResponse", function(state) state.fact = "a fact about 41" end)
  end)

  it("refreshes once when it is pulled twice", function()
    local clock = test.clock()
    local store = test.store(Refreshable, {
      dependencies = { numberFact = { fetch = function() clock.sleep(1) return "a fact" end } },
    })

    store:send("refresh")
    store:send("refresh")
    clock:advance(1)
    store:receive("factResponse", function(state) state.fact = "a fact" end)
  end)

  describe("its screen", function()
    it("counts and refreshes", function()
      local view = test.view(Refreshable)
      assert.matches_snapshot(view:text())

      view:find("button", "Increment"):tap(function(state) state.count = 1 end)
      view:find("button", "Decrement"):tap(function(state) state.count = 0 end)
      view:find("button", "Refresh"):tap()
      view.store:receive("factResponse", function(state) state.fact = "This is a fact about 0." end)
      assert.is_not_nil(view:query("text", "This is a fact about 0."))
    end)

    it("cancels by Escape", function()
      local view = test.view(Refreshable, { dependencies = { numberFact = { fetch = test.never } } })

      view:press("mod+r")
      view:press("escape")
    end)
  end)
end)
