local test = require "scripted.test"
local LoadThenPresent = require "case_studies.load_then_present"

describe("Load, then present", function()
  local clock, store

  before_each(function()
    clock = test.clock()
    store = test.store(LoadThenPresent, { dependencies = { clock = clock } })
  end)

  local function present()
    store:send("counterButtonTapped", function(state) state.isActivityIndicatorVisible = true end)
    clock:advance(1)
    store:receive("counterLoaded", function(state)
      state.isActivityIndicatorVisible = false
      state.counter = { count = 0 }
    end)
  end

  it("presents the sheet once its state is there", function()
    assert.are.same({ isActivityIndicatorVisible = false }, store.state)
    present()
    store:send("counter.increment", function(state) state.counter.count = 1 end)
    store:send("counter.dismiss", function(state) state.counter = nil end)
  end)

  it("loads once, however often the button is tapped", function()
    store:send("counterButtonTapped", function(state) state.isActivityIndicatorVisible = true end)
    clock:advance(0.5)
    store:send("counterButtonTapped")
    clock:advance(0.5)
    clock:advance(0.5)
    store:receive("counterLoaded", function(state)
      state.isActivityIndicatorVisible = false
      state.counter = { count = 0 }
    end)
  end)

  it("cancels what the counter has in flight when the sheet is dismissed", function()
    present()
    store:send("counter.incrementLater")
    store:send("counter.dismiss", function(state) state.counter = nil end)
    clock:checkSuspension()
  end)

  describe("its screen", function()
    it("waits, then shows the sheet", function()
      local view = test.view(LoadThenPresent, { dependencies = { clock = clock } })
      assert.matches_snapshot(view:text())

      view:find("button", "Load a counter"):tap(function(state) state.isActivityIndicatorVisible = true end)
      assert.is_true(view:find("button", "Load a counter").disabled)
      assert.is_not_nil(view:query("progress", "Loading"))
      assert.is_nil(view:query("sheet"))
      clock:advance(1)
      view.store:receive("counterLoaded", function(state)
        state.isActivityIndicatorVisible, state.counter = false, { count = 0 }
      end)
      assert.matches_snapshot(view:text())
      view:find("sheet"):find("button", "Increment"):tap(function(state) state.counter.count = 1 end)
      view:dismiss(function(state) state.counter = nil end)
      assert.is_nil(view:query("progress"))
    end)
  end)
end)
