local test = require "scripted.test"
local Todo = require "todo"

describe("Todo", function()
  it("is renamed", function()
    local store = test.store(Todo, { state = { id = 1 } })

    store:send("rename", { description = "Buy milk" }, function(state)
      state.description = "Buy milk"
    end)
  end)

  it("is completed, and taken up again", function()
    local store = test.store(Todo, { state = { id = 1 } })

    store:send("toggle", function(state) state.isComplete = true end)
    store:send("toggle", function(state) state.isComplete = false end)
  end)
end)
