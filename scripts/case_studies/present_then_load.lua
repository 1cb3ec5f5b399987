-- A sheet that is presented at once and loads its state then, after the case study of The Composable
-- Architecture. Whoever closes it before that does not want it any more.
local scripted = require "scripted"
local Counter = require "counter"

local effect = scripted.effect

return scripted.feature {
  name = "PresentThenLoad",
  state = { isSheetPresented = false },                        -- optionalCounter: Counter?
  dependencies = { "clock" },
  on = {
    -- { isPresented = boolean }
    setSheet = function(state, action)
      state.isSheetPresented = action.isPresented
      if not action.isPresented then
        state.optionalCounter = nil
        return effect.cancel("load")
      end

      return effect.run(function(send, deps)
        deps.clock.sleep(1)
        send("counterLoaded")
      end):cancellable("load", { cancelInFlight = true })
    end,

    counterLoaded = function(state) state.optionalCounter = Counter.initial() end,
  },
}:ifLet("optionalCounter", Counter)
