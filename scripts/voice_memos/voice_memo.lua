-- A memo in the list, which can be played.
local scripted = require "scripted"
local ui = require "scripted.ui"
local format = require "voice_memos.format"
require "voice_memos.audio_player"

local effect = scripted.effect

return scripted.feature {
  name = "VoiceMemo",
  state = { title = "" },            -- date, duration, url; progress: from 0 to 1 while it is played
  dependencies = { "audioPlayer", "clock" },
  actions = { "delegate.playbackStarted", "delegate.playbackFailed" },
  on = {
    playButtonTapped = function(state)
      if state.progress then
        state.progress = nil
        return effect.cancel("play")
      end

      state.progress = 0
      local url = state.url
      return effect.run(function(send, deps)
        send("delegate.playbackStarted")
        local _, result = effect.race {
          function() return effect.result(deps.audioPlayer.play, url) end,
          function()
            for tick in deps.clock.timer(0.5) do send("timerUpdated", { seconds = tick * 0.5 }) end
          end,
        }
        send("audioPlayerDidFinish", { result = result })
      end):cancellable("play", { cancelInFlight = true })
    end,

    timerUpdated = function(state, action) state.progress = action.seconds / state.duration end,

    audioPlayerDidFinish = function(state, action)
      state.progress = nil
      if action.result.failure then return effect.send("delegate.playbackFailed") end
    end,

    titleTextFieldChanged = function(state, action) state.title = action.value end,
  },
  view = function(state)
    local progress, duration = state.progress, state.duration
    return ui.column {
      ui.row {
        ui.textField {
          label = "Title", labelHidden = true, prompt = "Untitled, " .. format.date(state.date), grow = true,
          value = state.title, onChange = "titleTextFieldChanged",
        },
        ui.text { format.duration(progress and progress * duration or duration), tone = "secondary" },
        ui.button { progress and "Stop" or "Play", action = "playButtonTapped" },
      },
      progress and ui.progress { label = "Played", value = progress },
    }
  end,
}
