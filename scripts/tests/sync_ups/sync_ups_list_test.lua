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

  describe("its screen", function()
    local function viewOf(syncUps)
      local view = test.view(SyncUpsList, {
        state = { syncUps = syncUps }, dependencies = { uuid = test.incrementingUUID() },
      })
      view.store:receive("task")
      return view
    end

    it("shows who meets, and for how long", function()
      local syncUps = scripted.list.map(SyncUp.mocks, function(syncUp) return syncUp end)
      table.insert(syncUps, {
        id = "alone", title = "Alone", attendees = { SyncUp.attendee "1" }, duration = 90,
        meetings = scripted.array {}, theme = "navy",
      })
      assert.matches_snapshot(viewOf(syncUps):text())
    end)

    it("says when there are none", function()
      assert.matches_snapshot(viewOf({}):text())
    end)

    it("asks whether others take the place of a damaged file", function()
      test.storage.write("sync-ups.json", "no JSON")
      local view = test.view(SyncUpsList)

      view.store:withExhaustivity("off", function() view.store:receive("task") end)
      view:find("alert", "The sync-ups cannot be read"):find("button", "Yes"):tap(function(state)
        state.syncUps, state.destination = SyncUp.mocks, nil
      end)
      view.store:receive("shared", function(state) state.file.loadError = nil end)
      assert.is_nil(view:query("text", "No sync-ups yet."))
      assert.are.equal("Design", view:find("row", 1):find("link").name)
    end)

    it("adds what the form has made", function()
      local view = viewOf {}
      local syncUp = SyncUp.new(test.uuid(0), test.uuid(1))

      view:find("button", "Add sync-up"):tap(function(state)
        state.destination = { add = SyncUpForm.initial { syncUp = syncUp } }
      end)
      view:find("sheet"):find("textField", "Title"):type("Design", function(state)
        state.destination.add.syncUp.title = "Design"
      end)
      view:find("button", "Save"):tap(function(state)
        syncUp.title = "Design"
        state.syncUps, state.destination = { syncUp }, nil
      end)
      assert.is_nil(view:query("sheet"))
      assert.is_not_nil(view:query("link", "Design"))
    end)

    it("forgets a form that is cancelled or closed", function()
      local view = viewOf {}

      for id, close in ipairs {
        function(expect) view:find("button", "Cancel"):tap(expect) end, function(expect) view:dismiss(expect) end,
      } do
        view:press("mod+n", function(state)
          state.destination = {
            add = SyncUpForm.initial { syncUp = SyncUp.new(test.uuid(2 * id - 2), test.uuid(2 * id - 1)) },
          }
        end)
        close(function(state) state.destination = nil end)
      end
    end)

    it("deletes rows and opens them", function()
      local view = viewOf(SyncUp.mocks)

      view:find("row", "Engineering"):delete(function(state) table.remove(state.syncUps, 2) end)
      view:find("link", "Product"):tap()                   -- for the one who can show it
    end)
  end)
end)
