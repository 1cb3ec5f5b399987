-- Makes a test that counts one of the two fields of a feature, one of which is shared.
local test = require "scripted.test"

return function(field)
  local stopwatch = test.store(require "stopwatch", { state = {} })
  local store = test.store(require "counting_1")
  stopwatch:send("begin")
  for count = 1, 20000 do
    store:send(field, function(state) state[field] = count end)
  end
  stopwatch:send("end")
end
