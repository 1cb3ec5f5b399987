local test = require "scripted.test"
local LongLiving = require "long_living"
local screenshots = require "screenshots"

describe("Screenshots", function()
  it("are the host's to give", function()
    assert.error_matches(function() screenshots.live.taken() end, "the host gives them")
  end)

  -- `taken` waits, so it has to run in an effect: that of the feature which uses it.
  it("come every five seconds in previews", function()
    local clock = test.clock()
    local store = test.store(LongLiving, {
      dependencies = { screenshots = screenshots.preview { clock = clock } },
    })

    local task = store:send("task")
    clock:advance(10)
    store:receive("userDidTakeScreenshot", function(state) state.screenshotCount = 1 end)
    store:receive("userDidTakeScreenshot", function(state) state.screenshotCount = 2 end)
    clock:advance(4.9)
    task:cancel()
  end)

  -- A test that leaves a dependency out hears of it, with the line to write.
  it("have to be given to a test that needs them", function()
    local store = test.store(LongLiving)

    assert.error_matches(
      function() store:send("task") end, "unimplemented: LongLiving called deps.screenshots.taken()", 1, true)
  end)
end)
