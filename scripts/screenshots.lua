-- The screenshots that the user takes: `for number in deps.screenshots.taken() do … end` waits for each.
local scripted = require "scripted"

local screenshots = {
  name = "screenshots",

  -- Scripts see no screen. A host with one gives its own to the stores that it makes.
  live = { taken = function() error("no screenshots here: the host gives them to its stores", 2) end },

  -- One every five seconds.
  preview = function(deps)
    return { taken = function() return deps.clock.timer(5) end }
  end,
}

scripted.dependency(screenshots)

-- Tests take what they need of it.
return screenshots
