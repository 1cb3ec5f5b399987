-- scripts/meeting.lua
local scripted = require "scripted"
local ui = require "scripted.ui"

local effect = scripted.effect

local function finish(state)
  return effect.concatenate(effect.send("delegate.finished", { id = state.syncUp.id }), effect.dismiss())
end

return scripted.feature {
  name = "Meeting",
  state = { syncUp = { id = "", title = "", minutes = 5, attendees = scripted.array {} }, seconds = 0 },
  dependencies = { "clock" },
  actions = { "delegate.finished" },
  on = {
    started = function()
      return effect.run(function(send, deps)
        for _ in deps.clock.timer(1) do send("tick") end
      end)
    end,
    tick = function(state)
      state.seconds = state.seconds + 1
      if state.seconds >= state.syncUp.minutes * 60 then return finish(state) end
    end,
    endTapped = finish,
  },
  view = function(state)
    local left = state.syncUp.minutes * 60 - state.seconds
    return ui.screen {
      title = state.syncUp.title,
      ui.text { ("%d:%02d left"):format(left // 60, left % 60), task = "started" },
      ui.button { "End meeting", action = "endTapped" },
    }
  end,
}
