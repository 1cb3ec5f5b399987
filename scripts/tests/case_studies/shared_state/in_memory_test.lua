local test = require "scripted.test"
local InMemory = require "case_studies.shared_state.in_memory"

describe("A value shared in memory", function()
  -- One of the tabs is enough to say: both show the same value.
  it("counts in one tab, and shows in the other", function()
    local store = test.store(InMemory)

    store:send("counter.incrementButtonTapped", function(state)
      state.counter.stats = { count = 1, maxCount = 1, minCount = 0, numberOfCounts = 1 }
    end)
    store:send("counter.decrementButtonTapped", function(state)
      state.profile.stats = { count = 0, maxCount = 1, minCount = 0, numberOfCounts = 2 }
    end)
    store:send("counter.decrementButtonTapped", function(state)
      state.counter.stats = { count = -1, maxCount = 1, minCount = -1, numberOfCounts = 3 }
    end)
  end)

  it("is reset in the other tab", function()
    local stats = { count = 4, maxCount = 9, minCount = -1, numberOfCounts = 12 }
    local store = test.store(InMemory, { state = { counter = { stats = stats } } })

    store:assert(function(state) state.profile.stats = stats end)
    store:send("selectTab", { tab = "profile" }, function(state) state.currentTab = "profile" end)
    store:send("profile.resetStatsButtonTapped", function(state)
      state.counter.stats = { count = 0, maxCount = 0, minCount = 0, numberOfCounts = 0 }
    end)
  end)

  for count, title in pairs { [7] = "👍 The number 7 is prime.", [9] = "👎 The number 9 is not prime." } do
    it("is asked whether it is prime: " .. count, function()
      local stats = { count = count, maxCount = count, minCount = 0, numberOfCounts = count }
      local store = test.store(InMemory, { state = { counter = { stats = stats } } })

      store:send("counter.isPrimeButtonTapped", function(state)
        state.counter.alert = { title = title, buttons = {} }
      end)
      store:send("counter.alert.dismiss", function(state) state.counter.alert = nil end)
    end)
  end

  it("is one for all stores of a host", function()
    local store, other = test.store(InMemory), test.store(InMemory)
    local counted = { count = 1, maxCount = 1, minCount = 0, numberOfCounts = 1 }

    store:send("counter.incrementButtonTapped", function(state) state.counter.stats = counted end)
    other:receive("shared", function(state) state.counter.stats = counted end)
  end)

  describe("its screen", function()
    it("counts in one tab, and shows in the other", function()
      local view = test.view(InMemory)
      assert.matches_snapshot(view:text())

      view:find("button", "Increment"):tap(function(state)
        state.counter.stats = { count = 1, maxCount = 1, minCount = 0, numberOfCounts = 1 }
      end)
      view:find("button", "Is this prime?"):tap(function(state)
        state.counter.alert = { title = "👎 The number 1 is not prime.", buttons = {} }
      end)
      view:find("alert"):find("button", "OK"):tap(function(state) state.counter.alert = nil end)
      view:find("tab", "Profile"):tap(function(state) state.currentTab = "profile" end)
      assert.matches_snapshot(view:text())
      assert.are.equal(1, view:find("number", "Largest count").value)
    end)
  end)
end)
