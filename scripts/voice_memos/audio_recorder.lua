-- Records sound into a file.
--
-- requestRecordPermission()  asks the user, unless that was done before, and waits for the answer: true or false
-- startRecording(url)        waits until the recording has ended; whether it succeeded. Raises if it breaks off
-- currentTime()              how long it records already, in seconds; nil if it does not
-- stopRecording()            ends it
local scripted = require "scripted"

local function missing() error("no microphone here: the host gives a recorder to its stores", 2) end

local audioRecorder = {
  name = "audioRecorder",

  live = {
    requestRecordPermission = missing, startRecording = missing, currentTime = missing, stopRecording = missing,
  },

  -- Only counts the seconds.
  preview = function(deps)
    local start
    return {
      requestRecordPermission = function() return true end,
      startRecording = function()
        start = deps.clock.now()
        while start do deps.clock.sleep(0.1) end
        return true
      end,
      currentTime = function() return start and deps.clock.now() - start end,
      stopRecording = function() start = nil end,
    }
  end,
}

scripted.dependency(audioRecorder)

-- Tests call `preview` with a clock of their own.
return audioRecorder
