-- scripts/sync_ups_list.lua
local scripted = require "scripted"
local ui = require "scripted.ui"

return scripted.feature {
  name = "SyncUpsList",
  state = {
    syncUps = {
      {
        id = "1", title = "Design", minutes = 5,
        attendees = { { id = "a", name = "Blob" }, { id = "b", name = "Blob Jr." } },
      },
      { id = "2", title = "Product", minutes = 10, attendees = { { id = "a", name = "Blob" } } },
    },
  },
  view = function(state)
    return ui.screen {
      title = "Daily Sync-ups",
      ui.list {
        label = "Sync-ups",
        ui.forEach(state.syncUps, function(syncUp)
          return ui.row { syncUp.title, ui.text { #syncUp.attendees .. " people, " .. syncUp.minutes .. " min" } }
        end),
      },
    }
  end,
}
