-- scripts/sync_up_form.lua
local scripted = require "scripted"
local ui = require "scripted.ui"

return scripted.feature {
  name = "SyncUpForm",
  binding = true,
  state = { syncUp = { id = "", title = "", minutes = 5, attendees = scripted.array {} } },
  view = function()
    return ui.form {
      label = "Sync-up",
      ui.textField { label = "Title", bind = "syncUp.title" },
      ui.stepper { label = "Minutes", bind = "syncUp.minutes", min = 5, max = 60 },
    }
  end,
}
