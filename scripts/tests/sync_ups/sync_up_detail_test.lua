local test = require "scripted.test"
local SyncUp = require "sync_ups.sync_up"
local SyncUpDetail = require "sync_ups.sync_up_detail"
local SyncUpForm = require "sync_ups.sync_up_form"

local syncUp = SyncUp.mocks[1]

describe("SyncUpDetail", function()
  local function storeOf(dependencies, destination)
    return test.store(SyncUpDetail, {
      state = { syncUp = syncUp, destination = destination },
      dependencies = dependencies,
    })
  end

  local function speech(status)
    return { speechClient = { authorizationStatus = function() return status end } }
  end

  describe("starts a meeting", function()
    for _, status in ipairs { "authorized", "notDetermined" } do
      it("when speech recognition is " .. status, function()
        local store = storeOf(speech(status))

        store:send("startMeetingButtonTapped")
        store:receive("delegate.startMeeting", { syncUp = syncUp })
      end)
    end

    for status, title in pairs {
      denied = "Speech recognition is not allowed", restricted = "There is no speech recognition",
    } do
      it("after a question when it is " .. status, function()
        local store = storeOf(speech(status))

        -- Of an alert the title says which it is.
        store:withExhaustivity("off", function()
          store:send("startMeetingButtonTapped", function(state) state.destination.alert.title = title end)
        end)
        store:send("destination.alert.continueWithoutRecording", function(state) state.destination = nil end)
        store:receive("delegate.startMeeting", { syncUp = syncUp })
      end)
    end
  end)

  it("opens the settings", function()
    local open = spy(function() end)
    local store = storeOf({ settings = { open = function() open() end } }, { alert = { title = "Not allowed" } })

    store:send("destination.alert.openSettings", function(state) state.destination = nil end)
    assert.spy(open).was.called(1)
  end)

  it("edits a copy, and tells its parent when that is done", function()
    local store = storeOf()

    store:send("editButtonTapped", function(state)
      state.destination = { edit = SyncUpForm.initial { syncUp = syncUp } }
    end)
    store:send("destination.edit.binding.syncUp.title", "Blob's meeting", function(state)
      state.destination.edit.syncUp.title = "Blob's meeting"
    end)
    store:send("doneEditingButtonTapped", function(state)
      state.destination = nil
      state.syncUp.title = "Blob's meeting"
    end)
    store:receive("delegate.syncUpUpdated")
  end)

  it("forgets the edits when they are cancelled", function()
    local edited = SyncUp.new("design", "first")
    local store = storeOf(nil, { edit = SyncUpForm.initial { syncUp = edited } })

    store:send("cancelEditButtonTapped", function(state) state.destination = nil end)
  end)

  it("deletes a meeting", function()
    local store = storeOf()

    store:send("deleteMeetings", { indices = { 1 } }, function(state) state.syncUp.meetings = {} end)
    store:receive("delegate.syncUpUpdated")
  end)

  it("is deleted after a question, and goes", function()
    local store = storeOf()

    store:send("deleteButtonTapped", function(state)
      state.destination = {
        alert = {
          title = "Delete?",
          message = "Its meetings go with it.",
          buttons = {
            { label = "Yes", role = "destructive", action = "confirmDeletion" },
            { label = "No", role = "cancel" },
          },
        },
      }
    end)
    store:send("destination.alert.confirmDeletion", function(state) state.destination = nil end)
    store:receive("delegate.deleteSyncUp", { id = syncUp.id })
    assert.is_true(store.isDismissed)
  end)

  describe("its screen", function()
    local function viewOf(dependencies)
      return test.view(SyncUpDetail, { state = { syncUp = syncUp }, dependencies = dependencies })
    end

    it("is drawn", function()
      assert.matches_snapshot(viewOf():text())
    end)

    it("starts a meeting after a question", function()
      local view = viewOf(speech "restricted")

      view.store:withExhaustivity("off", function() view:find("button", "Start meeting"):tap() end)
      assert.are.equal("There is no speech recognition", view:find("alert").name)
      view:find("button", "Continue without recording"):tap(function(state) state.destination = nil end)
      view.store:receive("delegate.startMeeting")
    end)

    it("is edited in a sheet", function()
      local view = viewOf()

      view:press("mod+e", function(state)
        state.destination = { edit = SyncUpForm.initial { syncUp = syncUp } }
      end)
      view:find("textField", "Title"):set("Drawing", function(state)
        state.destination.edit.syncUp.title = "Drawing"
      end)
      view:find("button", "Save"):tap(function(state)
        state.destination = nil
        state.syncUp.title = "Drawing"
      end)
      view.store:receive("delegate.syncUpUpdated")
      assert.are.equal("Drawing", view:find("screen").name)
    end)

    it("has no section for past meetings without any", function()
      local view = viewOf()

      view:find("link", "2030-01-01 00:00"):tap()          -- for the one who can show it
      view:find("row", "2030-01-01 00:00"):delete(function(state) state.syncUp.meetings = {} end)
      view.store:receive("delegate.syncUpUpdated")
      assert.is_nil(view:query("section", "Past meetings"))
    end)

    it("is deleted after a question", function()
      local view = viewOf()

      view.store:withExhaustivity("off", function() view:find("button", "Delete"):tap() end)
      assert.matches_snapshot(view:text())
      view:find("button", "No"):tap(function(state) state.destination = nil end)
      assert.is_nil(view:query("alert"))
    end)
  end)
end)
