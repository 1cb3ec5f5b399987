local test = require "scripted.test"

it("toggles and asserts", function()
  local todos = {}
  for id = 1, 10 do todos[id] = { id = id, title = "A thing to be done", isComplete = false } end
  local stopwatch = test.store(require "stopwatch", { state = {} })
  local store = test.store(require "rows", { state = { todos = todos } })
  stopwatch:send("begin")
  for count = 1, 5000 do
    store:send("todos[5].toggle", function(state)
      state.todos[5].isComplete = count % 2 == 1
      state.toggles = count
    end)
  end
  stopwatch:send("end")
end)
