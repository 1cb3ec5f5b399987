-- scripts/tests/sync_up_form_test.lua
local test = require "scripted.test"
local SyncUpForm = require "sync_up_form"

describe("The form", function()
  it("adds, names and removes an attendee", function()
    local view = test.view(SyncUpForm, { dependencies = { uuid = test.incrementingUUID() } })

    view:find("button", "Add attendee"):tap(function(state)
      state.syncUp.attendees = { { id = test.uuid(0), name = "" } }
    end)
    view:find("textField", "Attendee 1"):type("Blob", function(state) state.syncUp.attendees[1].name = "Blob" end)
    view:find("button", "Remove attendee 1"):tap(function(state) state.syncUp.attendees = {} end)
  end)
end)
