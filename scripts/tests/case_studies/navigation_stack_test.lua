local test = require "scripted.test"
local NavigationStack = require "case_studies.navigation_stack"

local a = { count = 0, isLoading = false }
local b = {}
local c = { count = 0, isTimerRunning = false }

describe("A navigation stack", function()
  local clock

  before_each(function() clock = test.clock() end)

  local function storeOf(path)
    return test.store(NavigationStack, { state = { path = path }, dependencies = { clock = clock } })
  end

  describe("that is driven by the state", function()
    it("goes to several screens at once", function()
      local store = test.store(NavigationStack)

      store:send("goToABCButtonTapped", function(state)
        state.path = { { id = 0, screenA = a }, { id = 1, screenB = b }, { id = 2, screenC = c } }
      end)
    end)

    it("goes back to one, and to the root", function()
      local store = storeOf { { id = 0, screenA = a }, { id = 1, screenB = b }, { id = 2, screenC = c } }

      store:send("goBackToScreen", { id = 2 })
      store:send("goBackToScreen", { id = 0 }, function(state) state.path = { { id = 0, screenA = a } } end)
      store:send("popToRoot", function(state) state.path = {} end)
    end)

    it("refuses to go back to a screen that is not there", function()
      local store = storeOf { { id = 0, screenA = a } }

      assert.error_matches(function() store:send("goBackToScreen", { id = 7 }) end, "the id 7")
    end)

    it("goes where a link of screen B leads, with an id that was never used", function()
      local store = storeOf { { id = 0, screenB = b } }

      store:send("path[0].screenB.screenAButtonTapped", function(state)
        state.path[2] = { id = 1, screenA = a }
      end)
      store:send("goBackToScreen", { id = 0 }, function(state) state.path[2] = nil end)
      store:send("path[0].screenB.screenBButtonTapped", function(state)
        state.path[2] = { id = 2, screenB = b }
      end)
      store:send("path[2].screenB.screenCButtonTapped", function(state)
        state.path[3] = { id = 3, screenC = c }
      end)
    end)
  end)

  -- What a host sends for its own links, and for its back button.
  it("is pushed to and popped from by the host", function()
    local store = storeOf {}

    store:send("path.push", { state = { screenA = a } }, function(state)
      state.path = { { id = 0, screenA = a } }
    end)
    store:send("path.push", { state = { screenB = b } }, function(state)
      state.path[2] = { id = 1, screenB = b }
    end)
    store:send("path.popFrom", { id = 0 }, function(state) state.path = {} end)
  end)

  describe("with screen A", function()
    it("counts", function()
      local store = storeOf { { id = 0, screenA = a } }

      store:send("path[0].screenA.incrementButtonTapped", function(state) state.path[1].screenA.count = 1 end)
      store:send("path[0].screenA.decrementButtonTapped", function(state) state.path[1].screenA.count = 0 end)
    end)

    it("gets the fact of its number", function()
      local store = storeOf { { id = 0, screenA = { count = 3, isLoading = false } } }

      store:send("path[0].screenA.factButtonTapped", function(state) state.path[1].screenA.isLoading = true end)
      store:receive("path[0].screenA.factResponse.result.success", function(state)
        state.path[1].screenA.isLoading = false
        state.path[1].screenA.fact = "This is a fact about 3."
      end)
    end)

    it("has no fact after a failure", function()
      local store = storeOf { { id = 0, screenA = { count = 3, isLoading = false, fact = "Three is odd." } } }
      store.dependencies.numberFact = { fetch = function() error("no facts today", 0) end }

      store:send("path[0].screenA.factButtonTapped", function(state) state.path[1].screenA.isLoading = true end)
      store:receive("path[0].screenA.factResponse.result.failure", function(state)
        state.path[1].screenA.isLoading = false
        state.path[1].screenA.fact = nil
      end)
    end)

    it("closes itself, with what is above it", function()
      local store = storeOf { { id = 0, screenB = b }, { id = 1, screenA = a }, { id = 2, screenB = b } }

      store:send("path[1].screenA.dismissButtonTapped")
      store:receive("path.popFrom", { id = 1 }, function(state) state.path = { { id = 0, screenB = b } } end)
    end)
  end)

  describe("with screen C", function()
    local function start(store)
      store:send("path[0].screenC.startButtonTapped", function(state)
        state.path[1].screenC.isTimerRunning = true
      end)
      clock:advance(1)
      store:receive("path[0].screenC.timerTicked", function(state) state.path[1].screenC.count = 1 end)
    end

    it("counts the seconds until it is stopped", function()
      local store = storeOf { { id = 0, screenC = c } }

      start(store)
      store:send("path[0].screenC.stopButtonTapped", function(state)
        state.path[1].screenC.isTimerRunning = false
      end)
      clock:advance(5)
    end)

    it("has one timer, however often it is started", function()
      local store = storeOf { { id = 0, screenC = c } }

      start(store)
      store:send("path[0].screenC.startButtonTapped")
      clock:advance(1)
      store:receive("path[0].screenC.timerTicked", function(state) state.path[1].screenC.count = 2 end)
      store:skipInFlightEffects()
    end)

    it("goes on while another screen is above it", function()
      local store = storeOf { { id = 0, screenC = c } }

      start(store)
      store:send("path.push", { state = { screenB = b } }, function(state)
        state.path[2] = { id = 1, screenB = b }
      end)
      clock:advance(1)
      store:receive("path[0].screenC.timerTicked", function(state) state.path[1].screenC.count = 2 end)
      store:skipInFlightEffects()
    end)

    it("ends with its screen, whoever takes that away", function()
      for _, action in ipairs { "popToRoot", { type = "path", action = { type = "popFrom", id = 0 } } } do
        local store = storeOf { { id = 0, screenC = c } }

        start(store)
        store:send(action, function(state) state.path = {} end)
        clock:checkSuspension()
      end
    end)
  end)
end)
