local test = require "scripted.test"
local Custom = require "case_studies.shared_state.custom"

local function account(settings)
  local service = { stored = settings, saves = 0 }
  service.loadSettings = function() return service.stored end
  service.saveSettings = function(value)
    if service.isOffline then error({ code = "offline", message = "no network" }) end
    service.stored, service.saves = { size = value.size }, service.saves + 1
  end
  return service
end

-- A store whose value is loaded.
local function loaded(service)
  local store = test.store(Custom, { dependencies = { account = service } })
  assert.are.same({ isLoading = true }, store.state.status)
  store:receive("shared", function(state)
    state.settings.size, state.status.isLoading = service.stored.size, false
  end)
  return store
end

describe("A value that functions of a script load and save", function()
  it("is loaded when a feature shares it, and saved when it changes", function()
    local service = account { size = 20 }
    local store = loaded(service)
    store:send("bigger", function(state) state.settings.size = 21 end)
    store:finish()
    assert.are.same({ size = 21 }, service.stored)
    assert.are.equal(1, service.saves)
  end)

  it("is loaded again on demand", function()
    local service = account { size = 20 }
    local store = loaded(service)
    service.stored = { size = 30 }
    store:send("refreshButtonTapped")
    store:receive("shared", function(state) state.status.isLoading = true end)
    store:receive("shared", function(state) state.settings.size, state.status.isLoading = 30, false end)
    store:receive "didRefresh"
  end)

  it("shows why it cannot be saved, and saves it with the next change", function()
    local service = account { size = 20 }
    local store = loaded(service)
    service.isOffline = true
    store:send("bigger", function(state) state.settings.size = 21 end)
    store:receive("shared", function(state)
      state.status.saveError = { code = "offline", message = "no network", path = "settings" }
    end)
    service.isOffline = false
    store:send("bigger", function(state) state.settings.size = 22 end)
    store:receive("shared", function(state) state.status.saveError = nil end)
    assert.are.same({ size = 22 }, service.stored)
  end)

  describe("its screen", function()
    it("shows the value, and what went wrong with it", function()
      local service = account { size = 20 }
      local view = test.view(Custom, { dependencies = { account = service } })
      assert.matches_snapshot(view:text())

      view.store:receive("shared", function(state) state.settings.size, state.status.isLoading = 20, false end)
      assert.is_nil(view:query("progress", "Loading"))
      service.isOffline = true
      view:find("button", "Bigger"):tap(function(state) state.settings.size = 21 end)
      view.store:receive("shared", function(state)
        state.status.saveError = { code = "offline", message = "no network", path = "settings" }
      end)
      assert.is_not_nil(view:query("text", "no network"))
    end)
  end)
end)
