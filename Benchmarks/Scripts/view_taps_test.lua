local test = require "scripted.test"

local Counter, stopwatch = require "view_counter", require "stopwatch"

it("taps", function()
  local watch = test.store(stopwatch, { state = {} })
  watch:send("begin")
  for _ = 1, 1000 do
    local view = test.view(Counter)
    view:find("button", "Increment"):tap(function(state) state.count = 1 end)
  end
  watch:send("end")
end)
