-- One sync-up: its past meetings, and what can be done with it. It has a copy of the sync-up and tells its
-- parent, in `delegate` actions, what that has to do about it.
local scripted = require "scripted"
local ui = require "scripted.ui"
local format = require "sync_ups.format"
local SyncUpForm = require "sync_ups.sync_up_form"
require "settings"
require "sync_ups.speech_client"

local effect, list = scripted.effect, scripted.list

local Destination = scripted.cases { alert = scripted.ephemeral, edit = SyncUpForm }

-- What the alerts say. A button's action is that of the alert, so `destination.alert.confirmDeletion`.
local alerts = {
  deletion = {
    title = "Delete?",
    message = "Its meetings go with it.",
    buttons = {
      { label = "Yes", role = "destructive", action = "confirmDeletion" },
      { label = "No", role = "cancel" },
    },
  },
  denied = {
    title = "Speech recognition is not allowed",
    message = "The meeting will not be written down, unless you allow it in the settings.",
    buttons = {
      { label = "Continue without recording", action = "continueWithoutRecording" },
      { label = "Open settings", action = "openSettings" },
      { label = "Cancel", role = "cancel" },
    },
  },
  restricted = {
    title = "There is no speech recognition",
    message = "This device has none, so the meeting will not be written down.",
    buttons = {
      { label = "Continue without recording", action = "continueWithoutRecording" },
      { label = "Cancel", role = "cancel" },
    },
  },
}

local function startMeeting(state) return effect.send("delegate.startMeeting", { syncUp = state.syncUp }) end

local function cancelEdit(state) state.destination = nil end

local function endEdit(state)
  state.syncUp = state.destination.edit.syncUp
  state.destination = nil
end

return scripted.feature {
  name = "SyncUpDetail",
  state = {},                                        -- syncUp; destination: one of Destination's cases
  dependencies = { "settings", "speechClient" },

  -- Of delegate: startMeeting { syncUp }, syncUpUpdated { syncUp }, deleteSyncUp { id }. And meetingTapped { id }: the
  -- parent has the stack on which a meeting is shown.
  actions = {
    "delegate.startMeeting", "delegate.deleteSyncUp", "delegate.syncUpUpdated", "meetingTapped",
  },

  on = {
    deleteButtonTapped = function(state) state.destination = { alert = alerts.deletion } end,

    -- The parent hears of it before this is dismissed, for with its state its effects go too.
    ["destination.alert.confirmDeletion"] = function(state)
      return effect.concatenate(
        effect.send("delegate.deleteSyncUp", { id = state.syncUp.id }), effect.dismiss())
    end,

    -- { rows = { index, … } } from the list on the screen, or { indices }
    deleteMeetings = function(state, action) list.removeAt(state.syncUp.meetings, action.rows or action.indices) end,

    -- The form has a copy of its own, so that there is something to cancel.
    editButtonTapped = function(state)
      state.destination = { edit = SyncUpForm.initial { syncUp = state.syncUp } }
    end,

    -- The buttons of the form; a host may have its own.
    ["destination.edit.cancelButtonTapped"] = cancelEdit,
    ["destination.edit.saveButtonTapped"] = endEdit,
    cancelEditButtonTapped = cancelEdit,
    doneEditingButtonTapped = endEdit,

    startMeetingButtonTapped = function(state, _, deps)
      local status = deps.speechClient.authorizationStatus()
      if alerts[status] then
        state.destination = { alert = alerts[status] }
      else
        return startMeeting(state)
      end
    end,

    ["destination.alert.continueWithoutRecording"] = startMeeting,

    ["destination.alert.openSettings"] = function()
      return effect.run(function(_, deps) deps.settings.open() end)
    end,
  },
  view = function(state)
    local syncUp = state.syncUp
    return ui.screen {
      title = syncUp.title, sheet = "destination.edit", alert = "destination.alert",
      ui.section {
        title = "Info",
        ui.row { "Length:", ui.text { format.duration(syncUp.duration), tone = "secondary" } },
        ui.row { "Theme:", ui.badge(syncUp.theme) },
        ui.button { "Start meeting", action = "startMeetingButtonTapped", role = "primary" },
      },
      #syncUp.meetings > 0 and ui.section {
        title = "Past meetings",
        ui.list {
          onDelete = "deleteMeetings",
          ui.forEach(syncUp.meetings, function(meeting)
            return ui.link { format.date(meeting.date), action = { "meetingTapped", { id = meeting.id } } }
          end),
        },
      },
      ui.section {
        title = "Attendees",
        ui.list { ui.forEach(syncUp.attendees, function(attendee) return ui.text(attendee.name) end) },
      },
      ui.toolbar {
        ui.button { "Edit", action = "editButtonTapped", shortcut = "mod+e" },
        ui.button { "Delete", action = "deleteButtonTapped", role = "destructive" },
      },
    }
  end,
}
  :ifLet("destination", Destination)
  -- Whatever changes the sync-up, the parent hears of it.
  :onChange("syncUp", function(_, _, syncUp)
    return effect.send("delegate.syncUpUpdated", { syncUp = syncUp })
  end)
