-- A timer. It runs on while other screens are above this one, and ends when this one is popped.
local scripted = require "scripted"
local ui = require "scripted.ui"
local effect = scripted.effect

return scripted.feature {
  name = "ScreenC",
  state = { count = 0, isTimerRunning = false },
  dependencies = { "clock" },
  on = {
    startButtonTapped = function(state)
      state.isTimerRunning = true
      return effect.run(function(send, deps)
        for _ in deps.clock.timer(1) do send("timerTicked") end
      end):cancellable("timer", { cancelInFlight = true })
    end,

    stopButtonTapped = function(state)
      state.isTimerRunning = false
      return effect.cancel("timer")
    end,

    timerTicked = function(state) state.count = state.count + 1 end,
  },
  view = function(state)
    return ui.screen {
      title = "Screen C",
      ui.number { label = "Seconds", value = state.count },
      state.isTimerRunning and ui.button { "Stop timer", action = "stopButtonTapped" }
        or ui.button { "Start timer", action = "startButtonTapped" },
    }
  end,
}
