-- Edits a sync-up. What becomes of it is up to those who present the form.
local scripted = require "scripted"
local ui = require "scripted.ui"
local SyncUp = require "sync_ups.sync_up"

local list = scripted.list

return scripted.feature {
  name = "SyncUpForm",
  state = { focus = "title" },           -- or the id of an attendee; syncUp: what is edited
  dependencies = { "uuid" },
  binding = true,                        -- title, theme, names and the focus
  actions = { "cancelButtonTapped", "saveButtonTapped" },
  on = {
    addAttendeeButtonTapped = function(state, _, deps)
      local attendee = SyncUp.attendee(deps.uuid())
      table.insert(state.syncUp.attendees, attendee)
      state.focus = attendee.id
    end,

    -- { value = minutes }
    lengthChanged = function(state, action) state.syncUp.duration = action.value * 60 end,

    -- { rows = { index, … } } from the list on the screen, or { indices }; the smallest first
    deleteAttendees = function(state, action, deps)
      local attendees, indices = state.syncUp.attendees, action.rows or action.indices
      list.removeAt(attendees, indices)
      if #attendees == 0 then table.insert(attendees, SyncUp.attendee(deps.uuid())) end

      -- The focus stays where it was deleted, on what has moved there.
      local index = math.min(indices[1], #attendees)
      state.focus = attendees[index].id
    end,
  },
  view = function(state)
    local syncUp = state.syncUp
    local isValid = syncUp.title:find "%S" ~= nil
    return ui.screen {
      title = "Sync-up", focus = "focus",
      ui.form {
        onSubmit = isValid and "saveButtonTapped" or nil,
        ui.section {
          title = "Info",
          ui.textField { label = "Title", bind = "syncUp.title", name = "title" },
          ui.slider {
            label = "Minutes", value = syncUp.duration // 60, onChange = "lengthChanged", name = "length",
            min = 1, max = 30, step = 1,
          },
          ui.picker { label = "Theme", bind = "syncUp.theme", name = "theme", options = SyncUp.themes },
        },
        ui.section {
          title = "Attendees",
          ui.list {
            onDelete = "deleteAttendees",
            ui.forEach(syncUp.attendees, function(attendee)
              return ui.textField { label = "Name", labelHidden = true, bind = "name", name = attendee.id }
            end),
          },
          ui.button { "New attendee", action = "addAttendeeButtonTapped" },
        },
      },
      ui.toolbar {
        ui.button { "Cancel", action = "cancelButtonTapped", role = "cancel" },
        ui.button { "Save", action = "saveButtonTapped", role = "primary", disabled = not isValid },
      },
    }
  end,
}
