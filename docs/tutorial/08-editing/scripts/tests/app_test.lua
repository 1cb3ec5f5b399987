-- scripts/tests/app_test.lua
local test = require "scripted.test"
local App = require "app"

local design = { id = "1", title = "Design", minutes = 5, attendees = {} }

local function opened()
  return test.store(App, {
    state = { syncUpsList = { syncUps = { design } }, path = { { id = 0, detail = { syncUp = design } } } },
  })
end

describe("The app", function()
  it("edits a sync-up", function()
    local store = opened()

    store:send("path[0].detail.editTapped", function(state)
      state.path[1].detail.destination = { edit = { syncUp = design } }
    end)
    store:send("path[0].detail.destination.edit.binding.syncUp.title", "Art", function(state)
      state.path[1].detail.destination.edit.syncUp.title = "Art"
    end)
    store:send("path[0].detail.destination.edit.saveTapped", function(state)
      state.path[1].detail.syncUp.title = "Art"
      state.path[1].detail.destination = nil
    end)
    store:receive("path[0].detail.delegate.changed", function(state)
      state.syncUpsList.syncUps[1].title = "Art"
    end)
  end)
end)
