-- scripts/sync_up_detail.lua
local scripted = require "scripted"
local ui = require "scripted.ui"
local SyncUpForm = require "sync_up_form"

return scripted.feature {
  name = "SyncUpDetail",
  state = { syncUp = { id = "", title = "", minutes = 5, attendees = scripted.array {} } },
  actions = { "delegate.changed" },
  on = {
    editTapped = function(state) state.destination = { edit = SyncUpForm.initial { syncUp = state.syncUp } } end,
    ["destination.edit.saveTapped"] = function(state)
      state.syncUp = state.destination.edit.syncUp
      state.destination = nil
      return scripted.effect.send("delegate.changed", { syncUp = state.syncUp })
    end,
  },
  view = function(state)
    local syncUp = state.syncUp
    return ui.screen {
      title = syncUp.title, sheet = "destination.edit",
      ui.text { "Length: " .. syncUp.minutes .. " min" },
      ui.forEach(syncUp.attendees, function(attendee) return ui.text(attendee.name) end),
      ui.button { "Edit", action = "editTapped" },
    }
  end,
}:ifLet("destination", scripted.cases { edit = SyncUpForm })
