local scripted = require "scripted"
local test = require "scripted.test"

-- The host fills the list: 100000 rows made in Lua would leave a heap behind that all that follows pays for.
local Rows = scripted.combine { require "rows", require "stopwatch" }

it("toggles and asserts", function()
  local store = test.store(Rows)
  store:withExhaustivity("off", function() store:send("fill", { count = 100000 }) end)
  store:send("begin")
  for count = 1, 5000 do
    store:send("todos[5].toggle", function(state)
      state.todos[5].isComplete = not state.todos[5].isComplete
      state.toggles = count
    end)
  end
  store:send("end")
end)
