-- Writes down what is said.
--
-- authorizationStatus()   "notDetermined", "authorized", "denied" or "restricted"; does not wait
-- requestAuthorization()  asks the user, and waits for the new status
-- transcripts()           an iterator: all that was said so far, each time that there is more
local scripted = require "scripted"

local function missing() error("no microphone here: the host gives speech to its stores", 2) end

local words = "We have done all that we said we would and the rest is for tomorrow"

local speechClient = {
  name = "speechClient",

  live = { authorizationStatus = missing, requestAuthorization = missing, transcripts = missing },

  preview = function(deps)
    return {
      authorizationStatus = function() return "authorized" end,
      requestAuthorization = function() return "authorized" end,
      transcripts = function()
        local nextWord = words:gmatch "%a+"
        local transcript
        return function()
          local word = nextWord()
          if not word then return nil end
          deps.clock.sleep(#word * 0.05)
          transcript = transcript and transcript .. " " .. word or word
          return transcript
        end
      end,
    }
  end,
}

scripted.dependency(speechClient)

-- Tests call `preview` with a clock of their own.
return speechClient
