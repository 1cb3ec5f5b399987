-- Voice memos, after the VoiceMemos example of The Composable Architecture: records them, one at a time, and
-- plays them, one at a time.
local scripted = require "scripted"
local ui = require "scripted.ui"
local RecordingMemo = require "voice_memos.recording_memo"
local VoiceMemo = require "voice_memos.voice_memo"
require "settings"

local effect, list = scripted.effect, scripted.list

-- Where recordings go. A host has a better place.
scripted.dependency { name = "temporaryDirectory", live = "/tmp" }

local permissionNeeded = { title = "To record voice memos, permission is needed." }
local recordingFailed = { title = "The recording failed." }
local playbackFailed = { title = "The memo could not be played." }

local function startRecording(state, deps)
  state.recordingMemo = RecordingMemo.initial {
    date = deps.date.now(),
    url = ("%s/%s.m4a"):format(deps.temporaryDirectory, deps.uuid()),
  }
end

local function requestPermission(send, deps)
  send("recordPermissionResponse", { isAllowed = deps.audioRecorder.requestRecordPermission() })
end

return scripted.feature {
  name = "VoiceMemos",
  state = {
    audioRecorderPermission = "undetermined",          -- or "allowed", "denied"
    voiceMemos = scripted.array {},
    -- alert; recordingMemo: RecordingMemo's, while one is recorded
  },
  dependencies = { "audioRecorder", "date", "settings", "temporaryDirectory", "uuid" },
  on = {
    -- { rows = { index, … } } from the list on the screen, or { indices }: a memo that is played falls silent, as its
    -- effects go with it.
    onDelete = function(state, action) list.removeAt(state.voiceMemos, action.rows or action.indices) end,

    openSettingsButtonTapped = function()
      return effect.run(function(_, deps) deps.settings.open() end)
    end,

    recordButtonTapped = function(state, _, deps)
      if state.audioRecorderPermission == "allowed" then
        startRecording(state, deps)
      elseif state.audioRecorderPermission == "denied" then
        state.alert = permissionNeeded
      else
        return effect.run(requestPermission)
      end
    end,

    recordPermissionResponse = function(state, action, deps)
      if action.isAllowed then
        state.audioRecorderPermission = "allowed"
        startRecording(state, deps)
      else
        state.audioRecorderPermission = "denied"
        state.alert = permissionNeeded
      end
    end,

    ["recordingMemo.delegate.didFinish.result.success"] = function(state, action)
      table.insert(state.voiceMemos, 1, VoiceMemo.initial(action.result.success))
      state.recordingMemo = nil
    end,

    ["recordingMemo.delegate.didFinish.result.failure"] = function(state)
      state.alert = recordingFailed
      state.recordingMemo = nil
    end,

    -- What plays already stops. Ids of effects belong to the place of their memo, which the path names.
    ["voiceMemos[*].delegate.playbackStarted"] = function(state, _, _, ids)
      local cancellations = {}
      for _, memo in ipairs(state.voiceMemos) do
        if memo.url ~= ids[1] and memo.progress then
          memo.progress = nil
          local place = ("voiceMemos[%s]"):format(scripted.json.encode(memo.url))
          table.insert(cancellations, effect.cancel("play", place))
        end
      end
      return effect.merge(cancellations)
    end,

    ["voiceMemos[*].delegate.playbackFailed"] = function(state)
      state.alert = playbackFailed
    end,
  },
  view = function(state)
    local isDenied = state.audioRecorderPermission == "denied"
    return ui.screen {
      title = "Voice memos", alert = "alert",
      #state.voiceMemos == 0 and ui.text { "No memos yet.", tone = "secondary" },
      ui.list { onDelete = "onDelete", ui.forEach "voiceMemos" },
      ui.child "recordingMemo",
      not state.recordingMemo and ui.button {
        "Record", action = "recordButtonTapped", role = "primary", shortcut = "mod+r", animation = "spring",
      },
      isDenied and ui.row {
        ui.text { "To record, this needs the microphone.", tone = "warning" },
        ui.button { "Open settings", action = "openSettingsButtonTapped" },
      },
    }
  end,
}
  :ifLet("alert", scripted.ephemeral)
  :ifLet("recordingMemo", RecordingMemo)
  :forEach("voiceMemos", VoiceMemo, { id = "url" })         -- memos are told apart by their files
