-- scripts/tests/sync_ups_list_test.lua
local test = require "scripted.test"
local SyncUpsList = require "sync_ups_list"

describe("The list", function()
  it("deletes a sync-up", function()
    local view = test.view(SyncUpsList)
    view:find("row", 1):delete(function(state) table.remove(state.syncUps, 1) end)
    assert.are.equal(1, #view:all("row"))
  end)

  it("adds a sync-up", function()
    local view = test.view(SyncUpsList, {
      state = { syncUps = {} }, dependencies = { uuid = test.incrementingUUID() },
    })
    local syncUp = { id = test.uuid(0), title = "", minutes = 5, attendees = {} }

    view:find("button", "Add"):tap(function(state) state.destination = { add = { syncUp = syncUp } } end)
    assert.is_true(view:find("button", "Save").disabled)
    assert.error_matches(function() view:find("button", "Add") end, "covered")

    view:find("textField", "Title"):type("Standup", function(state) state.destination.add.syncUp.title = "Standup" end)
    view:find("button", "Save"):tap(function(state)
      state.syncUps = { { id = test.uuid(0), title = "Standup", minutes = 5, attendees = {} } }
      state.destination = nil
    end)
  end)

  it("adds nothing when the form is cancelled", function()
    local view = test.view(SyncUpsList, {
      state = {
        syncUps = {},
        destination = { add = { syncUp = { id = "1", title = "", minutes = 5, attendees = {} } } },
      },
    })
    view:find("button", "Cancel"):tap()
    view.store:receive("destination.dismiss", function(state) state.destination = nil end)
  end)
end)
