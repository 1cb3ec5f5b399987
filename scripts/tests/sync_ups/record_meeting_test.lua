local test = require "scripted.test"
local RecordMeeting = require "sync_ups.record_meeting"
local SyncUp = require "sync_ups.sync_up"

-- When each meeting takes place.
local now = 1234567890

describe("RecordMeeting", function()
  local clock, syncUp, transcripts, store

  -- Three attendees, with two seconds each.
  before_each(function()
    clock = test.clock()
    transcripts = test.stream()
    syncUp = SyncUp.new("design", "a")
    syncUp.attendees = { SyncUp.attendee "a", SyncUp.attendee "b", SyncUp.attendee "c" }
    syncUp.duration = 6
  end)

  local function start(authorizationStatus)
    store = test.store(RecordMeeting, {
      state = { syncUp = syncUp },
      dependencies = {
        clock = clock,
        date = test.constantDate(now),
        speechClient = {
          authorizationStatus = function() return authorizationStatus end,
          transcripts = function() return transcripts end,
        },
        uuid = test.incrementingUUID(),
      },
    })
    return store:send("task")
  end

  local function receiveTick(secondsElapsed, speakerIndex)
    store:receive("timerTick", function(state)
      state.secondsElapsed = secondsElapsed
      state.speakerIndex = speakerIndex
    end)
  end

  local function addMeeting(state, transcript)
    table.insert(state.syncUp.meetings, 1, { id = test.uuid(0), date = now, transcript = transcript })
  end

  -- Here nobody presents the meeting, so it goes on until the task is cancelled.
  local function assertDismissed(task)
    assert.is_true(store.isDismissed)
    task:cancel()
  end

  it("gives each attendee a turn, then saves itself", function()
    local task = start "denied"

    transcripts:send "what nobody writes down"
    for secondsElapsed, speakerIndex in ipairs { 1, 2, 2, 3, 3 } do
      clock:advance(1)
      receiveTick(secondsElapsed, speakerIndex)
    end
    clock:advance(1)
    store:receive("timerTick", function(state)
      state.secondsElapsed = 6
      addMeeting(state, "")
    end)
    store:receive("delegate.syncUpUpdated")
    assertDismissed(task)
  end)

  it("leaves what does not divide evenly to the last attendee", function()
    syncUp.duration = 8
    local task = start "denied"

    for secondsElapsed, speakerIndex in ipairs { 1, 2, 2, 3, 3, 3, 3 } do
      clock:advance(1)
      receiveTick(secondsElapsed, speakerIndex)
    end
    task:cancel()
  end)

  it("writes down what is said", function()
    local task = start "authorized"

    transcripts:send "I completed"
    store:receive("speechResult", function(state) state.transcript = "I completed" end)
    transcripts:send "I completed the project"
    store:receive("speechResult", function(state) state.transcript = "I completed the project" end)
    transcripts:finish()

    store:withExhaustivity("off", function()
      clock:advance(6)
      store:receive("delegate.syncUpUpdated")
    end)
    store:assert(function(state) state.syncUp.meetings[1].transcript = "I completed the project" end)
    assertDismissed(task)
  end)

  it("asks whether it may, if that was not asked before", function()
    local requestAuthorization = spy(function() return "authorized" end)
    store = test.store(RecordMeeting, {
      state = { syncUp = syncUp },
      dependencies = {
        clock = clock,
        speechClient = {
          authorizationStatus = function() return "notDetermined" end,
          requestAuthorization = function() return requestAuthorization() end,
          transcripts = function() return transcripts end,
        },
      },
    })

    local task = store:send("task")
    assert.spy(requestAuthorization).was.called(1)
    transcripts:send "Hello"
    store:receive("speechResult", function(state) state.transcript = "Hello" end)
    task:cancel()
  end)

  describe("ends early", function()
    local function askToEnd()
      store:withExhaustivity("off", function() store:send("endMeetingButtonTapped") end)
      assert.are.equal("End the meeting?", store.state.alert.title)
    end

    -- The time stands still as long as the alert is there.
    it("and is saved", function()
      local task = start "denied"

      askToEnd()
      clock:advance(3)
      for _ = 1, 3 do store:receive("timerTick") end
      store:send("alert.confirmSave", function(state)
        state.alert = nil
        addMeeting(state, "")
      end)
      store:receive("delegate.syncUpUpdated")
      assertDismissed(task)
    end)

    it("and is discarded", function()
      local task = start "denied"

      askToEnd()
      store:send("alert.confirmDiscard", function(state) state.alert = nil end)
      assertDismissed(task)
    end)

    it("or goes on after all", function()
      local task = start "denied"

      askToEnd()
      store:send("alert.dismiss", function(state) state.alert = nil end)
      clock:advance(1)
      receiveTick(1, 1)
      task:cancel()
    end)
  end)

  it("goes on to the next speaker, and after the last one offers to end", function()
    local task = start "denied"

    store:send("nextButtonTapped", function(state)
      state.speakerIndex = 2
      state.secondsElapsed = 2
    end)
    store:send("nextButtonTapped", function(state)
      state.speakerIndex = 3
      state.secondsElapsed = 4
    end)
    store:send("nextButtonTapped", function(state)
      state.alert = {
        title = "End the meeting?",
        message = "Everybody has spoken, and there is time left.",
        buttons = {
          { label = "Save and end", action = "confirmSave" },
          { label = "Resume", role = "cancel" },
        },
      }
    end)
    store:send("alert.confirmSave", function(state)
      state.alert = nil
      addMeeting(state, "")
    end)
    store:receive("delegate.syncUpUpdated")
    assertDismissed(task)
  end)

  describe("when the recognizer fails", function()
    local failed = {
      title = "Speech recognition failed",
      message = "What is said from now on will not be written down.",
      buttons = {
        { label = "Resume", role = "cancel" },
        { label = "Discard", role = "destructive", action = "confirmDiscard" },
      },
    }

    it("goes on without it", function()
      local task = start "authorized"

      transcripts:send "I completed the project"
      store:receive("speechResult", function(state) state.transcript = "I completed the project" end)
      transcripts:fail "no network"
      store:receive("speechFailure", function(state)
        state.alert = failed
        state.transcript = "I completed the project ❌"
      end)
      store:send("alert.dismiss", function(state) state.alert = nil end)

      store:withExhaustivity("off", function()
        clock:advance(6)
        store:receive("delegate.syncUpUpdated")
      end)
      assert.are.equal("I completed the project ❌", store.state.syncUp.meetings[1].transcript)
      assertDismissed(task)
    end)

    it("can be discarded", function()
      local task = start "authorized"

      transcripts:fail "no network"
      store:receive("speechFailure", function(state) state.alert = failed end)
      store:send("alert.confirmDiscard", function(state) state.alert = nil end)
      assertDismissed(task)
    end)
  end)

  describe("its screen", function()
    local function viewOf(env, authorizationStatus)
      syncUp.title = "Design"
      for index, attendee in ipairs(syncUp.attendees) do attendee.name = ("Blob %d"):format(index) end
      local view = test.view(RecordMeeting, {
        state = { syncUp = syncUp }, env = env,
        dependencies = {
          clock = clock,
          speechClient = {
            authorizationStatus = function() return authorizationStatus or "denied" end,
            transcripts = function() return transcripts end,
          },
        },
      })
      store = view.store
      store:receive("task")
      return view
    end

    it("shows who is speaking, and the time", function()
      local view = viewOf()
      assert.matches_snapshot(view:text())

      clock:advance(1)
      receiveTick(1, 1)
      view:find("button", "Next speaker"):tap(function(state) state.secondsElapsed, state.speakerIndex = 2, 2 end)
      assert.is_not_nil(view:query("heading", "Blob 2 is speaking"))
      assert.is_not_nil(view:query("text", "0:04 left"))
      view:press("mod+right", function(state) state.secondsElapsed, state.speakerIndex = 4, 3 end)
      assert.is_not_nil(view:query("text", "Speaker 3 of 3"))
    end)

    it("has the times below each other where there is little room", function()
      assert.matches_snapshot(viewOf({ width = "compact" }):text(30))
    end)

    it("shows what is said", function()
      local view = viewOf(nil, "authorized")

      transcripts:send "I completed the project"
      store:receive("speechResult", function(state) state.transcript = "I completed the project" end)
      assert.is_not_nil(view:query("text", "I completed the project"))
    end)

    it("counts attendees who have no name", function()
      local view = test.view(RecordMeeting, {
        state = { syncUp = syncUp, speakerIndex = 2 },
        dependencies = { clock = clock, speechClient = { authorizationStatus = function() return "denied" end } },
      })

      view.store:receive("task")
      assert.is_not_nil(view:query("heading", "Attendee 2 is speaking"))
    end)

    it("asks before it ends", function()
      local view = viewOf()

      store:withExhaustivity("off", function() view:find("button", "End meeting"):tap() end)
      assert.are.equal("End the meeting?", view:find("alert").name)
      view:find("button", "Resume"):tap(function(state) state.alert = nil end)

      store:withExhaustivity("off", function() view:find("button", "End meeting"):tap() end)
      view:find("button", "Discard"):tap(function(state) state.alert = nil end)
      assert.is_true(store.isDismissed)
    end)
  end)
end)
