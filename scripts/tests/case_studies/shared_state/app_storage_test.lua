local scripted = require "scripted"
local test = require "scripted.test"
local AppStorage = require "case_studies.shared_state.app_storage"

-- The key of the feature: it is known by its kind and name.
local count = scripted.shared.appStorage("count", 0)

describe("A value in the application's storage", function()
  it("counts in one tab, and is reset in the other", function()
    local store = test.store(AppStorage)

    store:send("counter.incrementButtonTapped", function(state) state.counter.count = 1 end)
    store:send("counter.incrementButtonTapped", function(state) state.profile.count = 2 end)
    store:send("counter.isPrimeButtonTapped", function(state)
      state.counter.alert = { title = "👍 The number 2 is prime.", buttons = {} }
    end)
    store:send("counter.alert.dismiss", function(state) state.counter.alert = nil end)
    store:send("counter.decrementButtonTapped", function(state) state.counter.count = 1 end)
    store:send("selectTab", { tab = "profile" }, function(state) state.currentTab = "profile" end)
    store:send("profile.resetButtonTapped", function(state) state.counter.count = 0 end)
  end)

  it("takes over what others have made of it", function()
    local store = test.store(AppStorage)

    test.shared(count):set(41)
    store:receive("shared", function(state) state.counter.count = 41 end)
    store:send("counter.incrementButtonTapped", function(state) state.counter.count = 42 end)
    assert.are.equal(42, test.shared(count).value)
  end)

  -- A default, or a state that a host gives, is a first value: it does not replace one that is there.
  it("is there for a store that is made later", function()
    test.store(AppStorage):send("counter.incrementButtonTapped", function(state) state.counter.count = 1 end)

    local later = test.store(AppStorage, { state = { counter = { count = 7 } } })
    assert.are.equal(1, later.state.counter.count)
    assert.are.equal(1, later.state.profile.count)
  end)

  describe("its screen", function()
    it("counts in one tab, and resets in the other", function()
      local view = test.view(AppStorage)
      assert.matches_snapshot(view:text())

      view:find("button", "Increment"):tap(function(state) state.counter.count = 1 end)
      view:find("button", "Is this prime?"):tap(function(state)
        state.counter.alert = { title = "👎 The number 1 is not prime.", buttons = {} }
      end)
      view:find("button", "OK"):tap(function(state) state.counter.alert = nil end)
      view:find("tab", "Profile"):tap(function(state) state.currentTab = "profile" end)
      assert.is_nil(view:query("button", "Increment"))
      view:find("button", "Reset"):tap(function(state) state.profile.count = 0 end)
      assert.is_true(view:find("button", "Reset").disabled)
    end)
  end)
end)
