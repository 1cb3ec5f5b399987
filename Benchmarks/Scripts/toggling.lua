-- A list of so many rows, one of which a test toggles again and again. The host fills it: rows made in Lua would
-- leave a heap behind that all that follows pays for.
local scripted = require "scripted"
local test = require "scripted.test"

local Rows = scripted.combine { require "rows", require "stopwatch" }

return function(rows)
  local store = test.store(Rows)
  store:withExhaustivity("off", function() store:send("fill", { count = rows }) end)
  store:send("begin")
  for count = 1, 5000 do
    store:send("todos[5].toggle", function(state)
      state.todos[5].isComplete = not state.todos[5].isComplete
      state.toggles = count
    end)
  end
  store:send("end")
end
