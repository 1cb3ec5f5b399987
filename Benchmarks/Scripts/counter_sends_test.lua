local test = require "scripted.test"
local Timed = require "timed"

it("sends and asserts", function()
  local store = test.store(Timed("counter"))
  store:send("begin")
  for count = 1, 20000 do
    store:send("increment", function(state) state.count = count end)
  end
  store:send("end")
end)
