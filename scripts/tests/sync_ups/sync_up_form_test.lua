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

  describe("its screen", function()
    local function viewOf(syncUp)
      return test.view(SyncUpForm, { state = { syncUp = syncUp }, dependencies = { uuid = test.incrementingUUID() } })
    end

    it("cannot be saved without a title", function()
      local view = viewOf(SyncUp.new("engineering", "first"))
      assert.matches_snapshot(view:text())
      assert.is_true(view:find("button", "Save").disabled)

      view:find("textField", "Title"):type("Engineering", function(state) state.syncUp.title = "Engineering" end)
      view:find("button", "Save"):tap()                    -- for those who present the form
      view:find("textField", "Title"):submit()
    end)

    it("edits what a sync-up has", function()
      local view = viewOf(SyncUp.mocks[2])

      view:find("slider", "Minutes"):set(15, function(state) state.syncUp.duration = 900 end)
      view:find("picker", "Theme"):choose("seafoam", function(state) state.syncUp.theme = "seafoam" end)
      view:find("row", 2):find("textField", "Name"):set("Blob", function(state)
        state.syncUp.attendees[2].name = "Blob"
      end)
      view:find("row", 1):delete(function(state)
        table.remove(state.syncUp.attendees, 1)
        state.focus = "2"
      end)
    end)

    it("has the focus in both directions", function()
      local view = viewOf(SyncUp.mocks[2])

      view:find("row", 1):find("textField", "Name"):focus(function(state) state.focus = "1" end)
      view:find("button", "New attendee"):tap(function(state)
        table.insert(state.syncUp.attendees, SyncUp.attendee(test.uuid(0)))
        state.focus = test.uuid(0)
      end)
      assert.are.equal(test.uuid(0), view:find("screen").node.focused)
    end)
  end)
end)
