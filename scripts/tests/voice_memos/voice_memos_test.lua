local test = require "scripted.test"
local VoiceMemos = require "voice_memos"
local audioRecorder = require "voice_memos.audio_recorder"
local RecordingMemo = require "voice_memos.recording_memo"
local VoiceMemo = require "voice_memos.voice_memo"

local permissionNeeded = { title = "To record voice memos, permission is needed." }
local recordingFailed = { title = "The recording failed." }
local playbackFailed = { title = "The memo could not be played." }

-- Where the first recording of a test goes.
local url = ("/tmp/%s.m4a"):format(test.uuid(0))

describe("VoiceMemos", function()
  local clock

  before_each(function() clock = test.clock() end)

  describe("recording", function()
    local didFinish, recorder

    -- A recorder that records until it is stopped, or until the test says what becomes of it.
    before_each(function()
      didFinish = test.stream()
      recorder = {
        requestRecordPermission = function() return true end,
        startRecording = function() return didFinish() end,
        currentTime = function() return 2.5 end,
        stopRecording = function() didFinish:send(true) end,
      }
    end)

    local function storeOf(state)
      return test.store(VoiceMemos, {
        state = state,
        dependencies = {
          audioRecorder = recorder,
          clock = clock,
          date = test.constantDate(0),
          temporaryDirectory = "/tmp",
          uuid = test.incrementingUUID(),
        },
      })
    end

    local function present(state)
      state.audioRecorderPermission = "allowed"
      state.recordingMemo = RecordingMemo.initial { date = 0, url = url }
    end

    local function startRecording(store)
      store:send("recordButtonTapped")
      store:receive("recordPermissionResponse", { isAllowed = true }, present)
      store:send("recordingMemo.task")
    end

    it("makes a memo as long as the recorder says", function()
      local store = storeOf()

      startRecording(store)
      for seconds = 1, 2 do
        clock:advance(1)
        store:receive("recordingMemo.timerUpdated", function(state) state.recordingMemo.duration = seconds end)
      end
      clock:advance(0.5)

      store:send("recordingMemo.stopButtonTapped", function(state) state.recordingMemo.mode = "encoding" end)
      store:receive("recordingMemo.finalRecordingTime", function(state) state.recordingMemo.duration = 2.5 end)
      store:receive("recordingMemo.audioRecorderDidFinish.result.success")
      store:receive("recordingMemo.delegate.didFinish.result.success", function(state)
        state.recordingMemo = nil
        state.voiceMemos = {
          VoiceMemo.initial { date = 0, duration = 2.5, url = url },
        }
      end)
    end)

    it("works with the recorder of previews, which knows only the time", function()
      recorder = audioRecorder.preview { clock = clock }
      local store = storeOf()
      store.exhaustivity = "off"

      store:send("recordButtonTapped")
      store:skipReceivedActions()
      store:send("recordingMemo.task")
      clock:advance(3.2)
      store:send("recordingMemo.stopButtonTapped")
      clock:advance(0.1)
      store:receive("recordingMemo.delegate.didFinish.result.success", function(state)
        assert.near(3.2, state.voiceMemos[1].duration, 0.01)
      end)
    end)

    it("asks for permission only once", function()
      local store = storeOf { audioRecorderPermission = "allowed" }

      store:send("recordButtonTapped", present)
    end)

    it("says that it failed", function()
      local store = storeOf()

      startRecording(store)
      didFinish:fail "the disk is full"
      store:receive("recordingMemo.audioRecorderDidFinish.result.failure")
      store:receive("recordingMemo.delegate.didFinish.result.failure", function(state)
        state.alert = recordingFailed
        state.recordingMemo = nil
      end)
    end)

    it("says so as well when the recorder gives nothing", function()
      local store = storeOf()

      startRecording(store)
      didFinish:send(false)
      store:receive("recordingMemo.audioRecorderDidFinish", { result = { success = false } })
      store:receive("recordingMemo.delegate.didFinish.result.failure", function(state)
        state.alert = recordingFailed
        state.recordingMemo = nil
      end)
    end)

    -- The same without exhaustivity: a test that says what it is about, and nothing of the way there.
    it("ends with an alert, however it failed", function()
      local store = storeOf()
      store.exhaustivity = "off"

      store:send("recordButtonTapped")
      store:skipReceivedActions()
      store:send("recordingMemo.task")
      didFinish:fail "the disk is full"
      store:receive("recordingMemo.delegate.didFinish.result.failure", function(state)
        state.alert = recordingFailed
        state.recordingMemo = nil
      end)
    end)
  end)

  it("points to the settings when it may not record", function()
    local openSettings = spy(function() end)
    local store = test.store(VoiceMemos, {
      dependencies = {
        audioRecorder = { requestRecordPermission = function() return false end },
        settings = { open = function() openSettings() end },
      },
    })

    store:send("recordButtonTapped")
    store:receive("recordPermissionResponse", { isAllowed = false }, function(state)
      state.alert = permissionNeeded
      state.audioRecorderPermission = "denied"
    end)
    store:send("alert.dismiss", function(state) state.alert = nil end)
    store:send("recordButtonTapped", function(state) state.alert = permissionNeeded end)

    store:send("openSettingsButtonTapped")
    assert.spy(openSettings).was.called(1)
  end)

  describe("a memo", function()
    local function storeOf(memos, play)
      return test.store(VoiceMemos, {
        state = { voiceMemos = memos },
        dependencies = { audioPlayer = { play = play }, clock = clock },
      })
    end

    local function memo(name, duration, progress)
      return VoiceMemo.initial { date = 0, duration = duration, progress = progress, url = name .. ".m4a" }
    end

    local function startPlaying(store, index)
      local place = ("voiceMemos[%s]"):format(store.state.voiceMemos[index].url)
      store:send(place .. ".playButtonTapped", function(state) state.voiceMemos[index].progress = 0 end)
      return place
    end

    it("is played to its end", function()
      local store = storeOf({ memo("functions", 1.25) }, function()
        clock.sleep(1.25)
        return true
      end)

      local place = startPlaying(store, 1)
      store:receive(place .. ".delegate.playbackStarted")
      for _, progress in ipairs { 0.4, 0.8 } do
        clock:advance(0.5)
        store:receive(place .. ".timerUpdated", function(state) state.voiceMemos[1].progress = progress end)
      end
      clock:advance(0.25)
      store:receive(place .. ".audioPlayerDidFinish.result.success", function(state)
        state.voiceMemos[1].progress = nil
      end)
    end)

    it("says that it cannot be played", function()
      local store = storeOf({ memo("functions", 30) }, function() error("no such file", 0) end)

      local place = startPlaying(store, 1)
      store:receive(place .. ".delegate.playbackStarted")
      store:receive(place .. ".audioPlayerDidFinish.result.failure", function(state)
        state.voiceMemos[1].progress = nil
      end)
      store:receive(place .. ".delegate.playbackFailed", function(state) state.alert = playbackFailed end)
    end)

    -- Nothing is in flight in the end, though `play` would not end by itself.
    it("stops when its button is tapped again", function()
      local store = storeOf({ memo("functions", 30) }, test.never)

      local place = startPlaying(store, 1)
      store:receive(place .. ".delegate.playbackStarted")
      store:send(place .. ".playButtonTapped", function(state) state.voiceMemos[1].progress = nil end)
    end)

    it("stops when another one starts", function()
      local store = storeOf({ memo("functions", 30), memo("effects", 30) }, test.never)

      store:receive(startPlaying(store, 1) .. ".delegate.playbackStarted")
      local second = startPlaying(store, 2)
      store:receive(second .. ".delegate.playbackStarted", function(state) state.voiceMemos[1].progress = nil end)

      clock:advance(0.5)
      store:receive(second .. ".timerUpdated", function(state) state.voiceMemos[2].progress = 0.5 / 30 end)
      store:send(second .. ".playButtonTapped", function(state) state.voiceMemos[2].progress = nil end)
    end)

    it("has a title", function()
      local store = storeOf { memo("functions", 30) }

      store:send("voiceMemos[functions.m4a].titleTextFieldChanged", "Functions", function(state)
        state.voiceMemos[1].title = "Functions"
      end)
    end)

    it("is deleted, and the others stay as they are", function()
      local store = storeOf { memo("1", 30, 0.3), memo("2", 30, 0.3), memo("3", 30, 0.3) }

      store:send("onDelete", { indices = { 2 } }, function(state) table.remove(state.voiceMemos, 2) end)
      store:send("onDelete", { indices = { 1, 2 } }, function(state) state.voiceMemos = {} end)
    end)

    it("falls silent when it is deleted", function()
      local store = storeOf({ memo("functions", 10) }, test.never)

      store:receive(startPlaying(store, 1) .. ".delegate.playbackStarted")
      store:send("onDelete", { indices = { 1 } }, function(state) state.voiceMemos = {} end)
      store:finish()
    end)
  end)

  describe("its screen", function()
    local memos = {
      VoiceMemo.initial { url = "idea", title = "Idea", date = 1893456000, duration = 65 },
      VoiceMemo.initial { url = "other", date = 1893456000, duration = 10 },
    }

    local function viewOf(state, dependencies)
      dependencies.clock = clock
      return test.view(VoiceMemos, { state = state, dependencies = dependencies })
    end

    it("is drawn", function()
      assert.matches_snapshot(viewOf({}, {}):text(), "without memos")
      local view = viewOf({ voiceMemos = memos, audioRecorderPermission = "denied" }, {})
      assert.matches_snapshot(view:text(), "with memos")
    end)

    it("records, and shows for how long", function()
      local didFinish = test.stream()
      local view = viewOf({ audioRecorderPermission = "allowed" }, {
        audioRecorder = {
          startRecording = function() return didFinish() end,
          currentTime = function() return 1.5 end,
          stopRecording = function() didFinish:send(true) end,
        },
        date = test.constantDate(0), temporaryDirectory = "/tmp", uuid = test.incrementingUUID(),
      })

      view:press("mod+r", function(state)
        state.recordingMemo = RecordingMemo.initial { date = 0, url = url }
      end)
      assert.is_nil(view:query("button", "Record"))

      -- The recording begins when its part of the screen appears.
      view.store:receive("recordingMemo.task")
      clock:advance(1)
      view.store:receive("recordingMemo.timerUpdated", function(state) state.recordingMemo.duration = 1 end)
      assert.matches_snapshot(view:text())

      view:find("button", "Stop"):tap(function(state) state.recordingMemo.mode = "encoding" end)
      assert.is_true(view:find("button", "Stop").disabled)
      view.store:receive("recordingMemo.finalRecordingTime", function(state) state.recordingMemo.duration = 1.5 end)
      view.store:receive("recordingMemo.audioRecorderDidFinish.result.success")
      view.store:receive("recordingMemo.delegate.didFinish.result.success", function(state)
        state.voiceMemos = { VoiceMemo.initial { date = 0, duration = 1.5, url = url } }
        state.recordingMemo = nil
      end)
      assert.is_not_nil(view:query("button", "Record"))
    end)

    it("asks for the permission again", function()
      local open = spy(function() end)
      local view = viewOf({ audioRecorderPermission = "denied" }, { settings = { open = function() open() end } })

      view:find("button", "Record"):tap(function(state) state.alert = permissionNeeded end)
      view:find("alert"):find("button", "OK"):tap(function(state) state.alert = nil end)
      view:find("button", "Open settings"):tap()
      assert.spy(open).was.called(1)
    end)

    it("plays, renames and deletes memos", function()
      local view = viewOf({ voiceMemos = memos }, { audioPlayer = { play = test.never } })

      view:find("row", 2):find("button", "Play"):tap(function(state) state.voiceMemos[2].progress = 0 end)
      view.store:receive("voiceMemos[other].delegate.playbackStarted")
      clock:advance(0.5)
      view.store:receive("voiceMemos[other].timerUpdated", function(state) state.voiceMemos[2].progress = 0.05 end)
      assert.are.same({ "voiceMemos[other]" }, view:evaluated())
      assert.are.equal(0.05, view:find("row", 2):find("progress", "Played").value)
      assert.is_nil(view:find("row", 1):query("progress"))

      view:find("row", 1):find("textField", "Title"):type("s", function(state) state.voiceMemos[1].title = "Ideas" end)
      view:find("row", 2):delete(function(state) table.remove(state.voiceMemos, 2) end)
    end)
  end)
end)
