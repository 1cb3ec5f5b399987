-- The list of sync-ups, which presents a form for a new one.
local scripted = require "scripted"
local SyncUp = require "sync_ups.sync_up"
local SyncUpForm = require "sync_ups.sync_up_form"

local list = scripted.list

-- The sync-ups are kept from one launch to the next. A handler writes them as any field, and they are saved.
local syncUps = scripted.shared.fileStorage("sync-ups.json", scripted.array {})

local Destination = scripted.cases { add = SyncUpForm, alert = scripted.ephemeral }

local loadingFailed = {
  title = "The sync-ups cannot be read",
  message = "Their file is damaged. Some to try the application with can take their place.",
  buttons = {
    { label = "Yes", action = "confirmLoadMockData" },
    { label = "No", role = "cancel" },
  },
}

return scripted.feature {
  name = "SyncUpsList",
  state = {},                                        -- destination: one of Destination's cases
  shared = { syncUps = syncUps, file = syncUps:status() },
  dependencies = { "uuid" },
  on = {
    -- The file is read before the first action. A damaged one gets another name before the list is saved.
    task = function(state)
      if state.file.loadError and #state.syncUps == 0 then state.destination = { alert = loadingFailed } end
    end,

    ["destination.alert.confirmLoadMockData"] = function(state) state.syncUps = SyncUp.mocks end,

    addSyncUpButtonTapped = function(state, _, deps)
      state.destination = { add = SyncUpForm.initial { syncUp = SyncUp.new(deps.uuid(), deps.uuid()) } }
    end,

    dismissAddSyncUpButtonTapped = function(state) state.destination = nil end,

    -- Takes the form's sync-up over, without the attendees who have no name, unless none has one.
    confirmAddSyncUpButtonTapped = function(state)
      local syncUp = state.destination.add.syncUp
      local named = list.filter(syncUp.attendees, function(attendee) return attendee.name:find "%S" end)
      syncUp.attendees = #named > 0 and named or { syncUp.attendees[1] }
      table.insert(state.syncUps, syncUp)
      state.destination = nil
    end,

    -- { indices = { index, … } }
    onDelete = function(state, action) list.removeAt(state.syncUps, action.indices) end,
  },
}:ifLet("destination", Destination)
