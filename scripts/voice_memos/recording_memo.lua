-- Records one memo, and tells its parent when it is there or has failed.
local scripted = require "scripted"
local ui = require "scripted.ui"
local format = require "voice_memos.format"
require "voice_memos.audio_recorder"

local effect = scripted.effect

-- { result = { success = { date, duration, url } } } or { result = { failure = { message } } }
local function didFinish(result) return effect.send("delegate.didFinish", { result = result }) end

return scripted.feature {
  name = "RecordingMemo",
  state = { duration = 0, mode = "recording" },        -- or "encoding"; date, url
  dependencies = { "audioRecorder", "clock" },
  actions = { "delegate.didFinish" },
  on = {
    -- Counts the seconds as long as it records: the first of the two that ends cancels the other.
    task = function(state)
      local url = state.url
      return effect.run(function(send, deps)
        local _, result = effect.race {
          function() return effect.result(deps.audioRecorder.startRecording, url) end,
          function() for _ in deps.clock.timer(1) do send("timerUpdated") end end,
        }
        send("audioRecorderDidFinish", { result = result })
      end)
    end,

    timerUpdated = function(state) state.duration = state.duration + 1 end,

    stopButtonTapped = function(state)
      state.mode = "encoding"
      return effect.run(function(send, deps)
        local duration = deps.audioRecorder.currentTime()
        if duration then send("finalRecordingTime", { duration = duration }) end
        deps.audioRecorder.stopRecording()
      end)
    end,

    finalRecordingTime = function(state, action) state.duration = action.duration end,

    ["audioRecorderDidFinish.result.success"] = function(state, action)
      if not action.result.success then return didFinish { failure = { message = "The recording failed." } } end
      return didFinish { success = { date = state.date, duration = state.duration, url = state.url } }
    end,

    ["audioRecorderDidFinish.result.failure"] = function(_, action)
      return didFinish { failure = action.result.failure }
    end,
  },
  -- It records for as long as it is shown.
  view = function(state)
    local isRecording = state.mode == "recording"
    return ui.section {
      title = isRecording and "Recording" or "Saving", task = "task",
      ui.row {
        ui.text { format.duration(state.duration), style = "title" },
        ui.button { "Stop", action = "stopButtonTapped", role = "primary", disabled = not isRecording },
      },
    }
  end,
}
