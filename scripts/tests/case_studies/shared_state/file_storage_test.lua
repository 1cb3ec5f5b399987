local scripted = require "scripted"
local test = require "scripted.test"
local FileStorage = require "case_studies.shared_state.file_storage"
local Stats = require "case_studies.shared_state.stats"

-- The key of the feature: it is known by its file.
local stats = scripted.shared.fileStorage("stats.json", Stats.initial, { version = 2, migrate = Stats.migrate })

describe("A value in a file", function()
  it("counts in one tab, and is reset in the other", function()
    local store = test.store(FileStorage)

    store:send("counter.incrementButtonTapped", function(state)
      state.profile.stats = { count = 1, maxCount = 1, minCount = 0, numberOfCounts = 1 }
    end)
    store:send("counter.decrementButtonTapped", function(state)
      state.profile.stats.count, state.profile.stats.numberOfCounts = 0, 2
    end)
    store:send("selectTab", { tab = "profile" }, function(state) state.currentTab = "profile" end)
    store:send("profile.resetStatsButtonTapped", function(state) state.counter.stats = Stats.initial end)
  end)

  it("tells how its file is", function()
    assert.are.same({ isLoading = false }, test.store(FileStorage).state.profile.file)
  end)

  it("takes over what others have made of it, and gives it to who comes later", function()
    local store = test.store(FileStorage)
    local counted = { count = 3, maxCount = 5, minCount = 0, numberOfCounts = 7 }

    test.shared(stats):set(counted)
    store:receive("shared", function(state) state.counter.stats = counted end)
    assert.are.same(counted, test.store(FileStorage).state.profile.stats)
  end)

  describe("its screen", function()
    it("counts in one tab, and resets in the other", function()
      local view = test.view(FileStorage)

      view:find("button", "Decrement"):tap(function(state)
        state.counter.stats = { count = -1, maxCount = 0, minCount = -1, numberOfCounts = 1 }
      end)
      view:find("tab", "Profile"):tap(function(state) state.currentTab = "profile" end)
      assert.matches_snapshot(view:text())
      view:find("button", "Reset"):tap(function(state) state.profile.stats = Stats.initial end)
    end)

    it("says what is wrong with the file", function()
      test.storage.write("stats.json", "no JSON")
      local view = test.view(FileStorage, { state = { currentTab = "profile" } })

      local problem = view.store.state.profile.file.loadError.message
      assert.is_not_nil(view:query("text", problem))
    end)
  end)
end)
