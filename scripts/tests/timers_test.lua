local test = require "scripted.test"
local Timers = require "timers"

describe("Timers", function()
  local clock, store

  before_each(function()
    clock = test.clock()
    store = test.store(Timers, { dependencies = { clock = clock } })
  end)

  local function start()
    store:send("toggleTimerButtonTapped", function(state) state.isTimerActive = true end)
  end

  local function stop()
    store:send("toggleTimerButtonTapped", function(state) state.isTimerActive = false end)
  end

  local function receiveTick(seconds)
    store:receive("timerTicked", function(state) state.secondsElapsed = seconds end)
  end

  it("counts the seconds from start to stop", function()
    start()
    clock:advance(1)
    receiveTick(1)
    clock:advance(5)
    for seconds = 2, 6 do receiveTick(seconds) end
    stop()
    clock:advance(5)
  end)

  -- A tick that nobody receives would fail the test.
  it("does not tick before the second is over", function()
    start()
    clock:advance(0.999)
    stop()
  end)

  it("goes on counting when it is started again, a whole second later", function()
    start()
    clock:advance(1.5)
    receiveTick(1)
    stop()
    start()
    clock:advance(0.5)
    clock:advance(0.5)
    receiveTick(2)
    stop()
  end)

  it("stops when the screen disappears", function()
    start()
    clock:advance(1)
    receiveTick(1)
    store:send("onDisappear", function(state) state.isTimerActive = false end)
    clock:advance(5)
  end)

  -- That nothing sleeps any more says that no timer was left behind.
  it("leaves no timer behind", function()
    start()
    assert.has_error(function() clock:checkSuspension() end)
    stop()
    clock:checkSuspension()
  end)

  describe("its screen", function()
    it("starts and stops by one button", function()
      local view = test.view(Timers, { state = { secondsElapsed = 58 }, dependencies = { clock = clock } })
      assert.matches_snapshot(view:text())

      view:find("button", "Start"):tap(function(state) state.isTimerActive = true end)
      clock:advance(3)
      for seconds = 59, 61 do
        view.store:receive("timerTicked", function(state) state.secondsElapsed = seconds end)
      end
      assert.is_not_nil(view:query("text", "1:01"))
      assert.are.equal(1, view:find("progress", "This minute").value)
      view:find("button", "Stop"):tap(function(state) state.isTimerActive = false end)
    end)
  end)
end)
