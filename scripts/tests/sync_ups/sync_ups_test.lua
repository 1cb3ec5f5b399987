local scripted = require "scripted"
local test = require "scripted.test"
local SyncUps = require "sync_ups"
local RecordMeeting = require "sync_ups.record_meeting"
local SyncUp = require "sync_ups.sync_up"
local SyncUpDetail = require "sync_ups.sync_up_detail"
local SyncUpForm = require "sync_ups.sync_up_form"
local SyncUpsList = require "sync_ups.sync_ups_list"

local syncUp = SyncUp.mocks[1]

-- The key of the list: it is known by its file.
local stored = scripted.shared.fileStorage("sync-ups.json", scripted.array {})

describe("SyncUps", function()
  local function storeOf(syncUps, path, dependencies)
    return test.store(SyncUps, {
      state = { syncUpsList = SyncUpsList.initial { syncUps = syncUps }, path = path },
      dependencies = dependencies,
    })
  end

  local function open(store)
    store:send("path.push", { state = { detail = SyncUpDetail.initial { syncUp = syncUp } } }, function(state)
      state.path = { { id = 0, detail = { syncUp = syncUp } } }
    end)
  end

  it("takes over in the list what is edited in the detail, and saves it", function()
    local store = storeOf { syncUp }

    open(store)
    store:send("path[0].detail.editButtonTapped", function(state)
      state.path[1].detail.destination = { edit = SyncUpForm.initial { syncUp = syncUp } }
    end)
    store:send("path[0].detail.destination.edit.binding.syncUp.title", "Blob", function(state)
      state.path[1].detail.destination.edit.syncUp.title = "Blob"
    end)
    store:send("path[0].detail.doneEditingButtonTapped", function(state)
      state.path[1].detail.destination = nil
      state.path[1].detail.syncUp.title = "Blob"
    end)
    store:receive("path[0].detail.delegate.syncUpUpdated", function(state)
      state.syncUpsList.syncUps[1].title = "Blob"
    end)
    assert.are.equal("Blob", test.shared(stored).value[1].title)
  end)

  it("changes only the screens of that sync-up", function()
    local store = storeOf(SyncUp.mocks, {
      { detail = SyncUpDetail.initial { syncUp = SyncUp.mocks[1] } },
      { detail = SyncUpDetail.initial { syncUp = SyncUp.mocks[2] } },
    })

    store:send("path[0].detail.deleteMeetings", { indices = { 1 } }, function(state)
      state.path[1].detail.syncUp.meetings = {}
    end)
    store:receive("path[0].detail.delegate.syncUpUpdated", function(state)
      state.syncUpsList.syncUps[1].meetings = {}
    end)
  end)

  it("deletes a sync-up and leaves its detail", function()
    local store = storeOf { syncUp }

    open(store)
    store:withExhaustivity("off", function() store:send("path[0].detail.deleteButtonTapped") end)
    store:send("path[0].detail.destination.alert.confirmDeletion", function(state)
      state.path[1].detail.destination = nil
    end)
    store:receive("path[0].detail.delegate.deleteSyncUp", function(state) state.syncUpsList.syncUps = {} end)
    store:receive("path.popFrom", { id = 0 }, function(state) state.path = {} end)
    assert.are.same({}, test.shared(stored).value)
  end)

  it("opens a meeting on top of the detail", function()
    local store = storeOf({ syncUp }, nil, {
      speechClient = { authorizationStatus = function() return "authorized" end },
    })

    open(store)
    store:send("path[0].detail.startMeetingButtonTapped")
    store:receive("path[0].detail.delegate.startMeeting", function(state)
      state.path[2] = { id = 1, record = RecordMeeting.initial { syncUp = syncUp } }
    end)
  end)

  -- The meeting's timer and recognizer go with its screen: else they would be in flight in the end.
  it("records a meeting and returns to the detail with it", function()
    local clock, transcripts = test.clock(), test.stream()
    local short = SyncUp.new("design", "a")
    short.duration = 6
    local store = storeOf({ short }, {
      { detail = SyncUpDetail.initial { syncUp = short } },
      { record = RecordMeeting.initial { syncUp = short } },
    }, {
      clock = clock,
      date = test.constantDate(1234567890),
      speechClient = {
        authorizationStatus = function() return "authorized" end,
        transcripts = function() return transcripts end,
      },
      uuid = test.incrementingUUID(),
    })

    store:withExhaustivity("off", function()
      store:send("path[1].record.task")
      transcripts:send "I completed the project"
      clock:advance(6)
      store:receive("path.popFrom", { id = 1 }, function(state) assert.are.equal(1, #state.path) end)
    end)

    store:assert(function(state)
      local meetings = {
        { id = test.uuid(0), date = 1234567890, transcript = "I completed the project" },
      }
      state.path[1].detail.syncUp.meetings = meetings
      state.syncUpsList.syncUps[1].meetings = meetings
    end)
  end)

  it("shows past meetings", function()
    local store = storeOf { syncUp }
    local meeting = { meeting = { meeting = syncUp.meetings[1], syncUp = syncUp } }

    store:send("path.push", { state = meeting }, function(state)
      meeting.id = 0
      state.path = { meeting }
    end)
    store:send("path.popFrom", { id = 0 }, function(state) state.path = {} end)
  end)

  -- A second window of the host, or the next launch, has the list; what is open there stays.
  it("is one list for all stores", function()
    local store, other = storeOf(SyncUp.mocks), storeOf()

    store:send("syncUpsList.onDelete", { indices = { 1 } }, function(state)
      table.remove(state.syncUpsList.syncUps, 1)
    end)
    other:receive("shared", function(state)
      state.syncUpsList.syncUps = { SyncUp.mocks[2], SyncUp.mocks[3] }
    end)
    assert.are.equal(2, #storeOf().state.syncUpsList.syncUps)
  end)

  describe("its screen", function()
    local function viewOf(syncUps, dependencies)
      local view = test.view(SyncUps, {
        state = { syncUpsList = SyncUpsList.initial { syncUps = syncUps } }, dependencies = dependencies,
      })
      view.store:receive("syncUpsList.task")
      return view
    end

    local function showDetail(view)
      view:find("link", syncUp.title):tap(function(state) state.path = { { id = 0, detail = { syncUp = syncUp } } } end)
    end

    it("goes to a sync-up, to a past meeting, and back", function()
      local view = viewOf(SyncUp.mocks)
      assert.are.equal("Daily sync-ups", view:find("screen").name)

      showDetail(view)
      view:find("link", "2030-01-01 00:00"):tap(function(state)
        state.path[2] = { id = 1, meeting = { meeting = syncUp.meetings[1], syncUp = syncUp } }
      end)
      assert.matches_snapshot(view:text())
      view:back(function(state) table.remove(state.path) end)
      assert.are.equal("Design", view:find("screen").name)
      view:back(function(state) table.remove(state.path) end)
      assert.are.equal("Daily sync-ups", view:find("screen").name)
    end)

    it("records a meeting and keeps it", function()
      local clock = test.clock()
      local view = viewOf({ syncUp }, {
        clock = clock, date = test.constantDate(1893459600), uuid = test.incrementingUUID(),
        speechClient = { authorizationStatus = function() return "denied" end },
      })
      local store = view.store

      showDetail(view)
      store:withExhaustivity("off", function()
        view:find("button", "Start meeting"):tap()
        view:find("button", "Continue without recording"):tap()
        store:receive("path[0].detail.delegate.startMeeting")
        store:receive("path[1].record.task")
        view:find("button", "End meeting"):tap()
        view:find("button", "Save and end"):tap()
        store:receive("path.popFrom")
      end)
      assert.are.equal("2030-01-01 01:00", view:find("section", "Past meetings"):all("link")[1].name)
      assert.are.equal(2, #test.shared(stored).value[1].meetings)
    end)

    -- The list below and the root have read nothing of what the detail shows.
    it("runs the view of the screen that has changed", function()
      local view = viewOf(SyncUp.mocks)

      showDetail(view)
      view.store:withExhaustivity("off", function() view:find("button", "Edit"):tap() end)
      assert.are.same({ "path[0].detail.destination.edit" }, view:evaluated())
    end)
  end)
end)
