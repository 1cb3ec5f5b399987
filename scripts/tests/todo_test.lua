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

  describe("its screen", function()
    it("renames and completes", function()
      local view = test.view(Todo, { state = { id = 1 } })
      assert.matches_snapshot(view:text())

      view:find("textField", "Description"):type("Buy milk", function(state) state.description = "Buy milk" end)
      view:find("toggle", "Done"):tap(function(state) state.isComplete = true end)
      assert.matches_snapshot(view:text())
    end)
  end)
end)
