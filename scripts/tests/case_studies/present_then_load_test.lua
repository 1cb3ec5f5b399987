local test = require "scripted.test"
local PresentThenLoad = require "case_studies.present_then_load"

describe("Present, then load", function()
  local clock, store

  before_each(function()
    clock = test.clock()
    store = test.store(PresentThenLoad, { dependencies = { clock = clock } })
  end)

  local function present()
    store:send("setSheet", { isPresented = true }, function(state) state.isSheetPresented = true end)
  end

  local function receiveCounter()
    store:receive("counterLoaded", function(state) state.optionalCounter = { count = 0 } end)
  end

  it("presents the sheet at once, and fills it a second later", function()
    assert.are.same({ isSheetPresented = false }, store.state)
    present()
    clock:advance(1)
    receiveCounter()
    store:send("optionalCounter.increment", function(state) state.optionalCounter.count = 1 end)
    store:send("setSheet", { isPresented = false }, function(state)
      state.isSheetPresented = false
      state.optionalCounter = nil
    end)
  end)

  it("loads once, however often it is told to be presented", function()
    present()
    clock:advance(0.5)
    store:send("setSheet", { isPresented = true })
    clock:advance(0.5)
    clock:advance(0.5)
    receiveCounter()
  end)

  it("loads no more when the sheet is closed before", function()
    present()
    clock:advance(0.5)
    store:send("setSheet", { isPresented = false }, function(state) state.isSheetPresented = false end)
    clock:checkSuspension()
    clock:advance(1)
  end)

  it("cancels what the counter has in flight when the sheet is closed", function()
    present()
    clock:advance(1)
    receiveCounter()
    store:send("optionalCounter.incrementLater")
    store:send("setSheet", { isPresented = false }, function(state)
      state.isSheetPresented = false
      state.optionalCounter = nil
    end)
    clock:checkSuspension()
  end)

  describe("its screen", function()
    local function shown()
      local view = test.view(PresentThenLoad, { dependencies = { clock = clock } })
      view:find("button", "Show a counter"):tap(function(state) state.isSheetPresented = true end)
      return view
    end

    it("is the sheet at once, and the counter in it later", function()
      local view = shown()
      assert.matches_snapshot(view:text())

      clock:advance(1)
      view.store:receive("counterLoaded", function(state) state.optionalCounter = { count = 0 } end)
      assert.is_nil(view:query("progress", "Loading"))
      view:find("sheet", "Counter"):find("button", "Increment"):tap(function(state) state.optionalCounter.count = 1 end)
      view:dismiss(function(state) state.isSheetPresented, state.optionalCounter = false, nil end)
      assert.is_nil(view:query("sheet"))
    end)

    it("loads no more when it is closed before", function()
      shown():dismiss(function(state) state.isSheetPresented = false end)
      clock:checkSuspension()
    end)
  end)
end)
