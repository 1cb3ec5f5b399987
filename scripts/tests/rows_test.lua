local test = require "scripted.test"
local Rows = require "rows"

-- The rows with these ids. With the random numbers of most tests here all have this label.
local function rows(first, last, label)
  local all = {}
  for id = first, last do table.insert(all, { id = id, label = label or "pretty red table" }) end
  return all
end

describe("Rows", function()
  local view

  -- A screen with as many rows.
  local function show(count, selected)
    view = test.view(Rows, {
      state = { rows = rows(1, count), nextId = count + 1, selected = selected },
      dependencies = { random = { integer = function() return 1 end } },
    })
  end

  local function tap(button, expect) view:find("button", button):tap(expect) end

  local function row(number) return view:find("row", number) end

  -- Of a long list the first 60 rows are evaluated.
  local function assertWindow(total)
    assert.are.same({ first = 1, count = 60, total = total }, view:find("list").node.window)
  end

  it("begin with none", function()
    view = test.view(Rows)

    assert.are.same({ "" }, view:evaluated())
    assert.matches_snapshot(view:text())
  end)

  it("are created", function()
    show(0)

    tap("Create 1,000 rows", function(state) state.rows, state.nextId = rows(1, 1000), 1001 end)
    assertWindow(1000)
    assert.are.equal(60, #view:evaluated())
    assert.are.equal("1000 pretty red table Remove", row(1000).name)
    assert.is_nil(view:query("row", 1001))
  end)

  it("are replaced, and the selection with them", function()
    show(1000, 7)

    tap("Create 1,000 rows", function(state) state.rows, state.nextId, state.selected = rows(1001, 2000), 2001, 0 end)
    assertWindow(1000)
    assert.is_nil(view:query("row", { selected = true }))
    assert.are.equal("1001 pretty red table Remove", row(1).name)
    assert.are.equal("2000 pretty red table Remove", row(1000).name)
  end)

  it("are updated, every tenth", function()
    show(1000)

    tap("Update every 10th row", function(state)
      for index = 1, 1000, 10 do state.rows[index].label = "pretty red table !!!" end
    end)
    -- Six of them can be seen.
    local evaluated = view:evaluated()
    table.sort(evaluated)
    assert.are.same({ "rows[11]", "rows[1]", "rows[21]", "rows[31]", "rows[41]", "rows[51]" }, evaluated)
    assert.are.equal("1 pretty red table !!! Remove", row(1).name)
    assert.are.equal("2 pretty red table Remove", row(2).name)
    assert.are.equal("991 pretty red table !!! Remove", row(991).name)

    tap("Update every 10th row", function(state)
      for index = 1, 1000, 10 do state.rows[index].label = "pretty red table !!! !!!" end
    end)
  end)

  -- The root runs, whose list shows the selection, and no row.
  it("are selected, one at a time", function()
    show(1000)

    row(2):find("button", "pretty red table"):tap(function(state) state.selected = 2 end)
    assert.are.same({ "" }, view:evaluated())
    row(5):find("button", "pretty red table"):tap(function(state) state.selected = 5 end)
    assert.are.same({ "" }, view:evaluated())
    assert.is_true(row(5).selected)
    assert.is_false(row(2).selected)

    -- The row itself is as good.
    row(6):tap(function(state) state.selected = 6 end)
    assert.are.equal(6, view:find("row", { selected = true }).number)
  end)

  it("are swapped, the second with the last but one", function()
    show(1000)

    tap("Swap rows", function(state)
      local all = rows(1, 1000)
      all[2], all[999] = all[999], all[2]
      state.rows = all
    end)
    assert.are.same({ "rows[999]" }, view:evaluated())
    assert.are.equal("999 pretty red table Remove", row(2).name)
    assert.are.equal("2 pretty red table Remove", row(999).name)
  end)

  it("are not swapped where there are too few", function()
    show(998)

    tap "Swap rows"
    assert.are.equal("2 pretty red table Remove", row(2).name)
  end)

  -- One row comes into the window.
  it("are removed, one by one", function()
    show(1000, 3)

    row(4):find("button", "Remove"):tap(function(state) table.remove(state.rows, 4) end)
    assert.are.same({ "rows[61]" }, view:evaluated())
    assert.are.equal("5 pretty red table Remove", row(4).name)
    assertWindow(999)

    row(3):find("button", "Remove"):tap(function(state)
      table.remove(state.rows, 3)
      state.selected = 0
    end)
    assert.is_nil(view:query("row", { selected = true }))
  end)

  it("may be 10,000", function()
    show(0)

    tap("Create 10,000 rows", function(state) state.rows, state.nextId = rows(1, 10000), 10001 end)
    assertWindow(10000)
    assert.are.equal(60, #view:evaluated())
    assert.are.equal("10000 pretty red table Remove", row(10000).name)
  end)

  -- None of the new ones can be seen.
  it("are appended", function()
    show(1000, 7)

    tap("Append 1,000 rows", function(state) state.rows, state.nextId = rows(1, 2000), 2001 end)
    assert.are.same({}, view:evaluated())
    assertWindow(2000)
    assert.is_true(row(7).selected)
    assert.are.equal("2000 pretty red table Remove", row(2000).name)
  end)

  it("are cleared", function()
    show(1000, 7)

    tap("Clear", function(state) state.rows, state.selected = {}, 0 end)
    assert.are.same({}, view:all("row"))
  end)

  it("have labels that a seed chooses", function()
    view = test.view(Rows, { dependencies = { random = test.seededRandom(0) } })

    view.store:withExhaustivity("off", function()
      view.store:send("createButtonTapped", { count = 5 })
      view.store:send "rows[2].labelTapped"
    end)
    assert.matches_snapshot(view:text())
  end)
end)
