-- scripts/app.lua
local scripted = require "scripted"
local ui = require "scripted.ui"
local Meeting = require "meeting"
local SyncUpDetail = require "sync_up_detail"
local SyncUpsList = require "sync_ups_list"

local list = scripted.list

return scripted.feature {
  name = "App",
  state = { syncUpsList = SyncUpsList.initial(), path = scripted.array {} },
  on = {
    ["syncUpsList.syncUpTapped"] = function(state, action)
      local syncUp = list.find(state.syncUpsList.syncUps, action.id)
      table.insert(state.path, { detail = SyncUpDetail.initial { syncUp = syncUp } })
    end,

    ["path[*].detail.meetingTapped"] = function(state, _, _, ids)
      local syncUp = list.find(state.path, ids[1]).detail.syncUp
      table.insert(state.path, { meeting = Meeting.initial { syncUp = syncUp } })
    end,

    ["path[*].detail.delegate.changed"] = function(state, action)
      local syncUps = state.syncUpsList.syncUps
      syncUps[list.indexOf(syncUps, action.syncUp.id)] = action.syncUp
    end,

    ["path[*].detail.delegate.deleted"] = function(state, action) list.remove(state.syncUpsList.syncUps, action.id) end,

    ["path[*].meeting.delegate.finished"] = function(state, action)
      local syncUp = list.find(state.syncUpsList.syncUps, action.id)
      syncUp.meetings = (syncUp.meetings or 0) + 1
    end,
  },
  view = function() return ui.navigation { path = "path", ui.child "syncUpsList" } end,
}
  :scope("syncUpsList", SyncUpsList)
  :stack("path", { detail = SyncUpDetail, meeting = Meeting })
