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
end)
