-- A stopwatch that counts seconds, after the case study of The Composable Architecture: an effect that
-- runs until it is cancelled.
local scripted = require "scripted"
local ui = require "scripted.ui"

local effect = scripted.effect

return scripted.feature {
  name = "Timers",
  state = { isTimerActive = false, secondsElapsed = 0 },
  dependencies = { "clock" },
  on = {
    -- Of two timers only the later one runs on, even if the state said that there was none.
    toggleTimerButtonTapped = function(state)
      state.isTimerActive = not state.isTimerActive
      if not state.isTimerActive then return effect.cancel("timer") end

      return effect.run(function(send, deps)
        for _ in deps.clock.timer(1) do send("timerTicked") end
      end):cancellable("timer", { cancelInFlight = true }):animation("spring")
    end,

    timerTicked = function(state) state.secondsElapsed = state.secondsElapsed + 1 end,

    onDisappear = function(state)
      state.isTimerActive = false
      return effect.cancel("timer")
    end,
  },
  view = function(state)
    local seconds = state.secondsElapsed
    return ui.screen {
      title = "Timers",
      ui.text { ("%d:%02d"):format(seconds // 60, seconds % 60), style = "title" },
      ui.progress { label = "This minute", value = seconds % 60, max = 60 },
      ui.button {
        state.isTimerActive and "Stop" or "Start", action = "toggleTimerButtonTapped",
        role = not state.isTimerActive and "primary" or nil,
      },
    }
  end,
}
