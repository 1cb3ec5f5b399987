-- scripts/sync_up_form.lua
local scripted = require "scripted"
local ui = require "scripted.ui"

return scripted.feature {
  name = "SyncUpForm",
  binding = true,
  state = { syncUp = { id = "", title = "", minutes = 5, attendees = scripted.array {} } },
  dependencies = { "uuid" },
  actions = { "saveTapped" },
  on = {
    cancelTapped = function() return scripted.effect.dismiss() end,
    addAttendeeTapped = function(state, _, deps)
      table.insert(state.syncUp.attendees, { id = deps.uuid(), name = "" })
    end,
    removeAttendeeTapped = function(state, action) scripted.list.remove(state.syncUp.attendees, action.id) end,
  },
  view = function(state)
    return ui.form {
      label = "Sync-up",
      ui.textField { label = "Title", bind = "syncUp.title" },
      ui.stepper { label = "Minutes", bind = "syncUp.minutes", min = 5, max = 60 },
      ui.forEach(state.syncUp.attendees, function(attendee, index)
        return ui.row {
          ui.textField { label = "Attendee " .. index, bind = "name" },
          ui.button {
            "Remove", label = "Remove attendee " .. index,
            action = { "removeAttendeeTapped", { id = attendee.id } },
          },
        }
      end),
      ui.button { "Add attendee", action = "addAttendeeTapped" },
      ui.row {
        ui.button { "Cancel", action = "cancelTapped" },
        ui.button { "Save", action = "saveTapped", disabled = state.syncUp.title == "" },
      },
    }
  end,
}
