-- A sheet that is presented at once and loads its state then, after the case study of The Composable
-- Architecture. Whoever closes it before that does not want it any more.
local scripted = require "scripted"
local ui = require "scripted.ui"
local Counter = require "counter"

local effect = scripted.effect

-- What the sheet shows, which is there before the counter.
local Sheet = scripted.feature {
  name = "Sheet",
  state = {},                                                  -- counter: Counter?
  actions = { "dismiss" },
  view = function(state)
    return ui.screen {
      title = "Counter",
      not state.counter and ui.progress { label = "Loading", style = "spinner" },
      ui.child "counter",
    }
  end,
}:ifLet("counter", Counter)

local function close(state)
  state.isSheetPresented, state.optionalCounter = false, nil
  return effect.cancel("load")
end

return scripted.feature {
  name = "PresentThenLoad",
  state = { isSheetPresented = false },                        -- optionalCounter: Counter?
  dependencies = { "clock" },
  on = {
    -- { isPresented = boolean }
    setSheet = function(state, action)
      if not action.isPresented then return close(state) end

      state.isSheetPresented = true
      return effect.run(function(send, deps)
        deps.clock.sleep(1)
        send("counterLoaded")
      end):cancellable("load", { cancelInFlight = true })
    end,

    counterLoaded = function(state) state.optionalCounter = Counter.initial() end,
    ["sheet.dismiss"] = close,
  },
  view = function()
    return ui.screen {
      title = "Present then load", sheet = "sheet",
      ui.button { "Show a counter", action = { "setSheet", { isPresented = true } } },
    }
  end,
}
  :ifLet("optionalCounter", Counter)
  -- A presentation shows a child. This one's state is made of two fields, and absent while there is no sheet.
  :scope({
    get = function(state) return state.isSheetPresented and { counter = state.optionalCounter } or nil end,
    set = function(state, sheet) state.optionalCounter = sheet.counter end,
  }, Sheet, { action = "sheet" })
