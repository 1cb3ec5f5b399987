-- Keeps which episodes are favorites: `deps.episodeClient.favorite(id, isFavorite)` returns what is so from
-- now on. This one stands for a service: it takes a second, and fails one time in four.
local scripted = require "scripted"

local episodeClient = {
  name = "episodeClient",

  live = function(deps)
    return {
      favorite = function(_, isFavorite)
        deps.clock.sleep(1)
        if deps.random.number() < 0.25 then error("Favoriting failed.", 0) end
        return isFavorite
      end,
    }
  end,

  preview = { favorite = function(_, isFavorite) return isFavorite end },
}

scripted.dependency(episodeClient)

-- Tests call `live` with dependencies of their own.
return episodeClient
