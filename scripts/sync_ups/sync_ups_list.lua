-- The list of sync-ups, which presents a form for a new one.
local scripted = require "scripted"
local ui = require "scripted.ui"
local format = require "sync_ups.format"
local SyncUp = require "sync_ups.sync_up"
local SyncUpForm = require "sync_ups.sync_up_form"

local list = scripted.list

-- The sync-ups are kept from one launch to the next. A handler writes them as any field, and they are saved.
local syncUps = scripted.shared.fileStorage("sync-ups.json", scripted.array {})

local Destination = scripted.cases { add = SyncUpForm, alert = scripted.ephemeral }

local loadingFailed = {
  title = "The sync-ups cannot be read",
  message = "Their file is damaged. Some to try the application with can take their place.",
  buttons = {
    { label = "Yes", action = "confirmLoadMockData" },
    { label = "No", role = "cancel" },
  },
}

local function closeForm(state) state.destination = nil end

-- Takes the form's sync-up over, without the attendees who have no name, unless none has one.
local function addSyncUp(state)
  local syncUp = state.destination.add.syncUp
  local named = list.filter(syncUp.attendees, function(attendee) return attendee.name:find "%S" end)
  syncUp.attendees = #named > 0 and named or { syncUp.attendees[1] }
  table.insert(state.syncUps, syncUp)
  state.destination = nil
end

return scripted.feature {
  name = "SyncUpsList",
  state = {},                                        -- destination: one of Destination's cases
  shared = { syncUps = syncUps, file = syncUps:status() },
  dependencies = { "uuid" },
  actions = { "syncUpTapped" },                      -- { id }: for the one who can show it
  on = {
    -- The file is read before the first action. A damaged one gets another name before the list is saved.
    task = function(state)
      if state.file.loadError and #state.syncUps == 0 then state.destination = { alert = loadingFailed } end
    end,

    ["destination.alert.confirmLoadMockData"] = function(state) state.syncUps = SyncUp.mocks end,

    addSyncUpButtonTapped = function(state, _, deps)
      state.destination = { add = SyncUpForm.initial { syncUp = SyncUp.new(deps.uuid(), deps.uuid()) } }
    end,

    -- The buttons of the form; a host may have its own.
    ["destination.add.cancelButtonTapped"] = closeForm,
    ["destination.add.saveButtonTapped"] = addSyncUp,
    dismissAddSyncUpButtonTapped = closeForm,
    confirmAddSyncUpButtonTapped = addSyncUp,

    -- { rows = { index, … } } from the list on the screen, or { indices }
    onDelete = function(state, action) list.removeAt(state.syncUps, action.rows or action.indices) end,
  },
  view = function(state)
    return ui.screen {
      title = "Daily sync-ups", task = "task", sheet = "destination.add", alert = "destination.alert",
      #state.syncUps == 0 and ui.text { "No sync-ups yet.", tone = "secondary" },
      ui.list {
        onDelete = "onDelete", style = "cards",
        ui.forEach(state.syncUps, function(syncUp)
          local attendees, duration = format.attendees(#syncUp.attendees), format.duration(syncUp.duration)
          return ui.row {
            ui.link { syncUp.title, action = { "syncUpTapped", { id = syncUp.id } } },
            ui.spacer(),
            ui.text { attendees .. ", " .. duration, tone = "secondary" },
          }
        end),
      },
      ui.toolbar {
        ui.button { "Add sync-up", action = "addSyncUpButtonTapped", role = "primary", shortcut = "mod+n" },
      },
    }
  end,
}:ifLet("destination", Destination)
