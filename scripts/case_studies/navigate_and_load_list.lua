-- A list whose rows lead to a screen that loads its state, after the case study of The Composable
-- Architecture. The row gets back what was counted there.
local scripted = require "scripted"
local ui = require "scripted.ui"
local Counter = require "counter"

local effect, list = scripted.effect, scripted.list

-- What was counted goes back to the row.
local function takeOver(state)
  local selection = state.selection
  if selection and selection.counter then
    list.find(state.rows, selection.id).count = selection.counter.count
  end
end

-- What is selected, and in it the counter once it was loaded.
local Selection = scripted.empty:ifLet("counter", Counter):view(function(state)
  return ui.screen {
    title = "Counter",
    not state.counter and ui.progress { label = "Loading", style = "spinner" },
    ui.child "counter",
  }
end)

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
      takeOver(state)
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

    -- The way back of the screen.
    ["selection.dismiss"] = function(state)
      takeOver(state)
      return effect.cancel("load")
    end,
  },
  view = function(state)
    return ui.screen {
      title = "Navigate and load", cover = "selection",
      ui.list {
        ui.forEach(state.rows, function(row)
          return ui.link {
            ("Counter that starts from %d"):format(row.count), action = { "setNavigation", { id = row.id } },
          }
        end),
      },
    }
  end,
}
  -- A selection with another `id` is another child: what the former had in flight is cancelled.
  :ifLet("selection", Selection)
