local test = require "scripted.test"
local scripted = require "scripted"
local Todo = require "todo"
local Todos = require "todos"

local list = scripted.list

-- Todos from `{ "Milk", "Eggs x" }`, with ids that count from 1; `x` marks those that are complete.
local function todos(descriptions)
  local all = {}
  for id, description in ipairs(descriptions) do
    local name, mark = description:match "^(%a+) ?(x?)$"
    all[id] = Todo.initial { id = id, description = name, isComplete = mark == "x" }
  end
  return all
end

-- The todos of the given ids, in this order.
local function ordered(all, ids)
  return list.map(ids, function(id) return scripted.snapshot(list.find(all, id)) end)
end

describe("Todos", function()
  local clock

  before_each(function() clock = test.clock() end)

  local function storeOf(descriptions, filter)
    return test.store(Todos, {
      state = { todos = todos(descriptions), nextId = #descriptions + 1, filter = filter },
      dependencies = { clock = clock },
    })
  end

  it("puts a new todo before the others", function()
    local store = test.store(Todos)

    store:send("addTodoButtonTapped", function(state)
      state.todos = { { id = 1, description = "", isComplete = false } }
      state.nextId = 2
    end)
    store:send("addTodoButtonTapped", function(state)
      table.insert(state.todos, 1, { id = 2, description = "", isComplete = false })
      state.nextId = 3
    end)
  end)

  it("renames one of them", function()
    local store = storeOf { "Milk", "Eggs" }

    store:send("todos[2].rename", { description = "Six eggs" }, function(state)
      state.todos[2].description = "Six eggs"
    end)
  end)

  describe("when one is completed", function()
    it("moves it to the end after a second", function()
      local store = storeOf { "Milk", "Eggs" }

      store:send("todos[1].toggle", function(state) state.todos[1].isComplete = true end)
      clock:advance(1)
      store:receive("sortCompletedTodos", function(state)
        state.todos = ordered(state.todos, { 2, 1 })
      end)
    end)

    -- A store takes no action while one is received that the test has not asked for: nothing came so far.
    it("leaves it where it is until then", function()
      local store = storeOf { "Milk", "Eggs" }

      store:send("todos[1].toggle", function(state) state.todos[1].isComplete = true end)
      clock:advance(0.99)
      store:send("setFilter", { filter = "completed" }, function(state) state.filter = "completed" end)
      clock:advance(0.01)
      store:receive("sortCompletedTodos", function(state)
        state.todos = ordered(state.todos, { 2, 1 })
      end)
    end)

    it("waits until a second has passed since the last of them", function()
      local store = storeOf { "Milk", "Eggs", "Bread" }

      store:send("todos[1].toggle", function(state) state.todos[1].isComplete = true end)
      clock:advance(0.5)
      store:send("todos[2].toggle", function(state) state.todos[2].isComplete = true end)
      clock:advance(0.5) -- the first one's second is over, and nothing moves
      clock:advance(0.5)
      store:receive("sortCompletedTodos", function(state)
        state.todos = ordered(state.todos, { 3, 1, 2 })
      end)
    end)

    it("sorts without a change if it is taken up again", function()
      local store = storeOf { "Milk", "Eggs" }

      store:send("todos[1].toggle", function(state) state.todos[1].isComplete = true end)
      clock:advance(0.5)
      store:send("todos[1].toggle", function(state) state.todos[1].isComplete = false end)
      clock:advance(1)
      store:receive("sortCompletedTodos")
    end)

    it("keeps the order within each half", function()
      local store = storeOf { "Milk x", "Eggs", "Bread x", "Butter" }

      store:send("todos[4].toggle", function(state) state.todos[4].isComplete = true end)
      clock:advance(1)
      store:receive("sortCompletedTodos", function(state)
        state.todos = ordered(state.todos, { 2, 1, 3, 4 })
      end)
    end)

    -- The sort is the list's effect, not the todo's: it outlives the todo.
    it("sorts even if that one is gone by then", function()
      local store = storeOf { "Milk x", "Eggs", "Bread" }

      store:send("todos[2].toggle", function(state) state.todos[2].isComplete = true end)
      store:send("delete", { rows = { 2 } }, function(state) table.remove(state.todos, 2) end)
      clock:advance(1)
      store:receive("sortCompletedTodos", function(state)
        state.todos = ordered(state.todos, { 3, 1 })
      end)
    end)
  end)

  it("clears the completed ones", function()
    local store = storeOf { "Milk x", "Eggs", "Bread x" }

    store:send("clearCompletedButtonTapped", function(state)
      state.todos = ordered(state.todos, { 2 })
    end)
    store:send("clearCompletedButtonTapped")
  end)

  describe("delete", function()
    it("takes rows away", function()
      local store = storeOf { "Milk", "Eggs", "Bread" }

      store:send("delete", { rows = { 1, 3 } }, function(state)
        state.todos = ordered(state.todos, { 2 })
      end)
    end)

    it("counts the rows that the filter shows", function()
      local store = storeOf({ "Milk", "Eggs x", "Bread" }, "active")

      store:send("delete", { rows = { 2 } }, function(state)
        state.todos = ordered(state.todos, { 1, 2 })
      end)
    end)

    -- What a handler raises, `send` raises, and the state is as it was.
    it("refuses a row that is not shown, and takes none away", function()
      local store = storeOf { "Milk", "Eggs" }

      assert.has_error(function() store:send("delete", { rows = { 1, 3 } }) end)
      assert.are.equal(2, #store.state.todos)
    end)
  end)

  describe("move", function()
    it("puts a row elsewhere, and sorts a moment later", function()
      local store = storeOf { "Milk", "Eggs", "Bread" }

      store:send("move", { rows = { 1 }, to = 3 }, function(state)
        state.todos = ordered(state.todos, { 2, 1, 3 })
      end)
      clock:advance(0.1)
      store:receive("sortCompletedTodos")
    end)

    it("sends a completed one back behind the others", function()
      local store = storeOf { "Milk", "Eggs", "Bread x" }

      store:send("move", { rows = { 3 }, to = 1 }, function(state)
        state.todos = ordered(state.todos, { 3, 1, 2 })
      end)
      clock:advance(0.1)
      store:receive("sortCompletedTodos", function(state)
        state.todos = ordered(state.todos, { 1, 2, 3 })
      end)
    end)

    it("counts the rows that the filter shows", function()
      local store = storeOf({ "Milk", "Eggs x", "Bread", "Butter x" }, "completed")

      store:send("move", { rows = { 2 }, to = 1 }, function(state)
        state.todos = ordered(state.todos, { 1, 4, 2, 3 })
      end)
      clock:advance(0.1)
      store:receive("sortCompletedTodos", function(state)
        state.todos = ordered(state.todos, { 1, 3, 4, 2 })
      end)
    end)

    it("takes one row more than there are for the end", function()
      local store = storeOf({ "Milk", "Eggs", "Bread x" }, "active")

      store:send("move", { rows = { 1 }, to = 3 }, function(state)
        state.todos = ordered(state.todos, { 2, 3, 1 })
      end)
      clock:advance(0.1)
      store:receive("sortCompletedTodos", function(state)
        state.todos = ordered(state.todos, { 2, 1, 3 })
      end)
    end)
  end)

  describe("setFilter", function()
    it("changes what is shown, and no todo", function()
      local store = storeOf { "Milk", "Eggs x" }

      for _, filter in ipairs { "completed", "active", "all" } do
        store:send("setFilter", { filter = filter }, function(state) state.filter = filter end)
      end
    end)

    it("refuses a filter that it does not know", function()
      local store = storeOf { "Milk" }

      assert.error_matches(function() store:send("setFilter", { filter = "odd" }) end, "unknown filter odd")
      assert.are.equal("all", store.state.filter)
    end)
  end)

  -- With the filter `active`, completing a todo hides it. An action that still comes for it is its own.
  it("renames a todo that the filter hides", function()
    local store = storeOf({ "Milk x", "Eggs" }, "active")

    store:send("todos[1].rename", { description = "Oat milk" }, function(state)
      state.todos[1].description = "Oat milk"
    end)
  end)

  -- A warning that is not expected fails the test. The list does not look whether the todo is there, and sorts.
  it("warns of a todo that is not there", function()
    local store = storeOf { "Milk" }

    test.expectWarning("forEach at todos.lua", function() store:send("todos[7].toggle") end)
    clock:advance(1)
    store:receive("sortCompletedTodos")
  end)

  -- Without exhaustivity a test says only what it is about, and what comes in between is passed over.
  it("ends with what is left to do at the top", function()
    local store = storeOf { "Milk", "Eggs", "Bread" }
    store.exhaustivity = "off"

    store:send("todos[1].toggle")
    store:send("todos[2].toggle")
    clock:advance(1)
    store:skipReceivedActions { strict = true }
    assert.are.same({ 3, 1, 2 }, list.ids(store.state.todos))

    store:send("clearCompletedButtonTapped", function(state) assert.are.equal(1, #state.todos) end)
  end)

  describe("its screen", function()
    local function viewOf(descriptions, filter)
      return test.view(Todos, {
        state = { todos = todos(descriptions), nextId = #descriptions + 1, filter = filter },
        dependencies = { clock = clock },
      })
    end

    it("is drawn", function()
      assert.matches_snapshot(viewOf({ "Milk", "Eggs x", "Bread" }):text())
    end)

    it("adds a todo to write into", function()
      local view = test.view(Todos)
      assert.is_not_nil(view:query("text", "Nothing to do."))

      view:find("button", "Add todo"):tap(function(state)
        state.todos, state.nextId = todos { "" }, 2
      end)
      view:find("row", 1):find("textField", "Description"):type("Milk", function(state)
        state.todos[1].description = "Milk"
      end)
      assert.is_nil(view:query("text", "Nothing to do."))
    end)

    it("adds one by a shortcut", function()
      local view = viewOf { "Milk" }

      view:press("mod+n", function(state)
        table.insert(state.todos, 1, Todo.initial { id = 2 })
        state.nextId = 3
      end)
    end)

    it("moves what is completed to the end, a second later", function()
      local view = viewOf { "Milk", "Eggs" }

      view:find("row", 1):find("toggle", "Done"):tap(function(state) state.todos[1].isComplete = true end)
      assert.are.equal("Milk", view:find("row", 1).name)
      clock:advance(1)
      view.store:receive("sortCompletedTodos", function(state) state.todos = ordered(state.todos, { 2, 1 }) end)
      assert.are.equal("Eggs", view:find("row", 1).name)
    end)

    it("shows what the filter lets through, and says so if that is nothing", function()
      local view = viewOf { "Milk", "Eggs x" }

      view:find("option", "Completed"):tap(function(state) state.filter = "completed" end)
      assert.are.equal(1, #view:all("row"))
      view:find("row", "Eggs"):delete(function(state) table.remove(state.todos, 2) end)
      assert.is_not_nil(view:query("text", "Nothing completed yet."))

      view:find("picker", "Filter"):choose("Active", function(state) state.filter = "active" end)
      assert.are.equal("Milk", view:find("row", 1).name)
    end)

    it("moves rows while it is edited, and shows no fields then", function()
      local view = viewOf { "Milk", "Eggs x", "Bread" }
      assert.error_matches(function() view:find("row", "Milk"):move(3) end, "one cannot move")

      view:find("button", "Edit"):tap(function(state) state.isEditing = true end)
      assert.is_nil(view:query("textField"))
      assert.matches_snapshot(view:text())
      view:find("row", "Bread"):move(1, function(state) state.todos = ordered(state.todos, { 3, 1, 2 }) end)
      clock:advance(0.1)
      view.store:receive("sortCompletedTodos")
      assert.are.equal("Bread", view:find("row", 1).name)

      view:find("button", "Done"):tap(function(state) state.isEditing = false end)
      assert.are.equal("Bread", view:find("row", 1):find("textField", "Description").value)
    end)

    -- The rows on the screen are not those of the list.
    it("moves the rows that a filter shows", function()
      local view = viewOf({ "Milk", "Eggs x", "Bread" }, "active")

      view:find("button", "Edit"):tap(function(state) state.isEditing = true end)
      view:find("row", 2):move(1, function(state) state.todos = ordered(state.todos, { 3, 1, 2 }) end)
      clock:advance(0.1)
      view.store:receive("sortCompletedTodos")
    end)

    it("clears what is completed, if anything is", function()
      local view = viewOf { "Milk x", "Eggs" }

      view:find("button", "Clear completed"):tap(function(state) table.remove(state.todos, 1) end)
      assert.is_true(view:find("button", "Clear completed").disabled)
      assert.error_matches(function() view:find("button", "Clear completed"):tap() end, "is disabled")
    end)

    -- The root has read which todos are complete, and not what they are about; of the rows, that one runs which shows
    -- what changed.
    it("runs the views that have read what changed", function()
      local view = viewOf { "Milk", "Eggs", "Bread" }

      view:find("textField", { within = view:find("row", 2), name = "Description" }):set("Butter", function(state)
        state.todos[2].description = "Butter"
      end)
      assert.are.same({ "todos[2]" }, view:evaluated())

      view:find("row", 3):delete(function(state) table.remove(state.todos, 3) end)
      assert.are.same({ "" }, view:evaluated())
    end)
  end)
end)
