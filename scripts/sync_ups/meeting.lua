-- A past meeting: who was there, and what was said. It only shows that.
local scripted = require "scripted"
local ui = require "scripted.ui"
local format = require "sync_ups.format"

return scripted.feature {
  name = "Meeting",
  state = {},                                                  -- meeting, syncUp
  view = function(state)
    local transcript = state.meeting.transcript
    return ui.screen {
      title = format.date(state.meeting.date),
      ui.section {
        title = "Attendees",
        ui.list { ui.forEach(state.syncUp.attendees, function(attendee) return ui.text(attendee.name) end) },
      },
      ui.section {
        title = "Transcript",
        ui.text { transcript ~= "" and transcript or "Nothing was written down.",
          tone = transcript == "" and "secondary" or nil },
      },
    }
  end,
}
