-- scripts/sync_up_detail.lua
local scripted = require "scripted"
local ui = require "scripted.ui"
local SyncUpForm = require "sync_up_form"

local effect = scripted.effect

local deleteAlert = {
  title = "Delete?",
  message = "The sync-up cannot be restored.",
  buttons = {
    { label = "Delete", role = "destructive", action = "deleteConfirmed" },
    { label = "Keep", role = "cancel", action = "dismiss" },
  },
}

return scripted.feature {
  name = "SyncUpDetail",
  state = { syncUp = { id = "", title = "", minutes = 5, attendees = scripted.array {} } },
  actions = { "delegate.changed", "delegate.deleted", "meetingTapped" },
  on = {
    editTapped = function(state) state.destination = { edit = SyncUpForm.initial { syncUp = state.syncUp } } end,
    ["destination.edit.saveTapped"] = function(state)
      state.syncUp = state.destination.edit.syncUp
      state.destination = nil
      return effect.send("delegate.changed", { syncUp = state.syncUp })
    end,
    deleteTapped = function(state) state.destination = { alert = deleteAlert } end,
    ["destination.alert.deleteConfirmed"] = function(state)
      return effect.concatenate(effect.send("delegate.deleted", { id = state.syncUp.id }), effect.dismiss())
    end,
  },
  view = function(state)
    local syncUp = state.syncUp
    return ui.screen {
      title = syncUp.title, sheet = "destination.edit", alert = "destination.alert",
      ui.text { "Length: " .. syncUp.minutes .. " min" },
      ui.forEach(syncUp.attendees, function(attendee) return ui.text(attendee.name) end),
      ui.row {
        ui.button { "Start meeting", action = "meetingTapped" },
        ui.button { "Edit", action = "editTapped" },
        ui.button { "Delete", action = "deleteTapped", role = "destructive" },
      },
    }
  end,
}:ifLet("destination", scripted.cases { edit = SyncUpForm, alert = scripted.ephemeral })
