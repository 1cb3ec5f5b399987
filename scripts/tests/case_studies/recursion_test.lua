local test = require "scripted.test"
local Nested = require "case_studies.recursion"

describe("Recursion", function()
  it("adds rows, and rows to these", function()
    local store = test.store(Nested, { dependencies = { uuid = test.incrementingUUID() } })

    store:send("addRowButtonTapped", function(state)
      state.rows = { { id = test.uuid(0), name = "", rows = {} } }
    end)
    store:send(Nested.actions.rows(test.uuid(0), { type = "addRowButtonTapped" }), function(state)
      state.rows[1].rows = { { id = test.uuid(1), name = "", rows = {} } }
    end)
  end)

  it("names any of them", function()
    local row = Nested.initial { id = "row", rows = { Nested.initial { id = "inner" } } }
    local store = test.store(Nested, { state = { rows = { row } } })

    store:send("nameTextFieldChanged", "Blob", function(state) state.name = "Blob" end)
    store:send("rows[row].rows[inner].nameTextFieldChanged", "Blob Jr.", function(state)
      state.rows[1].rows[1].name = "Blob Jr."
    end)
  end)

  it("deletes rows", function()
    local function row(n) return Nested.initial { id = test.uuid(n) } end
    local store = test.store(Nested, { state = { rows = { row(0), row(1), row(2) } } })

    store:send("deleteRows", { indices = { 2 } }, function(state) state.rows = { row(0), row(2) } end)
    store:send("deleteRows", { indices = { 1, 2 } }, function(state) state.rows = {} end)
  end)

  it("goes as deep as a state may", function()
    local depth = 60
    local root, path = Nested.initial(), ""
    for level = depth, 1, -1 do
      root = Nested.initial { rows = { root } }
      root.rows[1].id = level
      path = ("rows[%d]."):format(level) .. path
    end
    local store = test.store(Nested, { state = root })

    store:send(path .. "nameTextFieldChanged", "Leaf", function(state)
      local leaf = state
      while #leaf.rows > 0 do leaf = leaf.rows[1] end
      leaf.name = "Leaf"
    end)
  end)

  it("tells of a row that is not there, at whatever depth", function()
    local store = test.store(Nested, { state = { rows = { Nested.initial { id = "row" } } } })

    test.expectWarning('does not have (id "inner")', function()
      store:send("rows[row].rows[inner].addRowButtonTapped")
    end)
  end)

  describe("its screen", function()
    it("has rows in rows", function()
      local view = test.view(Nested, { dependencies = { uuid = test.incrementingUUID() } })
      assert.matches_snapshot(view:text())

      view:find("button", "Add row"):tap(function(state) state.rows = { Nested.initial { id = test.uuid(0) } } end)
      local row = view:find("row", 1)
      row:find("textField", "Name"):type("Blob", function(state) state.rows[1].name = "Blob" end)
      row:find("button", "Add row"):tap(function(state)
        state.rows[1].rows = { Nested.initial { id = test.uuid(1) } }
      end)
      -- The view of the row runs, which counts its rows, and that of the new one.
      local first = ("rows[%s]"):format(test.uuid(0))
      assert.are.same({ first, ("%s.rows[%s]"):format(first, test.uuid(1)) }, view:evaluated())
      assert.matches_snapshot(view:text())

      view:find("row", "Blob"):delete(function(state) state.rows = {} end)
    end)
  end)
end)
