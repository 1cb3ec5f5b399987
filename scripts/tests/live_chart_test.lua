local test = require "scripted.test"
local LiveChart = require "live_chart"

describe("The live chart", function()
  local clock, view, store

  before_each(function()
    clock = test.clock()
    view = test.view(LiveChart, { dependencies = { clock = clock, random = { integer = function() return 10 end } } })
    store = view.store
  end)

  local function start()
    view:find("button", "Start"):tap(function(state) state.isRunning = true end)
  end

  local function stop()
    view:find("button", "Stop"):tap(function(state) state.isRunning = false end)
  end

  local function receive(number, value)
    store:receive("measured", function(state)
      state.count = number
      table.insert(state.values, { number = number, value = value })
      if #state.values > 20 then table.remove(state.values, 1) end
    end)
  end

  it("draws a line through the values of the stream", function()
    view:find("canvas", "No values yet")
    start()
    clock:advance(1)
    receive(1, 60)
    assert.is_nil(view:html():find("<path", 1, true))
    receive(2, 70)
    view:find("canvas", "The last value is 70")
    assert.is_truthy(view:html():find('d="M12.0 58.4 L27.6 46.8"', 1, true))
    stop()
  end)

  it("tells the value that is tapped", function()
    start()
    clock:advance(1)
    receive(1, 60)
    receive(2, 70)
    view:find("button", "Value 1: 60"):tap(function(state) state.chosen = 1 end)
    view:find("text", "Value 1 is chosen")
    stop()
  end)

  it("keeps the last 20 values, from 0 to 100", function()
    start()
    clock:advance(11)
    for number = 1, 22 do receive(number, math.min(50 + 10 * number, 100)) end
    assert.is_nil(view:query("button", "Value 2: 70"))
    view:find("button", "Value 3: 80")
    view:find("button", "Value 22: 100")
    stop()
  end)

  it("stops when it is told to", function()
    start()
    clock:advance(0.5)
    receive(1, 60)
    stop()
    clock:advance(5)
  end)
end)
