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

  describe("its screen", function()
    local view

    before_each(function() view = test.view(NavigationStack, { dependencies = { clock = clock } }) end)

    it("goes to a screen and back", function()
      assert.matches_snapshot(view:text())

      view:find("link", "Screen A"):tap(function(state) state.path = { { id = 0, screenA = a } } end)
      view:find("button", "Increment"):tap(function(state) state.path[1].screenA.count = 1 end)
      assert.are.equal(1, view:find("number", "Total count").value)
      assert.matches_snapshot(view:text())
      view:back(function(state) state.path = {} end)
      assert.is_nil(view:query("section", "Navigation stack"))
    end)

    it("goes on from one screen to the next", function()
      view:find("link", "Screen B"):tap(function(state) state.path = { { id = 0, screenB = b } } end)
      view:find("link", "Screen C"):tap(function(state) state.path[2] = { id = 1, screenC = c } end)
      view:find("button", "Start timer"):tap(function(state) state.path[2].screenC.isTimerRunning = true end)
      clock:advance(1)
      view.store:receive("path[1].screenC.timerTicked", function(state) state.path[2].screenC.count = 1 end)
      view:find("button", "Stop timer"):tap(function(state) state.path[2].screenC.isTimerRunning = false end)
    end)

    it("goes back to any of them", function()
      view:find("link", "Screens A, B and C"):tap(function(state)
        state.path = { { id = 0, screenA = a }, { id = 1, screenB = b }, { id = 2, screenC = c } }
      end)
      assert.is_true(view:find("button", "3. Screen C").disabled)
      view:find("button", "2. Screen B"):tap(function(state) table.remove(state.path) end)
      view:find("button", "Pop to root"):tap(function(state) state.path = {} end)
      assert.are.equal("Root", view:find("screen").name)
    end)

    it("is left by a screen itself", function()
      view:find("link", "Screen A"):tap(function(state) state.path = { { id = 0, screenA = a } } end)
      view:find("button", "Get fact"):tap(function(state) state.path[1].screenA.isLoading = true end)
      assert.is_true(view:find("button", "Get fact").disabled)
      assert.is_not_nil(view:query("progress", "Loading"))
      view.store:receive("path[0].screenA.factResponse", function(state)
        state.path[1].screenA.isLoading, state.path[1].screenA.fact = false, "This is a fact about 0."
      end)
      assert.is_not_nil(view:query("text", "This is a fact about 0."))
      view:find("button", "Dismiss"):tap()
      view.store:receive("path.popFrom", function(state) state.path = {} end)
    end)
  end)
end)
