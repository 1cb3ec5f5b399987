local test = require "scripted.test"
local MultipleDestinations = require "case_studies.multiple_destinations"

describe("Multiple destinations", function()
  local clock, store

  before_each(function()
    clock = test.clock()
    store = test.store(MultipleDestinations, { dependencies = { clock = clock } })
  end)

  for action, case in pairs { showDrillDown = "drillDown", showPopover = "popover", showSheet = "sheet" } do
    it("shows a " .. case, function()
      store:send(action, function(state) state.destination = { [case] = { count = 0 } } end)
      store:send("destination." .. case .. ".increment", function(state)
        state.destination[case].count = 1
      end)
      store:send("destination.dismiss", function(state) state.destination = nil end)
    end)
  end

  it("shows one at a time, and cancels what the former has in flight", function()
    store:send("showDrillDown", function(state) state.destination = { drillDown = { count = 0 } } end)
    store:send("destination.drillDown.incrementLater")
    store:send("showSheet", function(state) state.destination = { sheet = { count = 0 } } end)
    clock:checkSuspension()
    store:send("destination.sheet.incrementLater")
    clock:advance(1)
    store:receive("destination.sheet.increment", function(state) state.destination.sheet.count = 1 end)
  end)

  -- Another state for the same case leaves the child what it is, as no `id` tells the two apart.
  it("keeps what is in flight when the same one is shown again", function()
    store:send("showSheet", function(state) state.destination = { sheet = { count = 0 } } end)
    store:send("destination.sheet.increment", function(state) state.destination.sheet.count = 1 end)
    store:send("destination.sheet.incrementLater")
    store:send("showSheet", function(state) state.destination = { sheet = { count = 0 } } end)
    clock:advance(1)
    store:receive("destination.sheet.increment", function(state) state.destination.sheet.count = 1 end)
  end)

  it("tells of an action for another than the one that is shown", function()
    store:send("showPopover", function(state) state.destination = { popover = { count = 0 } } end)
    test.expectWarning("to the case 'sheet', but the state is in the case 'popover'", function()
      store:send("destination.sheet.increment")
    end)
  end)

  describe("its screen", function()
    it("presents each in its own way, and closes it", function()
      local view = test.view(MultipleDestinations)
      assert.matches_snapshot(view:text())

      for _, way in ipairs {
        { "Show drill-down", "cover", "drillDown" },
        { "Show popover", "popover", "popover" },
        { "Show sheet", "sheet", "sheet" },
      } do
        local button, role, case = table.unpack(way)
        view:find("button", button):tap(function(state) state.destination = { [case] = { count = 0 } } end)
        view:find(role):find("button", "Increment"):tap(function(state) state.destination[case].count = 1 end)
        assert.are.same({ "destination." .. case }, view:evaluated())
        assert.error_matches(function() view:find("button", button) end, "covered by the " .. role)
        view:dismiss(function(state) state.destination = nil end)
      end
    end)
  end)
end)
