-- Where the sync-ups are kept from one launch to the next.
local scripted = require "scripted"
local SyncUp = require "sync_ups.sync_up"

local path = "sync-ups.json"

local syncUpsFile = {
  name = "syncUpsFile",

  live = function(deps)
    return {
      -- The list that was saved last, an empty one at first. Raises if the file is not what it should be.
      load = function()
        if not deps.files.exists(path) then return scripted.array {} end
        return deps.files.read(path, { as = "json" })
      end,

      save = function(syncUps) deps.files.write(path, syncUps, { as = "json" }) end,
    }
  end,

  preview = { load = function() return SyncUp.mocks end, save = function() end },
}

scripted.dependency(syncUpsFile)

-- Tests call `live` with dependencies of their own.
return syncUpsFile
