-- Plays what is in a file: `play(url)` waits until the end and says whether all was played. Raises if it cannot be.
local scripted = require "scripted"

return scripted.dependency {
  name = "audioPlayer",

  live = { play = function() error("no loudspeaker here: the host gives a player to its stores", 2) end },

  preview = function(deps)
    return {
      play = function()
        deps.clock.sleep(5)
        return true
      end,
    }
  end,
}
