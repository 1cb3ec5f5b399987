local test = require "scripted.test"
local NavigateAndLoadList = require "case_studies.navigate_and_load_list"

describe("Navigate and load, from a list", function()
  local clock, store

  before_each(function()
    clock = test.clock()
    store = test.store(NavigateAndLoadList, { dependencies = { clock = clock } })
  end)

  local function select(id)
    store:send("setNavigation", { id = id }, function(state) state.selection = { id = id } end)
  end

  local function receiveCounter(count)
    store:receive("selectionLoaded", function(state) state.selection.counter = { count = count } end)
  end

  it("starts the counter with the number of its row, and gives it back", function()
    select(2)
    clock:advance(1)
    receiveCounter(42)
    store:send("selection.counter.increment", function(state) state.selection.counter.count = 43 end)
    store:send("setNavigation", function(state)
      state.rows[2].count = 43
      state.selection = nil
    end)

    select(2)
    clock:advance(1)
    receiveCounter(43)
  end)

  it("loads no more when one goes back before", function()
    select(1)
    clock:advance(0.5)
    store:send("setNavigation", function(state) state.selection = nil end)
    clock:checkSuspension()
  end)

  it("loads only the row that was selected last", function()
    select(1)
    clock:advance(0.5)
    select(3)
    clock:advance(0.5)
    assert.is_nil(store.state.selection.counter)
    clock:advance(0.5)
    receiveCounter(100)
  end)

  it("cancels what a counter has in flight when another row is selected", function()
    select(1)
    clock:advance(1)
    receiveCounter(1)
    store:send("selection.counter.incrementLater")
    select(2)
    clock:advance(1)
    receiveCounter(42)
  end)

  describe("its screen", function()
    it("opens a row, and gives back what was counted when it is closed", function()
      local view = test.view(NavigateAndLoadList, { dependencies = { clock = clock } })
      assert.matches_snapshot(view:text())

      view:find("link", "Counter that starts from 42"):tap(function(state) state.selection = { id = 2 } end)
      assert.is_not_nil(view:query("progress", "Loading"))
      clock:advance(1)
      view.store:receive("selectionLoaded", function(state) state.selection.counter = { count = 42 } end)
      assert.is_nil(view:query("progress", "Loading"))
      view:find("button", "Increment"):tap(function(state) state.selection.counter.count = 43 end)
      view:dismiss(function(state)
        state.rows[2].count = 43
        state.selection = nil
      end)
      assert.are.equal("Counter that starts from 43", view:find("row", 2).name)
    end)

    it("loads no more when it is closed before", function()
      local view = test.view(NavigateAndLoadList, { dependencies = { clock = clock } })

      view:find("link", "Counter that starts from 1"):tap(function(state) state.selection = { id = 1 } end)
      view:press("escape", function(state) state.selection = nil end)
      clock:checkSuspension()
    end)
  end)
end)
