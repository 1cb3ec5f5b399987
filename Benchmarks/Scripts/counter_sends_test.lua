local test = require "scripted.test"

it("sends and asserts", function()
  local stopwatch = test.store(require "stopwatch", { state = {} })
  local store = test.store(require "counter")
  stopwatch:send("begin")
  for count = 1, 20000 do
    store:send("increment", function(state) state.count = count end)
  end
  stopwatch:send("end")
end)
