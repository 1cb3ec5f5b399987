-- A line chart of the last values of a stream, which goes on while it is shown. A tap on a value tells it.
local scripted = require "scripted"
local ui = require "scripted.ui"

local effect = scripted.effect

local WIDTH, HEIGHT, MARGIN = 320, 140, 12
-- As many values are shown.
local MOST = 20

-- Returns where a value from 0 to 100 is in the drawing.
local function place(index, value)
  return MARGIN + (index - 1) * (WIDTH - 2 * MARGIN) / (MOST - 1),
    HEIGHT - MARGIN - value * (HEIGHT - 2 * MARGIN) / 100
end

-- Returns the shapes of the chart: lines of the scale, the line of the values, and a circle for each.
local function chart(values, chosen)
  local shapes, path = {}, {}
  for _, level in ipairs { 0, 50, 100 } do
    local x, y = place(1, level)
    shapes[#shapes + 1] = { kind = "line", x1 = x, y1 = y, x2 = WIDTH - MARGIN, y2 = y, stroke = "line" }
    shapes[#shapes + 1] = { kind = "text", x = x, y = y - 2, text = level, size = 8, fill = "secondary" }
  end
  for i, entry in ipairs(values) do
    local x, y = place(i, entry.value)
    path[i] = ("%s%.1f %.1f"):format(i == 1 and "M" or "L", x, y)
  end
  if #path > 1 then
    shapes[#shapes + 1] = { kind = "path", d = table.concat(path, " "), stroke = "accent", strokeWidth = 2 }
  end
  for i, entry in ipairs(values) do
    local x, y = place(i, entry.value)
    local isChosen = entry.number == chosen
    shapes[#shapes + 1] = {
      kind = "circle", x = x, y = y, radius = isChosen and 6 or 4, fill = isChosen and "warning" or "accent",
      label = ("Value %d: %d"):format(entry.number, entry.value), onTap = { "chosen", { number = entry.number } },
    }
  end
  return shapes
end

return scripted.feature {
  name = "LiveChart",
  state = { isRunning = false, count = 0, values = {} },
  dependencies = { "clock", "random" },
  on = {
    toggled = function(state)
      state.isRunning = not state.isRunning
      if not state.isRunning then return effect.cancel("stream") end

      return effect.run(function(send, deps)
        local value = 50
        for _ in deps.clock.timer(0.5) do
          value = math.min(math.max(value + deps.random.integer(-15, 15), 0), 100)
          send("measured", { value = value })
        end
      end):cancellable("stream", { cancelInFlight = true })
    end,

    measured = function(state, action)
      state.count = state.count + 1
      table.insert(state.values, { number = state.count, value = action.value })
      if #state.values > MOST then table.remove(state.values, 1) end
    end,

    chosen = function(state, action) state.chosen = action.number end,
  },
  view = function(state)
    local last = state.values[#state.values]
    return ui.screen {
      title = "Live chart",
      ui.canvas {
        width = WIDTH, height = HEIGHT, shapes = chart(state.values, state.chosen),
        label = last and ("The last value is %d"):format(last.value) or "No values yet",
      },
      state.chosen and ui.text(("Value %d is chosen"):format(state.chosen)),
      ui.button {
        state.isRunning and "Stop" or "Start", icon = state.isRunning and "pause" or "play", action = "toggled",
        role = not state.isRunning and "primary" or nil,
      },
    }
  end,
}
