local scripted = require "scripted"
local test = require "scripted.test"
local Kanban = require "kanban"

local function card(id, title) return { id = id, title = title } end

local function opened()
  return test.view(Kanban, {
    state = {
      title = "", nextId = 4, todo = { card(1, "a"), card(2, "b") }, doing = { card(3, "c") }, done = scripted.array {},
    },
  })
end

describe("Kanban", function()
  it("moves a card to another list, at its place there", function()
    local view = opened()
    view:find("row", "a"):move(view:find("list", "Doing"), 1, function(state)
      state.todo = { card(2, "b") }
      state.doing = { card(1, "a"), card(3, "c") }
    end)
    view:find("row", "b"):move(view:find("list", "Doing"), 3, function(state)
      state.todo = scripted.array {}
      state.doing[3] = card(2, "b")
    end)
  end)

  it("moves a card into a list that is empty", function()
    local view = opened()
    view:find("row", "c"):move(view:find("list", "Done"), 1, function(state)
      state.doing = scripted.array {}
      state.done = { card(3, "c") }
    end)
  end)

  it("changes the order of a list", function()
    local view = opened()
    view:find("row", "a"):move(3, function(state) state.todo = { card(2, "b"), card(1, "a") } end)
    view:find("row", "a"):move(1, function(state) state.todo = { card(1, "a"), card(2, "b") } end)
  end)

  it("finishes nothing that was not begun, and begins nothing again that is done", function()
    local view = opened()
    assert.error_matches(function() view:find("row", "a"):move(view:find("list", "Done"), 1) end,
      "the list 'Done' does not accept rows of the list 'To do'")
    view:find("row", "c"):move(view:find("list", "Done"), 1, function(state)
      state.doing = scripted.array {}
      state.done = { card(3, "c") }
    end)
    assert.error_matches(function() view:find("row", "c"):move(view:find("list", "Doing"), 1) end,
      "the list 'Doing' does not accept rows of the list 'Done'")
  end)

  it("puts a card at the end of a list that has become shorter meanwhile", function()
    opened().store:send("drop", { id = 1, from = "todo", to = "doing", index = 7 }, function(state)
      state.todo = { card(2, "b") }
      state.doing = { card(3, "c"), card(1, "a") }
    end)
  end)

  it("adds a card", function()
    local view = opened()
    view:find("textField", "New card"):type("d", function(state) state.title = "d" end)
    view:find("button", "Add"):tap(function(state)
      state.todo[3] = card(4, "d")
      state.nextId = 5
      state.title = ""
    end)
  end)
end)
