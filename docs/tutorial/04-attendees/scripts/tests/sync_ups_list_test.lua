-- scripts/tests/sync_ups_list_test.lua
local test = require "scripted.test"
local SyncUpsList = require "sync_ups_list"

describe("The list", function()
  it("deletes a sync-up", function()
    local view = test.view(SyncUpsList)
    view:find("row", 1):delete(function(state) table.remove(state.syncUps, 1) end)
    assert.are.equal(1, #view:all("row"))
  end)
end)
