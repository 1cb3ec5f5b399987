-- Edits a sync-up. What becomes of it is up to those who present the form.
local scripted = require "scripted"
local SyncUp = require "sync_ups.sync_up"

local list = scripted.list

return scripted.feature {
  name = "SyncUpForm",
  state = { focus = "title" },           -- or the id of an attendee; syncUp: what is edited
  dependencies = { "uuid" },
  binding = true,                        -- title, duration, theme, names and the focus
  on = {
    addAttendeeButtonTapped = function(state, _, deps)
      local attendee = SyncUp.attendee(deps.uuid())
      table.insert(state.syncUp.attendees, attendee)
      state.focus = attendee.id
    end,

    -- { indices = { index, … } }, the smallest first
    deleteAttendees = function(state, action, deps)
      local attendees = state.syncUp.attendees
      list.removeAt(attendees, action.indices)
      if #attendees == 0 then table.insert(attendees, SyncUp.attendee(deps.uuid())) end

      -- The focus stays where it was deleted, on what has moved there.
      local index = math.min(action.indices[1], #attendees)
      state.focus = attendees[index].id
    end,
  },
}
