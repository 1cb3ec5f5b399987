-- A list whose rows lead to a screen that loads its state, after the case study of The Composable
-- Architecture. The row gets back what was counted there.
local scripted = require "scripted"
local Counter = require "counter"

local effect, list = scripted.effect, scripted.list

return scripted.feature {
  name = "NavigateAndLoadList",
  state = {
    rows = { { id = 1, count = 1 }, { id = 2, count = 42 }, { id = 3, count = 100 } },
    -- selection: { id, counter: Counter? }?
  },
  dependencies = { "clock" },
  on = {
    -- { id = of a row }, or nothing to go back
    setNavigation = function(state, action)
      local selection = state.selection
      if selection and selection.counter then
        list.find(state.rows, selection.id).count = selection.counter.count
      end

      if action.id == nil then
        state.selection = nil
        return effect.cancel("load")
      end

      state.selection = { id = action.id }
      return effect.run(function(send, deps)
        deps.clock.sleep(1)
        send("selectionLoaded")
      end):cancellable("load", { cancelInFlight = true })
    end,

    selectionLoaded = function(state)
      local row = list.find(state.rows, state.selection.id)
      state.selection.counter = Counter.initial { count = row.count }
    end,
  },
}
  -- What is selected, and in it the counter once it was loaded. A selection with another `id` is another
  -- child: what the former had in flight is cancelled.
  :ifLet("selection", scripted.empty:ifLet("counter", Counter))
