local scripted = require "scripted"
local test = require "scripted.test"
local SyncUp = require "sync_ups.sync_up"
local SyncUpForm = require "sync_ups.sync_up_form"
local SyncUpsList = require "sync_ups.sync_ups_list"

describe("SyncUpsList", function()
  it("adds what the form has made", function()
    local store = test.store(SyncUpsList, { dependencies = { uuid = test.incrementingUUID() } })
    local syncUp = SyncUp.new(test.uuid(0), test.uuid(1))

    store:send("addSyncUpButtonTapped", function(state)
      state.destination = { add = SyncUpForm.initial { syncUp = syncUp } }
    end)
    store:send("destination.add.binding.syncUp.title", "Engineering", function(state)
      state.destination.add.syncUp.title = "Engineering"
    end)
    store:send("confirmAddSyncUpButtonTapped", function(state)
      syncUp.title = "Engineering"
      state.syncUps = { syncUp }
      state.destination = nil
    end)
  end)

  describe("leaves out attendees without a name", function()
    local function added(names)
      local syncUp = SyncUp.new("design", "")
      for index, name in ipairs(names) do
        syncUp.attendees[index] = { id = tostring(index), name = name }
      end
      local store = test.store(SyncUpsList, {
        state = { destination = { add = SyncUpForm.initial { syncUp = syncUp } } },
      })

      -- What a test cares for is the attendees, so it does not say the rest.
      store.exhaustivity = "off"
      store:send("confirmAddSyncUpButtonTapped")
      return store.state.syncUps[1].attendees
    end

    it("and keeps the others", function()
      assert.are.same({ { id = "2", name = "Blob" } }, added { " ", "Blob", "" })
    end)

    it("but the first, if none has one", function()
      assert.are.same({ { id = "1", name = "" } }, added { "", "    " })
    end)
  end)

  it("forgets a form that is dismissed", function()
    local form = { add = SyncUpForm.initial { syncUp = SyncUp.new("design", "first") } }

    for _, dismissal in ipairs { "dismissAddSyncUpButtonTapped", "destination.dismiss" } do
      local store = test.store(SyncUpsList, { state = { destination = form } })
      store:send(dismissal, function(state) state.destination = nil end)
    end
  end)

  it("deletes rows", function()
    local store = test.store(SyncUpsList, { state = { syncUps = SyncUp.mocks } })

    store:send("onDelete", { indices = { 1, 3 } }, function(state) state.syncUps = { SyncUp.mocks[2] } end)
  end)

  describe("when it appears", function()
    local stored = scripted.shared.fileStorage("sync-ups.json", scripted.array {})

    it("shows what was saved", function()
      test.shared(stored):set { SyncUp.mocks[1] }
      local store = test.store(SyncUpsList)

      assert.are.same({ SyncUp.mocks[1] }, store.state.syncUps)
      store:send("task")
    end)

    it("offers others where that fails, once", function()
      test.storage.write("sync-ups.json", "no JSON")
      local store = test.store(SyncUpsList)

      assert.are.equal("broken", store.state.file.loadError.code)
      store:send("task", function(state)
        state.destination = {
          alert = {
            title = "The sync-ups cannot be read",
            message = "Their file is damaged. Some to try the application with can take their place.",
            buttons = {
              { label = "Yes", action = "confirmLoadMockData" },
              { label = "No", role = "cancel" },
            },
          },
        }
      end)
      store:send("destination.alert.confirmLoadMockData", function(state)
        state.syncUps = SyncUp.mocks
        state.destination = nil
      end)
      -- The list is written anew, and the old text has another name.
      store:receive("shared", function(state) state.file.loadError = nil end)
      assert.are.equal("no JSON", test.storage.read("sync-ups.json.broken-1"))
      store:send("task")
    end)
  end)
end)
