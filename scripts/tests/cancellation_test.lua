local test = require "scripted.test"
local Cancellation = require "cancellation"

describe("Cancellation", function()
  local function askedFor(state)
    state.currentFact = nil
    state.isFactRequestInFlight = true
  end

  -- `numberFact` has a value for tests, which answers at once.
  it("asks for a fact about the number", function()
    local store = test.store(Cancellation)

    store:send("stepperChanged", { value = 42 }, function(state) state.count = 42 end)
    store:send("factButtonTapped", askedFor)
    store:receive("factResponse", { result = { success = "This is a fact about 42." } }, function(state)
      state.isFactRequestInFlight = false
      state.currentFact = "This is a fact about 42."
    end)
  end)

  it("shows no fact when the request fails", function()
    local store = test.store(Cancellation, {
      dependencies = { numberFact = { fetch = function() error("no network", 0) end } },
    })

    store:send("factButtonTapped", askedFor)
    store:receive("factResponse", { result = { failure = { message = "no network" } } }, function(state)
      state.isFactRequestInFlight = false
    end)
  end)

  it("lets go of the fact when another one is asked for", function()
    local store = test.store(Cancellation, { state = { count = 1, currentFact = "1 is odd." } })

    store:send("factButtonTapped", askedFor)
    store:receive("factResponse.result.success", function(state)
      state.isFactRequestInFlight = false
      state.currentFact = "This is a fact about 1."
    end)
  end)

  it("lets go of the fact when the number changes", function()
    local store = test.store(Cancellation, { state = { count = 1, currentFact = "1 is odd." } })

    store:send("stepperChanged", { value = 2 }, function(state)
      state.count = 2
      state.currentFact = nil
    end)
  end)

  -- An answer that never comes: a test would fail at its end if the request were still in flight.
  describe("while the answer is awaited", function()
    local store

    before_each(function()
      store = test.store(Cancellation, { dependencies = { numberFact = { fetch = test.never } } })
      store:send("factButtonTapped", askedFor)
    end)

    it("is cancelled by the button", function()
      store:send("cancelButtonTapped", function(state) state.isFactRequestInFlight = false end)
    end)

    it("is cancelled by a change of the number", function()
      store:send("stepperChanged", { value = 1 }, function(state)
        state.count = 1
        state.isFactRequestInFlight = false
      end)
    end)

    -- Cancelling the task of an action tells the reducer nothing, so the state still says that it waits.
    it("is cancelled with the task", function()
      store:send("cancelButtonTapped", function(state) state.isFactRequestInFlight = false end)

      local task = store:send("factButtonTapped", askedFor)
      task:cancel()
      assert.is_true(task.isCancelled)
      assert.is_true(store.state.isFactRequestInFlight)
    end)
  end)

  it("takes only the answer to the last request", function()
    local clock = test.clock()
    local asked = 0
    local function fetch(number)
      asked = asked + 1
      local answer = asked
      clock.sleep(1)
      return ("answer %d about %d"):format(answer, number)
    end
    local store = test.store(Cancellation, { dependencies = { numberFact = { fetch = fetch } } })

    store:send("factButtonTapped", askedFor)
    clock:advance(0.5)
    store:send("factButtonTapped")
    clock:advance(0.5) -- the first answer would come now
    clock:advance(0.5)
    store:receive("factResponse", { result = { success = "answer 2 about 0" } }, function(state)
      state.isFactRequestInFlight = false
      state.currentFact = "answer 2 about 0"
    end)
  end)

  describe("its screen", function()
    it("shows the fact about a number", function()
      local view = test.view(Cancellation)
      assert.matches_snapshot(view:text())

      view:find("stepper", "Number"):set(42, function(state) state.count = 42 end)
      view:find("button", "Number fact"):tap(askedFor)
      view.store:receive("factResponse.result.success", function(state)
        state.isFactRequestInFlight = false
        state.currentFact = "This is a fact about 42."
      end)
      assert.is_not_nil(view:query("text", "This is a fact about 42."))
    end)

    it("offers to cancel only while something is under way", function()
      local view = test.view(Cancellation, { dependencies = { numberFact = { fetch = test.never } } })
      assert.is_nil(view:query("button", "Cancel"))

      view:find("button", "Number fact"):tap(askedFor)
      assert.is_true(view:find("button", "Number fact").disabled)
      assert.matches_snapshot(view:text())
      view:find("button", "Cancel"):tap(function(state) state.isFactRequestInFlight = false end)
      assert.is_nil(view:query("progress", "Loading"))

      view:find("button", "Number fact"):tap(askedFor)
      view:press("escape", function(state) state.isFactRequestInFlight = false end)
    end)
  end)
end)
