-- scripts/sync_ups_list.lua
local scripted = require "scripted"
local ui = require "scripted.ui"
local SyncUpForm = require "sync_up_form"

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
  dependencies = { "uuid" },
  actions = { "syncUpTapped" },
  on = {
    addTapped = function(state, _, deps)
      local syncUp = { id = deps.uuid(), title = "", minutes = 5, attendees = scripted.array {} }
      state.destination = { add = SyncUpForm.initial { syncUp = syncUp } }
    end,
    ["destination.add.saveTapped"] = function(state)
      table.insert(state.syncUps, state.destination.add.syncUp)
      state.destination = nil
    end,
    deleted = function(state, action) scripted.list.removeAt(state.syncUps, action.rows) end,
  },
  view = function(state)
    return ui.screen {
      title = "Daily Sync-ups", sheet = "destination.add",
      ui.list {
        label = "Sync-ups", onDelete = "deleted",
        ui.forEach(state.syncUps, function(syncUp)
          return ui.row {
            ui.button { syncUp.title, action = { "syncUpTapped", { id = syncUp.id } }, style = "plain" },
            ui.text { #syncUp.attendees .. " people, " .. syncUp.minutes .. " min" },
          }
        end),
      },
      ui.button { "Add", action = "addTapped" },
    }
  end,
}:ifLet("destination", scripted.cases { add = SyncUpForm })
