local test = require "scripted.test"
local LongLiving = require "long_living"

describe("LongLiving", function()
  local screenshots, store

  -- A stream of the test's own stands for the screenshots that somebody takes.
  before_each(function()
    screenshots = test.stream()
    store = test.store(LongLiving, {
      dependencies = { screenshots = { taken = function() return screenshots end } },
    })
  end)

  local function receiveScreenshot(count)
    store:receive("userDidTakeScreenshot", function(state) state.screenshotCount = count end)
  end

  it("counts screenshots until the screen goes", function()
    local task = store:send("task")
    screenshots:send(true)
    receiveScreenshot(1)
    screenshots:send(true)
    receiveScreenshot(2)

    task:cancel()
    screenshots:send(true) -- nobody hears of this one
  end)

  it("counts no more after onDisappear", function()
    store:send("task")
    screenshots:send(true)
    receiveScreenshot(1)

    store:send("onDisappear")
    screenshots:send(true)
  end)

  it("ends when there are no more screenshots", function()
    local task = store:send("task")
    screenshots:finish()
    task:finish()
  end)

  -- Each call of `taken` is to hear of every screenshot, so two effects would count it twice.
  it("listens once, however often the screen appears", function()
    local first, second = screenshots, test.stream()
    store:send("task")
    screenshots = second
    store:send("task")

    first:send(true)
    second:send(true)
    receiveScreenshot(1)
    store:send("onDisappear")
  end)

  describe("its screen", function()
    -- The action is sent when the screen appears, and its effects are cancelled when it goes: here, with the test.
    it("counts as long as it is there", function()
      local view = test.view(LongLiving, {
        dependencies = { screenshots = { taken = function() return screenshots end } },
      })
      assert.matches_snapshot(view:text())

      view.store:receive("task")
      screenshots:send(true)
      view.store:receive("userDidTakeScreenshot", function(state) state.screenshotCount = 1 end)
      assert.is_not_nil(view:query("text", "A screenshot of this screen has been taken 1 time."))
    end)
  end)
end)
