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
end)
