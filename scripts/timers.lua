-- A stopwatch that counts seconds, after the case study of The Composable Architecture: an effect that
-- runs until it is cancelled.
local scripted = require "scripted"
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
}
