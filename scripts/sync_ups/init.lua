-- Sync-ups, after the SyncUps example of The Composable Architecture: a list, and a stack of what was opened
-- from it. The list is a shared value, which is stored in a file: `runner dev --shared DIR sync_ups` goes on with it.
local scripted = require "scripted"
local ui = require "scripted.ui"
local Meeting = require "sync_ups.meeting"
local RecordMeeting = require "sync_ups.record_meeting"
local SyncUpDetail = require "sync_ups.sync_up_detail"
local SyncUpsList = require "sync_ups.sync_ups_list"

local list = scripted.list

-- A host that draws the screens itself pushes details and past meetings: `path.push` with
-- `{ state = { detail = { syncUp = … } } }` or `{ state = { meeting = { meeting = …, syncUp = … } } }`.
local Path = scripted.cases { detail = SyncUpDetail, meeting = Meeting, record = RecordMeeting }

-- The list and the screens on the stack have a copy of a sync-up each, so a change goes to all of them.
local function updateSyncUp(state, action)
  local syncUps = state.syncUpsList.syncUps
  local index = list.indexOf(syncUps, action.syncUp.id)
  if index then syncUps[index] = action.syncUp end

  for _, element in ipairs(state.path) do
    local detail = element.detail
    if detail and detail.syncUp.id == action.syncUp.id then detail.syncUp = action.syncUp end
  end
end

return scripted.feature {
  name = "SyncUps",
  state = { path = scripted.array {}, syncUpsList = SyncUpsList.initial() },
  on = {
    ["syncUpsList.syncUpTapped"] = function(state, action)
      local syncUp = list.find(state.syncUpsList.syncUps, action.id)
      table.insert(state.path, { detail = SyncUpDetail.initial { syncUp = syncUp } })
    end,

    ["path[*].detail.meetingTapped"] = function(state, action, _, ids)
      local syncUp = list.find(state.path, ids[1]).detail.syncUp
      table.insert(state.path, {
        meeting = Meeting.initial { meeting = list.find(syncUp.meetings, action.id), syncUp = syncUp },
      })
    end,

    ["path[*].detail.delegate.startMeeting"] = function(state, action)
      table.insert(state.path, { record = RecordMeeting.initial { syncUp = action.syncUp } })
    end,

    ["path[*].detail.delegate.deleteSyncUp"] = function(state, action)
      list.remove(state.syncUpsList.syncUps, action.id)
    end,

    ["path[*].detail.delegate.syncUpUpdated"] = updateSyncUp,
    ["path[*].record.delegate.syncUpUpdated"] = updateSyncUp,
  },
  view = function() return ui.navigation { path = "path", ui.child "syncUpsList" } end,
}
  :scope("syncUpsList", SyncUpsList)
  :stack("path", Path)
