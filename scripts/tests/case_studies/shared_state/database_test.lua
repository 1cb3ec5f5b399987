local scripted = require "scripted"
local test = require "scripted.test"
local Database = require "case_studies.shared_state.database"

-- The key of the feature: it is known by its kind and name.
local todos = scripted.shared.database("todos", scripted.array {}, { file = "todos.db" })

describe("Todos in a database", function()
  local function filled(count)
    local store = test.store(Database, { dependencies = { uuid = test.incrementingUUID() } })
    store:withExhaustivity("off", function() store:send("fillButtonTapped", { count = count }) end)
    return store
  end

  it("are a list as any other", function()
    local store = filled(2)

    store:send("todos[2].toggle", function(state) state.todos[2].isComplete = true end)
    store:send("todos[1].rename", { description = "Milk" }, function(state) state.todos[1].description = "Milk" end)
    store:send("clearCompletedButtonTapped", function(state) table.remove(state.todos, 2) end)
    store:send("delete", { id = 1 }, function(state) state.todos = {} end)
    store:send("addTodoButtonTapped", function(state)
      state.todos = { { id = "00000000-0000-0000-0000-000000000000", description = "", isComplete = false } }
    end)
  end)

  it("are there at the next start, also after a crash", function()
    filled(3):send("todos[3].toggle", function(state) state.todos[3].isComplete = true end)

    for _, again in ipairs { test.storage.restart, test.storage.crash } do
      again()
      local rows = test.store(Database).state.todos
      assert.are.equal(3, #rows)
      assert.is_true(rows[3].isComplete)
    end
  end)

  it("tell when they cannot be written, and are written later", function()
    local store = filled(1)

    test.storage.fail("full", "todos.db")
    store:send("todos[1].toggle", function(state) state.todos[1].isComplete = true end)
    store:receive("shared", function(state)
      state.file.saveError = { code = "full", message = "the test lets it fail", path = "todos.db" }
    end)
    test.storage.fail()
    store:send("todos[1].rename", { description = "Milk" }, function(state) state.todos[1].description = "Milk" end)
    store:receive("shared", function(state) state.file.saveError = nil end)

    test.storage.crash()
    assert.are.same({ { id = 1, description = "Milk", isComplete = true } }, test.store(Database).state.todos)
  end)

  it("take over what others have made of them", function()
    local store = filled(1)

    test.shared(todos):set({ { id = 9, description = "Bread", isComplete = true } })
    store:receive("shared", function(state)
      state.todos = { { id = 9, description = "Bread", isComplete = true } }
    end)
  end)

  it("may be 100,000", function()
    local store = filled(100000)

    store:send("todos[70000].toggle", function(state) state.todos[70000].isComplete = true end)
    test.storage.restart()
    assert.is_true(test.store(Database).state.todos[70000].isComplete)
  end)

  describe("their screen", function()
    it("adds, completes, clears and deletes", function()
      local view = test.view(Database, { dependencies = { uuid = test.incrementingUUID() } })
      assert.matches_snapshot(view:text())

      view:press("mod+n", function(state)
        state.todos = { { id = test.uuid(0), description = "", isComplete = false } }
      end)
      view:find("row", 1):find("textField", "Description"):type("Milk", function(state)
        state.todos[1].description = "Milk"
      end)
      assert.is_nil(view:query("text", "Nothing to do."))
      view:find("row", "Milk"):find("toggle", "Done"):tap(function(state) state.todos[1].isComplete = true end)
      view:find("button", "Clear completed"):tap(function(state) state.todos = {} end)
      assert.is_true(view:find("button", "Clear completed").disabled)
    end)

    it("say when they cannot be written", function()
      local view = test.view(Database, { dependencies = { uuid = test.incrementingUUID() } })

      test.storage.fail("full", "todos.db")
      view:find("button", "Add todo"):tap(function(state)
        state.todos = { { id = test.uuid(0), description = "", isComplete = false } }
      end)
      view.store:receive("shared", function(state)
        state.file.saveError = { code = "full", message = "the test lets it fail", path = "todos.db" }
      end)
      assert.is_not_nil(view:query("text", "the test lets it fail"))
    end)

    -- Of a long list the rows in the window are evaluated, and one that is looked for.
    it("shows a part of a long list", function()
      local view = test.view(Database)

      view.store:withExhaustivity("off", function() view:find("button", "Fill with 1,000"):tap() end)
      assert.are.equal(61, #view:evaluated())
      assert.are.same({ first = 1, count = 60, total = 1000 }, view:find("list").node.window)
      view:find("row", 700):delete(function(state) table.remove(state.todos, 700) end)
      view:find("list"):scroll(500)
      assert.are.equal("Todo 500", view:find("row", 500).name)
    end)
  end)
end)
