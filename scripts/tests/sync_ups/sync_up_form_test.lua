local test = require "scripted.test"
local SyncUp = require "sync_ups.sync_up"
local SyncUpForm = require "sync_ups.sync_up_form"

describe("SyncUpForm", function()
  local function storeOf(syncUp)
    return test.store(SyncUpForm, {
      state = { syncUp = syncUp },
      dependencies = { uuid = test.incrementingUUID() },
    })
  end

  local function attendees(...)
    local all = {}
    for _, id in ipairs { ... } do table.insert(all, SyncUp.attendee(id)) end
    return all
  end

  it("adds an attendee and puts the focus there", function()
    local store = storeOf(SyncUp.new("engineering", "first"))

    store:assert(function(state) state.syncUp.attendees = attendees "first" end)
    store:send("addAttendeeButtonTapped", function(state)
      state.focus = test.uuid(0)
      state.syncUp.attendees = attendees("first", test.uuid(0))
    end)
  end)

  it("keeps the focus where an attendee was deleted, and always one attendee", function()
    local syncUp = SyncUp.new("engineering", "")
    syncUp.attendees = attendees("a", "b", "c", "d")
    local store = storeOf(syncUp)

    local function delete(index, focus, ...)
      local left = attendees(...)
      store:send("deleteAttendees", { indices = { index } }, function(state)
        state.focus = focus
        state.syncUp.attendees = left
      end)
    end

    delete(1, "b", "b", "c", "d")
    delete(2, "d", "b", "d")
    delete(2, "b", "b")
    delete(1, test.uuid(0), test.uuid(0))
  end)

  it("is bound to the fields of the sync-up", function()
    local store = storeOf(SyncUp.new("engineering", "first"))

    store:send("binding.syncUp.title", "Engineering", function(state) state.syncUp.title = "Engineering" end)
    store:send("binding.syncUp.duration", 600, function(state) state.syncUp.duration = 600 end)
    store:send("binding.focus", "first", function(state) state.focus = "first" end)
  end)
end)
