-- scripts/sync_up_detail.lua
local scripted = require "scripted"
local ui = require "scripted.ui"

return scripted.feature {
  name = "SyncUpDetail",
  state = { syncUp = { id = "", title = "", minutes = 5, attendees = scripted.array {} } },
  view = function(state)
    local syncUp = state.syncUp
    return ui.screen {
      title = syncUp.title,
      ui.text { "Length: " .. syncUp.minutes .. " min" },
      ui.forEach(syncUp.attendees, function(attendee) return ui.text(attendee.name) end),
    }
  end,
}
