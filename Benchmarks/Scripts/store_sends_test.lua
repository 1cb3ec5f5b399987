local test = require "scripted.test"

local Counter, stopwatch = require "view_counter", require "stopwatch"

it("sends", function()
  local watch = test.store(stopwatch, { state = {} })
  watch:send("begin")
  for _ = 1, 1000 do
    local store = test.store(Counter)
    store:send("increment", function(state) state.count = 1 end)
  end
  watch:send("end")
end)
